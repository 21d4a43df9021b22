import { argumentMap, isProblemList, meshOfArguments, resolveMesh, stateOfArguments } from '../training';
import type { ResolvedMesh } from '../training';
import type { RunPlan } from './run-plan';

/** The mesh of MaxText's arguments on so many of a run's slices, undefined where it cannot be laid out. */
export function meshOf(
  run: RunPlan,
  maxtextArguments: readonly string[],
  slices: number,
): ResolvedMesh | undefined {
  const mesh = resolveMesh(meshOfArguments(argumentMap(maxtextArguments)), run.slice.devices, slices);
  return isProblemList(mesh) ? undefined : mesh;
}

/** Weights and moments in bytes per device as the static estimate has them, undefined where it does not count them. */
export function estimatedState(
  run: RunPlan,
  maxtextArguments: readonly string[],
  slices: number,
): number | undefined {
  const mesh = meshOf(run, maxtextArguments, slices);
  return mesh === undefined ? undefined : stateOfArguments(maxtextArguments, mesh)?.stateBytes;
}
