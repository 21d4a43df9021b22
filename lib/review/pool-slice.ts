import type { PlannedProject, PlannedSlice } from '../plan';

/** The slice that a TPU pool is, as the runs that use it have it: all of them have the same. None for the CPU pool. */
export function sliceOf({ runs, infrastructure }: PlannedProject, pool: string): PlannedSlice | undefined {
  const planned = infrastructure.nodePools.find(({ name }) => name === pool);
  if (planned?.role !== 'tpu') return undefined;
  return runs.find(({ name }) => planned.runs.includes(name))?.tpu;
}
