import { usableHbmBytes } from '../compiler';
import { gib } from '../words';
import { checkDivision, stateMemory } from './memory';
import type { StateMemoryInput } from './memory';
import { isProblemList, resolveMesh } from './mesh';
import type { MeshSpec, ResolvedMesh } from './mesh';
import { checkPhysicalMesh } from './physical-mesh';
import type { TrainerContext } from '../kind';

/** A mesh with the axes that nobody gave, and why they are what they are. */
export interface ChosenMesh {
  readonly mesh: MeshSpec;
  /** One clause a family that was left out; none when both were given. */
  readonly reasons: readonly string[];
}

/** Of the state, what does not depend on the mesh. */
export type StateOfModel = Omit<StateMemoryInput, 'mesh'>;

/**
 * Fills in the families that a run leaves out. Within a slice all devices go to fsdp, as MaxText does by itself: its traffic suits the links
 * of a slice, and nothing is held twice. Across slices data comes first, since only gradients cross the slower network then; where state and
 * gradients would not fit so, fsdp divides them over the slices as well. The automatic axis stays automatic, so that an elastic run keeps one.
 *
 * @param state undefined where the size of the model is not known: data then
 */
export function chooseMesh(
  spec: MeshSpec,
  context: Pick<TrainerContext, 'slice' | 'slices'>,
  state: StateOfModel | undefined,
): ChosenMesh {
  const { slice, slices } = context;
  const reasons: string[] = [];
  let given = spec;
  if (Object.keys(spec.ici ?? {}).length === 0) {
    const divided = state === undefined ? undefined : dividingAxes(state.architecture, slice);
    if (divided === undefined) {
      reasons.push(`ici fsdp ${String(slice.devices)}: nothing is held twice within a slice`);
    } else {
      given = { ...spec, ici: divided };
      reasons.push(
        `ici data ${String(divided.data)} x fsdp ${String(divided.fsdp)}: the model's arrays do not divide by ${String(slice.devices)}, and ${String(divided.fsdp)} is the largest part of the slice by which they do`,
      );
    }
  }
  if (slices.max === 1 || Object.keys(given.dcn ?? {}).length > 0) return { mesh: given, reasons };
  const least = state === undefined ? undefined : leastBytes(given, context, state);
  const hbm = usableHbmBytes(slice);
  if (least === undefined || least <= hbm) {
    const known = least === undefined ? '' : `, and ${gib(least)} of state and gradients fit ${gib(hbm)}`;
    return { mesh: given, reasons: [...reasons, `dcn data: only gradients cross the slices${known}`] };
  }
  return {
    mesh: { ...given, dcn: { data: 1, fsdp: -1 } },
    reasons: [
      ...reasons,
      `dcn fsdp: with dcn data a device would hold ${gib(least)} of state and gradients, and it has ${gib(hbm)}`,
    ],
  };
}

/**
 * The ici axes of a slice whose devices do not divide the model's arrays, as a side of 12 never does: fsdp over as many whole dimensions as
 * divide them, data over the rest. Undefined where fsdp over all devices works, or nothing does.
 */
function dividingAxes(
  architecture: StateOfModel['architecture'],
  slice: TrainerContext['slice'],
): { readonly data: number; readonly fsdp: number } | undefined {
  const { devices } = slice;
  const shape = {
    generation: slice.generation,
    topology: slice.topology,
    devicesPerChip: slice.devices / slice.chips,
  };
  const works = (mesh: ResolvedMesh): boolean =>
    checkDivision(architecture, mesh).length === 0 && checkPhysicalMesh(mesh, shape).length === 0;
  if (checkDivision(architecture, { ici: { fsdp: devices }, dcn: {} }).length === 0) return undefined;
  for (let fsdp = Math.floor(devices / 2); fsdp > 1; fsdp--) {
    const axes = { data: devices / fsdp, fsdp };
    if (devices % fsdp === 0 && works({ ici: axes, dcn: {} })) return axes;
  }
  return undefined;
}

/** State and gradients per device when slices are copies of each other; undefined for a mesh that is refused anyway. */
function leastBytes(
  given: MeshSpec,
  { slice, slices }: Pick<TrainerContext, 'slice' | 'slices'>,
  state: StateOfModel,
): number | undefined {
  const mesh = resolveMesh(given, slice.devices, slices.min);
  return isProblemList(mesh) ? undefined : stateMemory({ ...state, mesh }).leastBytes;
}
