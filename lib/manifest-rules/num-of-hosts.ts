import { problem } from '../problems';
import type { Problem } from '../problems';
import { forEachManifest } from './rule';

/** Every worker group states numOfHosts, also 1: where it was dropped or 0, KubeRay made no pods, or took hosts for slices. */
export const numOfHosts = forEachManifest(({ rayClusters }) =>
  rayClusters.flatMap(({ workerGroups }) =>
    workerGroups.flatMap(({ path, group }): Problem[] => {
      const value = group['numOfHosts'];
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return [];
      return [problem('NUM_OF_HOSTS_MISSING', [...path, 'numOfHosts'], value)];
    }),
  ),
);
