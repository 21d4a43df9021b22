import { DURATION_RULE, parseDuration } from '../../kubernetes/duration';
import { nestProblems, problem } from '../../problems';
import type { Problem } from '../../problems';
import { usableHbmBytes } from '../compiler';
import { checkKeyValueArguments } from '../key-value-arguments';
import type { TrainerContext } from '../kind';
import { checkSharedPath } from '../shared-path';
import { gib } from '../words';
import { argumentMap } from './arguments';
import { evenBatchUnit, unevenBatch } from './batch';
import type { StateOfModel } from './default-mesh';
import { DEFAULT_BATCH } from './defaults';
import { checkDivision, explainState, stateMemory } from './memory';
import type { StateMemoryInput } from './memory';
import type { MeshAtSize, ResolvedMesh } from './mesh';
import type { Architecture } from './model-catalogue';
import { OWNED_ARGUMENTS } from './owned-arguments';
import { checkPhysicalMesh } from './physical-mesh';
import type { MaxTextTrainerSpec } from './spec';

/** Problems of single options, and of arguments by their form. */
export function checkOptions(spec: MaxTextTrainerSpec, context: TrainerContext): Problem[] {
  const problems: Problem[] = [];
  problems.push(
    ...checkSharedPath('baseOutputDirectory', spec.baseOutputDirectory, context.mounts, 'write'),
    ...checkSharedPath('loadParametersPath', spec.loadParametersPath, context.mounts, 'read'),
  );
  for (const option of ['startDeadline', 'stepTimeout', 'groupStartTimeout', 'resizeInterval'] as const) {
    const value = spec[option];
    if (value !== undefined && parseDuration(value) === undefined) {
      problems.push(problem('TRAINER_DURATION', [option], value, { reason: DURATION_RULE }));
    }
  }
  if (spec.resizeInterval !== undefined && context.slices.min === context.slices.max) {
    problems.push(problem('RESIZE_INTERVAL', ['resizeInterval'], spec.resizeInterval));
  }
  if (spec.checkpointing?.onPreemption === true && spec.checkpointing.enabled === false) {
    problems.push(problem('CHECKPOINT_ON_PREEMPTION', ['checkpointing', 'onPreemption'], true));
  }
  if (spec.checkpointing?.enabled === false && context.slices.min !== context.slices.max) {
    problems.push(problem('CHECKPOINTS_ELASTIC', ['checkpointing', 'enabled'], false));
  }
  if (spec.runName !== undefined && !/^[A-Za-z0-9][-_.A-Za-z0-9]{0,127}$/.test(spec.runName)) {
    problems.push(problem('MAXTEXT_RUN_NAME', ['runName'], spec.runName));
  }
  if (spec.xlaDumpDirectory?.startsWith('/') === false) {
    problems.push(problem('XLA_DUMP_DIRECTORY', ['xlaDumpDirectory'], spec.xlaDumpDirectory));
  }
  problems.push(
    ...nestProblems(['arguments'], checkKeyValueArguments(spec.arguments ?? [], OWNED_ARGUMENTS)),
  );
  return problems;
}

/** The problem of a batch that cannot be divided over the devices. */
export function checkBatch(
  spec: MaxTextTrainerSpec,
  { slice }: TrainerContext,
  meshes: readonly MeshAtSize[],
): Problem[] {
  const value = spec.perDeviceBatchSize ?? DEFAULT_BATCH;
  const unit = evenBatchUnit(slice.devices, meshes);
  const advice = unit === '1' ? 'use a whole number' : `use a multiple of ${unit}`;
  const uneven = unevenBatch(value, slice.devices, meshes);
  if (uneven === undefined) return [];
  const { slices, globalBatch, parts } = uneven;
  const devices = slices === 1 ? String(slice.devices) : `${String(slice.devices)} x ${String(slices)}`;
  return [
    problem('BATCH_UNEVEN', ['perDeviceBatchSize'], value, { value, devices, globalBatch, parts, advice }),
  ];
}

/** The problem of laying the mesh over a slice, which is the same at every size. */
export function checkLayout(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  meshes: readonly MeshAtSize[],
): Problem[] {
  const [first] = meshes;
  const maySplit =
    argumentMap(spec.arguments ?? [])
      .get('allow_split_physical_axes')
      ?.toLowerCase() === 'true';
  return first === undefined || maySplit ? [] : checkPhysicalMesh(first.mesh, context.slice);
}

/** Problems of the model on these devices: axes that do not divide it, a state that cannot fit. */
export function checkArchitecture(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  architecture: Architecture,
  counted: StateOfModel | undefined,
  meshes: readonly MeshAtSize[],
): Problem[] {
  const problems: Problem[] = [];
  for (const { slices, mesh } of meshes) {
    const uneven = checkDivision(architecture, mesh).filter(
      (problem) => !problems.some((known) => known.rule === problem.rule),
    );
    if (uneven.length > 0) {
      problems.push(...uneven);
      continue;
    }
    if (counted === undefined) continue;
    const input: StateMemoryInput = { ...counted, mesh };
    const { leastBytes } = stateMemory(input);
    const hbm = usableHbmBytes(context.slice);
    if (leastBytes <= hbm) continue;
    const size =
      context.slices.min === context.slices.max
        ? ''
        : ` at ${String(slices)} of ${String(context.slices.max)} slices`;
    problems.push(
      problem('MEMORY_STATE', ['model'], spec.model, {
        leastBytes: gib(leastBytes),
        size,
        generation: context.slice.generation,
        hbm: gib(hbm),
        explainState: explainState(input),
        advice: memoryFix(spec, mesh),
      }),
    );
  }
  return problems;
}

function memoryFix(spec: MaxTextTrainerSpec, mesh: ResolvedMesh): string {
  // Every device along data holds a copy of the state; along fsdp they divide it.
  const fixes = [
    ...((mesh.ici.data ?? 1) > 1 ? ['divide the state within a slice: mesh.ici.fsdp instead of data'] : []),
    ...((mesh.dcn.data ?? 1) > 1 ? ['divide the state over slices too (mesh.dcn.fsdp)'] : []),
    ...(spec.weightDtype === 'bfloat16' ? [] : ['set weightDtype: bfloat16']),
    'use a larger topology or more slices',
  ];
  return fixes.join(', or ');
}
