import { problem } from '../../problems';
import type { Problem } from '../../problems';

const JAX_PLATFORMS = 'JAX_PLATFORMS';

/**
 * The problem of a platform list without tpu in the environment of JAX workers: it takes the place of the trainer's own, and Ray starts
 * jax.distributed only where the list has tpu, so that every host would train alone, on its CPUs. Paths are relative to the map.
 */
export function checkJaxPlatforms(environment: Readonly<Record<string, unknown>>): Problem[] {
  const value = environment[JAX_PLATFORMS];
  if (value === undefined) return [];
  if (typeof value === 'string' && value.split(',').includes('tpu')) return [];
  return [problem('JAX_PLATFORMS', [JAX_PLATFORMS], value)];
}
