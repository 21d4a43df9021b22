import { credentialIn } from '../kubernetes/credentials';
import { isImageReferenceError, parseImageReference } from '../kubernetes/image-reference';
import type { Problem } from '../problem';
import type { Platform } from './platform';

/** Problems of a run's image; paths are relative to the run. */
export function checkImage(image: string, platform: Platform): Problem[] {
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
  if (isOwnImage(image, platform) && reference.tag === undefined && reference.digest === undefined) {
    return [
      {
        path: 'image',
        value: image,
        rule: "an image of the project's own repository has a tag, under which scripts/gcloud/images.sh builds it, or a digest, which is not built",
        fix: `write ${image}:TAG, with another tag whenever the image changes`,
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

function isOwnImage(image: string, { imageRepository: repository, project }: Platform): boolean {
  if (repository === undefined) return false;
  return image.startsWith(`${repository.location}-docker.pkg.dev/${project}/${repository.name}/`);
}
