import type { LocatedWarning } from '../config';
import { MANIFEST_SUFFIX } from './output-transaction';

/** All annotations of an object together. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/ */
const ANNOTATIONS_MAX = 256 * 1024;

/** ConfigMaps that `kubectl apply` refuses, since it copies the whole object into an annotation; the API server takes up to 1 MiB. */
export function largeObjects(
  charts: readonly { name: string; objects: readonly unknown[] }[],
): LocatedWarning[] {
  return charts.flatMap(({ name, objects }) =>
    objects.flatMap((object) => {
      const { kind, metadata } = object as { kind?: string; metadata?: { name?: string } };
      if (kind !== 'ConfigMap') return [];
      const bytes = Buffer.byteLength(JSON.stringify(object));
      return bytes <= ANNOTATIONS_MAX
        ? []
        : [
            {
              file: `${name}${MANIFEST_SUFFIX}`,
              path: ['ConfigMap', metadata?.name ?? ''],
              message: `${String(Math.ceil(bytes / 1024))} KiB are more than the ${String(ANNOTATIONS_MAX / 1024)} KiB that kubectl apply keeps of an object: use kubectl apply --server-side (Argo CD: ServerSideApply=true), or put the sources into the image`,
            },
          ];
    }),
  );
}
