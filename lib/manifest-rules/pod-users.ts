import { problem } from '../problems';
import type { Path, Problem } from '../problems';
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
    ...userProblems(['spec', 'securityContext'], podContext),
    ...pod.containers.flatMap(({ path, container }) => {
      const context = asObject(container['securityContext']);
      const own = userProblems([...path, 'securityContext'], context);
      const privileged =
        options.allowPrivileged === true ? [] : privilegedProblems([...path, 'securityContext'], context);
      return [...own, ...nonRootProblems(path, podContext, context), ...privileged];
    }),
  ];
});

function userProblems(path: Path, context: JsonObject): Problem[] {
  return ['runAsUser', 'runAsGroup', 'fsGroup'].flatMap((field): Problem[] => {
    const value = context[field];
    const isUser = typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= LARGEST_USER;
    if (value === undefined || isUser) return [];
    return [problem('USER_NUMBER', [...path, field], value, { largestUser: LARGEST_USER })];
  });
}

function nonRootProblems(path: Path, podContext: JsonObject, context: JsonObject): Problem[] {
  const nonRoot = context['runAsNonRoot'] ?? podContext['runAsNonRoot'];
  if (nonRoot !== true || (context['runAsUser'] ?? podContext['runAsUser']) !== undefined) return [];
  return [problem('USER_NON_ROOT', [...path, 'securityContext', 'runAsUser'], undefined)];
}

function privilegedProblems(path: Path, context: JsonObject): Problem[] {
  if (context['privileged'] !== true) return [];
  return [problem('PRIVILEGED', [...path, 'privileged'], true)];
}
