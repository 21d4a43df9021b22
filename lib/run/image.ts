import { credentialIn } from '../kubernetes/credentials';
import { isImageReferenceError, parseImageReference } from '../kubernetes/image-reference';
import type { Problem } from '../problem';
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
    return [
      {
        path: 'image',
        value: undefined,
        rule: 'a run names its image, unless platform.yaml has an imageRepository from which it follows',
        fix: 'set imageRepository in platform.yaml, or write image as in HOST/PROJECT/REPOSITORY/NAME:TAG',
      },
    ];
  }
  if (credentialIn(image) !== undefined) {
    return [
      {
        path: 'image',
        value: '(not shown)',
        rule: 'an image reference must not carry credentials',
        fix: 'give the nodes read access to the repository instead',
      },
    ];
  }
  const reference = parseImageReference(image);
  if (isImageReferenceError(reference)) return [{ path: 'image', value: image, ...reference }];
  if (reference.digest !== undefined) return [];
  const repository = repositoryOf(platform);
  if (isOwnImage(image, platform)) {
    return reference.tag === undefined
      ? [
          {
            path: 'image',
            value: image,
            rule: "an image of the project's own repository has a tag, under which scripts/gcloud/images.sh builds it, or a digest, which is not built",
            fix: `write ${image}:TAG, with another tag whenever the image changes`,
          },
        ]
      : [];
  }
  if (repository !== undefined && isInProject(image, platform.project)) {
    const derived = imageOf({ trainer: spec.trainer }, platform);
    return [
      {
        path: 'image',
        value: image,
        rule: `an image of ${platform.project}'s own registries lies in the imageRepository of platform.yaml, ${repository}, where the scripts build it; they build this one nowhere`,
        fix: `${derived === undefined ? '' : `leave image out for ${derived}, or `}write it with its digest, NAME@sha256:…, if it exists already`,
      },
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
