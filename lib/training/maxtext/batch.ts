import { greatestCommonDivisor } from '../greatest-common-divisor';
import type { MeshAtSize, ResolvedMesh } from './mesh';

/**
 * Axes over which MaxText divides the examples of a step.
 * @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/configs/base.yml (activation_batch in logical_axis_rules)
 */
const BATCH_AXES = ['data', 'fsdp', 'fsdp_transpose', 'expert'] as const;

/** A global batch that cannot be divided. */
export interface UnevenBatch {
  readonly slices: number;
  readonly globalBatch: number;
  /** Groups of devices that have examples of their own. */
  readonly parts: number;
}

/** Groups of devices that have examples of their own. */
function batchParts(mesh: ResolvedMesh): number {
  return BATCH_AXES.reduce((product, axis) => product * (mesh.ici[axis] ?? 1) * (mesh.dcn[axis] ?? 1), 1);
}

/** The first size at which the global batch is not a whole number of examples for each part; undefined if there is none. */
export function unevenBatch(
  perDeviceBatchSize: number,
  devicesPerSlice: number,
  meshes: readonly MeshAtSize[],
): UnevenBatch | undefined {
  return meshes
    .map(({ slices, mesh }) => ({
      slices,
      globalBatch: perDeviceBatchSize * devicesPerSlice * slices,
      parts: batchParts(mesh),
    }))
    .find(({ globalBatch, parts }) => !Number.isInteger(globalBatch / parts));
}

/** A batch per device of which every multiple can be divided, at every size, as a fraction to be read: `1/4`. */
export function evenBatchUnit(devicesPerSlice: number, meshes: readonly MeshAtSize[]): string {
  // devices = parts x devices that share their examples; the unit at a size is 1 / (devices that share).
  const shared = meshes.map(({ slices, mesh }) => (devicesPerSlice * slices) / batchParts(mesh));
  const common = shared.reduce(greatestCommonDivisor);
  return common === 1 ? '1' : `1/${String(common)}`;
}
