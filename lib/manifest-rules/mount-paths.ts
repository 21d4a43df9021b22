import { problem } from '../problems';
import type { Problem } from '../problems';
import { asList, asObject } from './json';
import { forEachContainer } from './rule';

/** In one container no two mounts share a path: the API server refuses the pod, and KubeRay shows it only as an event. */
export const mountPaths = forEachContainer(({ container }): Problem[] => {
  const paths = asList(container['volumeMounts']).map((mount) => asObject(mount)['mountPath']);
  const plain = paths.map((path) => (typeof path === 'string' ? withoutTrailingSlash(path) : path));
  return plain.flatMap((path, index): Problem[] => {
    const first = plain.indexOf(path);
    if (first === index || path === undefined) return [];
    return [problem('MOUNT_PATH_TWICE', ['volumeMounts', index, 'mountPath'], paths[index], { first })];
  });
});

function withoutTrailingSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}
