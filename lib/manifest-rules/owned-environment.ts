import { problem } from '../problems';
import type { Problem } from '../problems';
import { asList, asObject } from './json';
import { forEachPod } from './rule';

/** Variables of a host's place in its slice and of a slice's place among slices. */
const OWNED =
  /^(MEGASCALE_(NUM_SLICES|SLICE_ID|COORDINATOR_ADDRESS)|TPU_WORKER_ID|TPU_WORKER_HOSTNAMES|TPU_NAME)$/;

/** Ray's pods do not set what the TPU webhook and Ray set per host: a fixed or stale value hangs the whole slice. */
export const ownedEnvironment = forEachPod((pod) => {
  if (pod.rayNode === undefined) return [];
  return pod.containers.flatMap(({ path, container }) =>
    asList(container['env']).flatMap((variable, index): Problem[] => {
      const value = asObject(variable)['name'];
      if (typeof value !== 'string' || !OWNED.test(value)) return [];
      return [problem('CONTAINER_VARIABLE_OWNED', [...path, 'env', index, 'name'], value)];
    }),
  );
});
