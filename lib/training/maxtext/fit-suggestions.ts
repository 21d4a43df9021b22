import type { TpuSlice } from '../../tpu';
import { unevenBatch } from './batch';
import { argumentMap, meshOfArguments, stateOfArguments } from './arguments';
import { checkDivision } from './memory';
import { isProblemList, resolveMeshes } from './mesh';
import { resolveModel, splitArgument } from './model';
import { checkPhysicalMesh } from './physical-mesh';

/** A run that does not fit, by MaxText's arguments. */
export interface FitInput {
  readonly maxtextArguments: readonly string[];
  readonly slice: TpuSlice;
  readonly slices: { readonly min: number; readonly max: number };
  /** What the compiler may use of a device's memory. */
  readonly usableBytes: number;
}

/** A change that may make a run fit. */
export interface FitSuggestion {
  /** The change in the words of a run file, relative to the trainer. */
  readonly title: string;
  /** All arguments with the change. */
  readonly maxtextArguments: readonly string[];
}

/** Arguments to set, and how the run file says so. */
interface Change {
  readonly title: string;
  readonly set: Readonly<Record<string, string>>;
}

/** MaxText's `per_device_batch_size` where it is not given. */
const DEFAULT_BATCH = 12;

/** Tensor parallelism worth a try: wider splits attention heads too finely for most models. */
const TENSOR_PARALLELISM = 4;

/**
 * What to try, in order: a smaller batch, another mesh, smaller moments, smaller weights, more recomputation, then these
 * together. What MaxText would refuse and what cannot fit by the size of its state alone is left out.
 */
export function suggestFits(input: FitInput): FitSuggestion[] {
  const given = argumentMap(input.maxtextArguments);
  const single = [
    ...batchChanges(given, input),
    ...meshChanges(given, input),
    ...dtypeChanges(given),
    ...rematChanges(given),
  ];
  const smallestTypes = dtypeChanges(given).at(-1);
  const combined = [smallestTypes, meshChanges(given, input)[0], batchChanges(given, input)[0]].filter(
    (change) => change !== undefined,
  );
  const together = combined.slice(1).map((_, index) => join(combined.slice(0, index + 2)));
  return [...single, ...together]
    .map(({ title, set }) => ({ title, maxtextArguments: withArguments(input.maxtextArguments, set) }))
    .filter((suggestion) => mayFit({ ...input, maxtextArguments: suggestion.maxtextArguments }));
}

function batchChanges(given: ReadonlyMap<string, string>, input: FitInput): Change[] {
  const batch = Number(given.get('per_device_batch_size') ?? DEFAULT_BATCH);
  return [batch / 2, batch / 4]
    .filter((smaller) => dividesOverDevices(smaller, given, input))
    .map((smaller) => ({
      title: `perDeviceBatchSize: ${String(smaller)}`,
      set: { per_device_batch_size: String(smaller) },
    }));
}

/** Whether the global batch is a whole number of examples for each device that has its own, at every size. */
function dividesOverDevices(batch: number, given: ReadonlyMap<string, string>, input: FitInput): boolean {
  const meshes = resolveMeshes(meshOfArguments(given), input.slice.devices, input.slices);
  if (isProblemList(meshes)) return false;
  return unevenBatch(batch, input.slice.devices, meshes) === undefined;
}

function meshChanges(given: ReadonlyMap<string, string>, input: FitInput): Change[] {
  const mesh = meshOfArguments(given);
  const changes: Change[] = [];
  const copiesState = input.slices.max > 1 && (mesh.dcn?.data ?? -1) !== 1;
  if (copiesState) {
    changes.push({
      title: 'mesh.dcn: {data: 1, fsdp: -1}',
      set: { dcn_data_parallelism: '1', dcn_fsdp_parallelism: '-1' },
    });
  }
  if ((mesh.ici?.tensor ?? 1) === 1 && input.slice.devices % TENSOR_PARALLELISM === 0) {
    changes.push({
      title: `mesh.ici: {fsdp: -1, tensor: ${String(TENSOR_PARALLELISM)}}`,
      set: { ici_fsdp_parallelism: '-1', ici_tensor_parallelism: String(TENSOR_PARALLELISM) },
    });
  }
  return changes;
}

function dtypeChanges(given: ReadonlyMap<string, string>): Change[] {
  const weights = given.get('weight_dtype') ?? 'float32';
  const moment = given.get('mu_dtype') ?? weights;
  const changes: Change[] = [];
  if (moment === 'float32') changes.push({ title: 'muDtype: bfloat16', set: { mu_dtype: 'bfloat16' } });
  if (weights === 'float32') {
    changes.push({
      title: 'weightDtype: bfloat16, muDtype: bfloat16',
      set: { weight_dtype: 'bfloat16', mu_dtype: 'bfloat16' },
    });
  }
  return changes;
}

function rematChanges(given: ReadonlyMap<string, string>): Change[] {
  const policy = given.get('remat_policy') ?? 'full';
  return policy === 'full' ? [] : [{ title: 'rematPolicy: full', set: { remat_policy: 'full' } }];
}

function join(changes: readonly Change[]): Change {
  return {
    title: changes.map((change) => change.title).join(', '),
    set: Object.assign({}, ...changes.map((change) => change.set)) as Record<string, string>,
  };
}

function withArguments(entries: readonly string[], set: Readonly<Record<string, string>>): string[] {
  const kept = entries.filter((text) => !Object.hasOwn(set, splitArgument(text)[0]));
  return [...kept, ...Object.entries(set).map(([key, value]) => `${key}=${value}`)];
}

/** Whether MaxText would take the arguments and the state alone leaves room, at every size. */
function mayFit({ maxtextArguments, slice, slices, usableBytes }: FitInput): boolean {
  const given = argumentMap(maxtextArguments);
  const meshes = resolveMeshes(meshOfArguments(given), slice.devices, slices);
  const model = resolveModel(given.get('model_name') ?? 'default', maxtextArguments);
  if (isProblemList(meshes) || isProblemList(model)) return false;
  const maySplit = given.get('allow_split_physical_axes')?.toLowerCase() === 'true';
  return meshes.every(
    ({ mesh }) =>
      (maySplit || checkPhysicalMesh(mesh, slice).length === 0) &&
      (model.architecture === undefined || checkDivision(model.architecture, mesh).length === 0) &&
      (stateOfArguments(maxtextArguments, mesh)?.leastBytes ?? 0) <= usableBytes,
  );
}
