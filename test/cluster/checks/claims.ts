import type { Check } from './observation';

/** Every worker of a run with network cards has its own claim, allocated with devices. */
export const claims: Check = ({ run, workers, claims: all }) => {
  if (run.network !== 'dranet') {
    return all.length === 0 ? [] : [`${String(all.length)} resource claims in a run without network cards`];
  }
  const problems: string[] = [];
  for (const pod of workers) {
    const names = (pod.status?.resourceClaimStatuses ?? []).map(({ resourceClaimName }) => resourceClaimName);
    if (names.length === 0) problems.push(`${pod.metadata.name ?? ''} has no claim`);
    for (const name of names) {
      const devices =
        all.find(({ metadata }) => metadata.name === name)?.status?.allocation?.devices?.results ?? [];
      if (devices.length === 0)
        problems.push(`claim ${name ?? '?'} of ${pod.metadata.name ?? ''} has no devices`);
    }
  }
  if (all.length !== workers.length) {
    problems.push(`${String(all.length)} claims for ${String(workers.length)} workers`);
  }
  return problems;
};
