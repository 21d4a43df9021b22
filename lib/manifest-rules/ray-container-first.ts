import { TPU_RESOURCE } from '../kubernetes/well-known';
import { asObject, type JsonObject } from './json';
import { forEachPod } from './rule';

const RAY_NAME = /^ray-(head|worker)$/;

/** In a Ray pod the Ray container comes first: KubeRay takes the first container for Ray's, whatever it is. */
export const rayContainerFirst = forEachPod((pod) => {
  if (pod.rayNode === undefined) return [];
  const [first, ...others] = pod.containers.filter(({ path }) => path.startsWith('spec.containers['));
  if (first === undefined) {
    const rule = 'a Ray pod has at least one container';
    return [{ path: 'spec.containers', value: pod.spec['containers'], rule, fix: 'add the Ray container' }];
  }
  const misplaced = others.find(({ container }) => isRay(container));
  if (misplaced === undefined || isRay(first.container)) return [];
  return [
    {
      path: `${first.path}.name`,
      value: first.container['name'],
      rule: `the first container of a Ray pod is the one Ray runs in, here ${String(misplaced.container['name'])}`,
      fix: 'put sidecars behind it',
    },
  ];
});

/** By the names KubeRay's users give it, or because it holds the chips. */
function isRay(container: JsonObject): boolean {
  const limits = asObject(asObject(container['resources'])['limits']);
  return RAY_NAME.test(String(container['name'])) || limits[TPU_RESOURCE] !== undefined;
}
