import type { Problem } from '../problem';
import { forEachManifest } from './rule';

/** Every worker group states numOfHosts, also 1: where it was dropped or 0, KubeRay made no pods, or took hosts for slices. */
export const numOfHosts = forEachManifest(({ rayClusters }) =>
  rayClusters.flatMap(({ workerGroups }) =>
    workerGroups.flatMap(({ path, group }): Problem[] => {
      const value = group['numOfHosts'];
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return [];
      const rule = 'every worker group states numOfHosts, a whole number of at least 1';
      return [{ path: `${path}.numOfHosts`, value, rule, fix: 'set it to the hosts of a slice' }];
    }),
  ),
);
