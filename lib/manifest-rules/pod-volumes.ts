import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { isGcsFuseSidecarVolume } from './gcs-fuse';
import { asList, asObject } from './json';
import type { PodView } from './manifest';
import { forEachPod } from './rule';

/**
 * Volumes have one name each, every mount is of a volume of its pod, and every volume is mounted: a volume that nothing mounts is a
 * mistake, such as a cache under a name its reader does not look for. The GCS FUSE sidecar mounts its reserved volumes itself.
 */
export const podVolumes = forEachPod((pod) => {
  const names = asList(pod.spec['volumes']).map((volume) => asObject(volume)['name']);
  const mounted = pod.containers.flatMap(mountsOf);
  return [
    ...names.flatMap((name, index) => [
      ...duplicateProblem(names, name, index),
      ...(mounted.some((mount) => mount.name === name) || isGcsFuseSidecarVolume(name)
        ? []
        : [unmountedProblem(name, index)]),
    ]),
    ...mounted
      .filter((mount) => !names.includes(mount.name))
      .map(({ path, name }) =>
        problem('VOLUME_UNKNOWN', path, name, { names: names.join(', ') || 'it has none' }),
      ),
  ];
});

function mountsOf({
  path,
  container,
}: PodView['containers'][number]): { readonly path: Path; readonly name: unknown }[] {
  return ['volumeMounts', 'volumeDevices'].flatMap((field) =>
    asList(container[field]).map((mount, index) => ({
      path: [...path, field, index, 'name'],
      name: asObject(mount)['name'],
    })),
  );
}

function duplicateProblem(names: readonly unknown[], name: unknown, index: number): Problem[] {
  if (names.indexOf(name) === index) return [];
  return [
    problem('VOLUME_NAME_TWICE', ['spec', 'volumes', index, 'name'], name, { index: names.indexOf(name) }),
  ];
}

function unmountedProblem(name: unknown, index: number): Problem {
  return problem('VOLUME_UNUSED', ['spec', 'volumes', index, 'name'], name);
}
