import type { Problem } from '../problem';
import { asObject, type JsonObject } from './json';
import { forEachPod } from './rule';

/** Kubernetes takes no larger number. */
const LARGEST_USER = 2 ** 31 - 1;

/**
 * Users are numbers and not root, or left to the image. `runAsNonRoot` without a number makes the kubelet refuse every image whose user
 * is a name, as Ray's is. Privileged containers only where they are asked for.
 */
export const podUsers = forEachPod((pod, options) => {
  const podContext = asObject(pod.spec['securityContext']);
  return [
    ...userProblems('spec.securityContext', podContext),
    ...pod.containers.flatMap(({ path, container }) => {
      const context = asObject(container['securityContext']);
      const own = userProblems(`${path}.securityContext`, context);
      const privileged =
        options.allowPrivileged === true ? [] : privilegedProblems(`${path}.securityContext`, context);
      return [...own, ...nonRootProblems(path, podContext, context), ...privileged];
    }),
  ];
});

function userProblems(path: string, context: JsonObject): Problem[] {
  return ['runAsUser', 'runAsGroup', 'fsGroup'].flatMap((field): Problem[] => {
    const value = context[field];
    const isUser = typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= LARGEST_USER;
    if (value === undefined || isUser) return [];
    const rule = `users and groups are whole numbers from 1 (0 is root) to ${String(LARGEST_USER)}`;
    return [
      {
        path: `${path}.${field}`,
        value,
        rule,
        fix: 'use the number of a user of the image, or leave it out',
      },
    ];
  });
}

function nonRootProblems(path: string, podContext: JsonObject, context: JsonObject): Problem[] {
  const nonRoot = context['runAsNonRoot'] ?? podContext['runAsNonRoot'];
  if (nonRoot !== true || (context['runAsUser'] ?? podContext['runAsUser']) !== undefined) return [];
  return [
    {
      path: `${path}.securityContext.runAsUser`,
      value: undefined,
      rule: 'runAsNonRoot needs a numeric runAsUser: the kubelet cannot tell whether a named user of an image is root',
      fix: 'set runAsUser on the container or the pod',
    },
  ];
}

function privilegedProblems(path: string, context: JsonObject): Problem[] {
  if (context['privileged'] !== true) return [];
  const rule = 'no container is privileged unless that is allowed: GKE gives TPU pods their devices without';
  return [
    { path: `${path}.privileged`, value: true, rule, fix: 'remove it, or allow privileged containers' },
  ];
}
