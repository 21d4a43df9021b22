import { problem } from '../problems';
import type { Problem } from '../problems';
import { asList, asObject } from './json';
import type { ManifestProblem, PodView } from './manifest';
import type { ManifestRule } from './rule';

const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';

/** Levels that forbid what reaches into the host. */
const CLOSED_LEVELS = ['baseline', 'restricted'];

/**
 * No pod asks for what the Pod Security level of its rendered namespace forbids: the host's network, files or ports, or a privileged
 * container. The object that makes the pods is admitted all the same, and then not a single pod appears.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export const podSecurity: ManifestRule = (manifests) => {
  const levels = new Map(
    manifests
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ name, object }) => [name, asObject(asObject(object['metadata'])['labels'])[ENFORCE_LABEL]]),
  );
  return manifests.flatMap(({ id, namespace, pods }): ManifestProblem[] => {
    const level = levels.get(namespace ?? '');
    if (typeof level !== 'string' || !CLOSED_LEVELS.includes(level)) return [];
    return pods.flatMap((pod) =>
      forbidden(pod).map(({ path, value }) => ({
        object: id,
        ...problem('POD_SECURITY_LEVEL', [...pod.path, ...path], value, {
          namespace: namespace ?? '',
          level,
        }),
      })),
    );
  });
};

function forbidden(pod: PodView): Pick<Problem, 'path' | 'value'>[] {
  const host = ['hostNetwork', 'hostPID', 'hostIPC'].map((field) => ({
    path: ['spec', field],
    value: pod.spec[field],
  }));
  const volumes = asList(pod.spec['volumes']).map((volume, index) => ({
    path: ['spec', 'volumes', index, 'hostPath'],
    value: asObject(volume)['hostPath'],
  }));
  const containers = pod.containers.flatMap(({ path, container }) => [
    {
      path: [...path, 'securityContext', 'privileged'],
      value: asObject(container['securityContext'])['privileged'],
    },
    ...asList(container['ports']).map((port, index) => ({
      path: [...path, 'ports', index, 'hostPort'],
      value: asObject(port)['hostPort'],
    })),
  ]);
  return [...host, ...volumes, ...containers].filter(
    ({ value }) => value !== undefined && value !== false && value !== 0,
  );
}
