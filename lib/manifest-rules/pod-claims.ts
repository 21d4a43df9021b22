import { problem } from '../problems';
import { asList, asObject } from './json';
import { forEachPod } from './rule';

/** Every claim a container uses is one of its pod's, and every claim of the pod is used: an unused one still takes the device. */
export const podClaims = forEachPod((pod) => {
  const declared = asList(pod.spec['resourceClaims']).map((claim) => asObject(claim)['name']);
  const used = pod.containers.flatMap(({ path, container }) =>
    asList(asObject(container['resources'])['claims']).map((claim, index) => ({
      path: [...path, 'resources', 'claims', index, 'name'],
      value: asObject(claim)['name'],
    })),
  );
  return [
    ...used
      .filter(({ value }) => !declared.includes(value))
      .map(({ path, value }) =>
        problem('POD_CLAIM_UNKNOWN', path, value, { declared: declared.join(', ') || 'it has none' }),
      ),
    ...declared.flatMap((value, index) =>
      used.some((use) => use.value === value)
        ? []
        : [problem('POD_CLAIM_UNUSED', ['spec', 'resourceClaims', index, 'name'], value)],
    ),
  ];
});
