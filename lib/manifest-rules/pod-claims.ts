import { asList, asObject } from './json';
import { forEachPod } from './rule';

/** Every claim a container uses is one of its pod's, and every claim of the pod is used: an unused one still takes the device. */
export const podClaims = forEachPod((pod) => {
  const declared = asList(pod.spec['resourceClaims']).map((claim) => asObject(claim)['name']);
  const used = pod.containers.flatMap(({ path, container }) =>
    asList(asObject(container['resources'])['claims']).map((claim, index) => ({
      path: `${path}.resources.claims[${index}].name`,
      value: asObject(claim)['name'],
    })),
  );
  return [
    ...used
      .filter(({ value }) => !declared.includes(value))
      .map(({ path, value }) => ({
        path,
        value,
        rule: `a container uses claims of its pod (${declared.join(', ') || 'it has none'})`,
        fix: 'add it to spec.resourceClaims, or correct the name',
      })),
    ...declared.flatMap((value, index) =>
      used.some((use) => use.value === value)
        ? []
        : [
            {
              path: `spec.resourceClaims[${index}].name`,
              value,
              rule: 'every claim of a pod is used by a container',
              fix: "list it in a container's resources.claims, or remove it",
            },
          ],
    ),
  ];
});
