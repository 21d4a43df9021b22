import type { Problem } from '../../problem';

const JAX_PLATFORMS = 'JAX_PLATFORMS';

/**
 * The problem of a platform list without tpu in the environment of JAX workers: it takes the place of the trainer's own, and Ray starts
 * jax.distributed only where the list has tpu, so that every host would train alone, on its CPUs. Paths are relative to the map.
 */
export function checkJaxPlatforms(environment: Readonly<Record<string, unknown>>): Problem[] {
  const value = environment[JAX_PLATFORMS];
  if (value === undefined) return [];
  if (typeof value === 'string' && value.split(',').includes('tpu')) return [];
  return [
    {
      path: JAX_PLATFORMS,
      value,
      rule: `${JAX_PLATFORMS} of a run on TPUs is a list of platforms with tpu among them, as in tpu,cpu: without it Ray leaves jax.distributed out, and every host trains by itself`,
      fix: 'remove it, for the trainer sets it, or add tpu',
    },
  ];
}
