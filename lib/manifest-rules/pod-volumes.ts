import type { Problem } from '../problem';
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
      .map(({ path, name }) => ({
        path,
        value: name,
        rule: `a mount names a volume of its pod (${names.join(', ') || 'it has none'})`,
        fix: 'add the volume, or correct the name',
      })),
  ];
});

function mountsOf({
  path,
  container,
}: PodView['containers'][number]): { readonly path: string; readonly name: unknown }[] {
  return ['volumeMounts', 'volumeDevices'].flatMap((field) =>
    asList(container[field]).map((mount, index) => ({
      path: `${path}.${field}[${index}].name`,
      name: asObject(mount)['name'],
    })),
  );
}

function duplicateProblem(names: readonly unknown[], name: unknown, index: number): Problem[] {
  if (names.indexOf(name) === index) return [];
  const rule = `volume names of a pod are unique, spec.volumes[${names.indexOf(name)}] has this one`;
  return [{ path: `spec.volumes[${index}].name`, value: name, rule, fix: 'rename one of them' }];
}

function unmountedProblem(name: unknown, index: number): Problem {
  const rule = 'every volume of a pod is mounted by one of its containers';
  return { path: `spec.volumes[${index}].name`, value: name, rule, fix: 'mount it, or remove it' };
}
