import { credentialIn } from '../kubernetes/credentials';
import { isImageReferenceError, parseImageReference } from '../kubernetes/image-reference';
import { nestProblems, problem } from '../problems';
import type { Problem } from '../problems';
import { trainerKind } from '../training';
import type { Platform } from './platform';
import type { RunSpec } from './run-spec';

/** The image of a run: its own, or the one that the scripts build for its trainer kind; undefined where neither is known. */
export function imageOf(spec: Pick<RunSpec, 'image' | 'trainer'>, platform: Platform): string | undefined {
  if (spec.image !== undefined) return spec.image;
  const built = trainerKind(spec.trainer.kind).image;
  const repository = repositoryOf(platform);
  return built === undefined || repository === undefined
    ? undefined
    : `${repository}/${built.folder}:${built.tag}`;
}

/** Problems of a run's image; paths are relative to the run. */
export function checkImage(spec: Pick<RunSpec, 'image' | 'trainer'>, platform: Platform): Problem[] {
  const image = imageOf(spec, platform);
  if (image === undefined) {
    return [problem('IMAGE_MISSING', ['image'], undefined)];
  }
  if (credentialIn(image) !== undefined) {
    return [problem('IMAGE_CREDENTIAL', ['image'], '(not shown)')];
  }
  const reference = parseImageReference(image);
  if (isImageReferenceError(reference)) return nestProblems(['image'], [{ ...reference, value: image }]);
  if (reference.digest !== undefined) return [];
  const repository = repositoryOf(platform);
  if (isOwnImage(image, platform)) {
    return reference.tag === undefined ? [problem('IMAGE_WITHOUT_TAG', ['image'], image, { image })] : [];
  }
  if (repository !== undefined && isInProject(image, platform.project)) {
    const derived = imageOf({ trainer: spec.trainer }, platform);
    return [
      problem('IMAGE_ELSEWHERE', ['image'], image, {
        project: platform.project,
        repository,
        instead: derived === undefined ? '' : `leave image out for ${derived}, or `,
      }),
    ];
  }
  return [];
}

/** Whether the scripts build an image: it lies in the project's own repository, and no digest says that it exists already. */
export function isBuiltImage(image: string, platform: Platform): boolean {
  const reference = parseImageReference(image);
  return isOwnImage(image, platform) && !isImageReferenceError(reference) && reference.digest === undefined;
}

function isOwnImage(image: string, platform: Platform): boolean {
  const repository = repositoryOf(platform);
  return repository !== undefined && image.startsWith(`${repository}/`);
}

/** Host, project and name of the platform's repository. */
function repositoryOf({ imageRepository: repository, project }: Platform): string | undefined {
  return repository === undefined
    ? undefined
    : `${repository.location}-docker.pkg.dev/${pathOfProject(project)}/${repository.name}`;
}

/** Google's registries: Artifact Registry, and Container Registry's names, which it serves too. */
const GOOGLE_REGISTRY = /^(?:[a-z0-9-]+-docker\.pkg\.dev|(?:[a-z]+\.)?gcr\.io)\//;

function isInProject(image: string, project: string): boolean {
  const host = GOOGLE_REGISTRY.exec(image)?.[0];
  return host !== undefined && image.slice(host.length).startsWith(`${pathOfProject(project)}/`);
}

/** A project of a domain is written `domain:id`, and as two parts of a path in a registry. */
function pathOfProject(project: string): string {
  return project.replace(':', '/');
}
