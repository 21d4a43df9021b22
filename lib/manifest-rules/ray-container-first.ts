import { problem } from '../problems';
import { TPU_RESOURCE } from '../kubernetes/well-known';
import { asObject, type JsonObject } from './json';
import { forEachPod } from './rule';

const RAY_NAME = /^ray-(head|worker)$/;

/** In a Ray pod the Ray container comes first: KubeRay takes the first container for Ray's, whatever it is. */
export const rayContainerFirst = forEachPod((pod) => {
  if (pod.rayNode === undefined) return [];
  const [first, ...others] = pod.containers.filter(({ path }) => path[1] === 'containers');
  if (first === undefined) {
    return [problem('RAY_CONTAINER_MISSING', ['spec', 'containers'], pod.spec['containers'])];
  }
  const misplaced = others.find(({ container }) => isRay(container));
  if (misplaced === undefined || isRay(first.container)) return [];
  return [
    problem('RAY_CONTAINER_FIRST', [...first.path, 'name'], first.container['name'], {
      name: String(misplaced.container['name']),
    }),
  ];
});

/** By the names KubeRay's users give it, or because it holds the chips. */
function isRay(container: JsonObject): boolean {
  const limits = asObject(asObject(container['resources'])['limits']);
  return RAY_NAME.test(String(container['name'])) || limits[TPU_RESOURCE] !== undefined;
}
