import { DURATION_RULE, durationSeconds, parseDuration } from '../kubernetes/duration';
import { nestProblems } from '../problem';
import type { Problem } from '../problem';
import { evenBatchUnit, unevenBatch } from './batch';
import { usableHbmBytes } from './compiler';
import { chooseMesh } from './default-mesh';
import type { ChosenMesh, StateOfModel } from './default-mesh';
import { checkKeyValueArguments } from './key-value-arguments';
import type { MaxTextTrainerSpec } from './maxtext-spec';
import { argumentMap } from './maxtext-arguments';
import { checkDivision, explainState, gib, stateMemory, uncountedState } from './memory';
import type { StateMemoryInput } from './memory';
import { MESH_AXES, isProblemList, maxtextMeshArguments, meshArgument, resolveMeshes } from './mesh';
import type { MeshAtSize, ResolvedMesh } from './mesh';
import { resolveModel } from './model';
import type { Model } from './model';
import type { Architecture } from './model-catalogue';
import { parameterCount } from './parameter-count';
import { checkPhysicalMesh } from './physical-mesh';
import { checkSharedPath } from './shared-path';
import { TRAINER_MODULES, environmentFlags, pythonModule } from './trainer';
import type { MaxTextFacts, MemoryAtSize, TrainerContext, TrainerPlan, TrainerWarning } from './trainer';

/** MaxText's own defaults of options that enter arithmetic. */
const DEFAULT_BATCH = 1;
const DEFAULT_LENGTH = 2048;
/**
 * Attempts to start the workers. Ray makes one about every two minutes, so that the start deadline ends a run first and
 * a host that is repaired in half an hour does not.
 */
const CONTROLLER_FAILURE_LIMIT = '60';

const DEFAULT_CHECKPOINT_PERIOD = 10_000;

/** MaxText argument -> the option that sets it. `arguments` may not repeat one. */
const OWNED_ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['model_name', 'model'],
  ['steps', 'steps'],
  ['base_output_directory', 'baseOutputDirectory'],
  ['run_name', 'runName'],
  ['per_device_batch_size', 'perDeviceBatchSize'],
  ['max_target_length', 'maxTargetLength'],
  ['dataset_type', 'datasetType'],
  ['weight_dtype', 'weightDtype'],
  ['mu_dtype', 'muDtype'],
  ['remat_policy', 'rematPolicy'],
  ['enable_checkpointing', 'checkpointing.enabled'],
  ['checkpoint_period', 'checkpointing.period'],
  ['max_num_checkpoints_to_keep', 'checkpointing.keep'],
  ['load_parameters_path', 'loadParametersPath'],
  ['enable_autocheckpoint', 'checkpointing.onPreemption'],
  ['jax_cache_dir', 'compilationCache'],
  ['profiler', 'profile'],
  ['profiler_steps', 'profile.steps'],
  ['skip_first_n_steps_for_profiler', 'profile.skip'],
  ['compile_topology', 'tpu'],
  ['compile_topology_num_slices', 'tpu.slices'],
  ['hardware', 'the trainer kind'],
  ['skip_jax_distributed_system', 'Ray, which starts jax.distributed itself'],
  ...(['ici', 'dcn'] as const).flatMap((family) =>
    MESH_AXES.map((axis): [string, string] => [meshArgument(family, axis), `mesh.${family}.${axis}`]),
  ),
]);

/** Everything that follows from the options of a MaxText trainer, or every Problem; paths are relative to it. */
export function planMaxText(spec: MaxTextTrainerSpec, context: TrainerContext): TrainerPlan | Problem[] {
  const problems = checkOptions(spec, context);
  const model = resolveModel(spec.model, spec.arguments ?? []);
  if (isProblemList(model)) problems.push(...model);
  const architecture = isProblemList(model) ? undefined : model.architecture;
  const counted = countedState(spec, architecture);
  const chosen = chooseMesh(spec.mesh ?? {}, context, counted);
  const meshes = resolveMeshes(chosen.mesh, context.slice.devices, context.slices);
  if (isProblemList(meshes)) problems.push(...nestProblems('mesh', meshes));
  if (isProblemList(model) || isProblemList(meshes)) return problems;
  problems.push(
    ...nestProblems('mesh', checkLayout(spec, context, meshes)),
    ...checkBatch(spec, context, meshes),
  );
  if (architecture !== undefined) {
    problems.push(...checkArchitecture(spec, context, architecture, counted, meshes));
  }
  if (problems.length > 0) return problems;
  const facts = describe(spec, context, architecture, counted, chosen, meshes);
  return {
    kind: 'maxtext',
    module: TRAINER_MODULES.maxtext,
    command: commandOf(spec, context, facts.arguments),
    // JAX takes a whole host for one process, whatever the devices per chip.
    workers: {
      perSlice: context.slice.hosts,
      tpuPerWorker: context.slice.chipsPerHost,
      min: context.slices.min * context.slice.hosts,
      max: context.slices.max * context.slice.hosts,
    },
    tpuResourcePerChip: 1,
    workerEnvironment: {
      JAX_PLATFORMS: context.slices.max > 1 ? 'tpu,cpu' : 'tpu',
      ENABLE_PJRT_COMPATIBILITY: 'true',
    },
    maxtext: facts,
    warnings: warningsOf(spec, context, model),
  };
}

function checkOptions(spec: MaxTextTrainerSpec, context: TrainerContext): Problem[] {
  const problems: Problem[] = [];
  problems.push(
    ...checkSharedPath('baseOutputDirectory', spec.baseOutputDirectory, context.mounts, 'write'),
    ...checkSharedPath('loadParametersPath', spec.loadParametersPath, context.mounts, 'read'),
  );
  for (const option of ['startDeadline', 'stepTimeout', 'groupStartTimeout', 'resizeInterval'] as const) {
    const value = spec[option];
    if (value !== undefined && parseDuration(value) === undefined) {
      problems.push({ path: option, value, rule: DURATION_RULE, fix: 'write it as in 60m' });
    }
  }
  if (spec.resizeInterval !== undefined && context.slices.min === context.slices.max) {
    problems.push({
      path: 'resizeInterval',
      value: spec.resizeInterval,
      rule: 'only an elastic run looks for more slices',
      fix: 'remove it, or write tpu.slices as {min, max}',
    });
  }
  if (spec.checkpointing?.onPreemption === true && spec.checkpointing.enabled === false) {
    problems.push({
      path: 'checkpointing.onPreemption',
      value: true,
      rule: 'without checkpoints there is none to save before a host is taken away',
      fix: 'remove it, or checkpointing.enabled: false',
    });
  }
  if (spec.runName !== undefined && !/^[A-Za-z0-9][-_.A-Za-z0-9]{0,127}$/.test(spec.runName)) {
    problems.push({
      path: 'runName',
      value: spec.runName,
      rule: 'a folder of letters, digits, dashes, underscores and dots, at most 128 characters',
      fix: 'leave it out for the name of the run',
    });
  }
  if (spec.xlaDumpDirectory?.startsWith('/') === false) {
    problems.push({
      path: 'xlaDumpDirectory',
      value: spec.xlaDumpDirectory,
      rule: 'an absolute path in the pod',
      fix: 'write it as in /tmp/xla_dump',
    });
  }
  problems.push(...nestProblems('arguments', checkKeyValueArguments(spec.arguments ?? [], OWNED_ARGUMENTS)));
  return problems;
}

/** The problem of a batch that cannot be divided over the devices. */
function checkBatch(
  spec: MaxTextTrainerSpec,
  { slice }: TrainerContext,
  meshes: readonly MeshAtSize[],
): Problem[] {
  const value = spec.perDeviceBatchSize ?? DEFAULT_BATCH;
  const unit = evenBatchUnit(slice.devices, meshes);
  const fix = unit === '1' ? 'use a whole number' : `use a multiple of ${unit}`;
  const uneven = unevenBatch(value, slice.devices, meshes);
  if (uneven === undefined) return [];
  const { slices, globalBatch, parts } = uneven;
  const devices = slices === 1 ? String(slice.devices) : `${String(slice.devices)} x ${String(slices)}`;
  return [
    {
      path: 'perDeviceBatchSize',
      value,
      rule: `a step's examples are divided evenly over the mesh axes data, fsdp, fsdp_transpose and expert, and ${String(value)} x ${devices} devices = ${String(globalBatch)} examples are not a multiple of ${String(parts)}`,
      fix,
    },
  ];
}

/** The problem of laying the mesh over a slice, which is the same at every size. */
function checkLayout(
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
function checkArchitecture(
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
    problems.push({
      path: 'model',
      value: spec.model,
      rule: `state and gradients need ${gib(leastBytes)} per device${size}, and a ${context.slice.generation} device has ${gib(hbm)} for a program: ${explainState(input)}`,
      fix: memoryFix(spec, mesh),
    });
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

/** What the size of the state follows from, where it can be counted: the model is known, and no argument adds to it. */
function countedState(
  spec: MaxTextTrainerSpec,
  architecture: Architecture | undefined,
): StateOfModel | undefined {
  if (architecture === undefined || uncountedState(spec.arguments ?? []) !== undefined) return undefined;
  return {
    architecture,
    weightDtype: spec.weightDtype ?? 'float32',
    ...(spec.muDtype === undefined ? {} : { muDtype: spec.muDtype }),
  };
}

function describe(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  architecture: Architecture | undefined,
  counted: StateOfModel | undefined,
  chosen: ChosenMesh,
  meshes: readonly MeshAtSize[],
): MaxTextFacts {
  const memory: MemoryAtSize[] =
    counted === undefined
      ? []
      : meshes.map(({ slices, mesh }) => ({ slices, state: stateMemory({ ...counted, mesh }) }));
  const batchPerSlice = (spec.perDeviceBatchSize ?? DEFAULT_BATCH) * context.slice.devices;
  return {
    model: spec.model,
    arguments: argumentsOf(spec, context, chosen),
    parameters: architecture === undefined ? undefined : parameterCount(architecture),
    meshes,
    meshReasons: chosen.reasons,
    memory,
    globalBatch: { min: batchPerSlice * context.slices.min, max: batchPerSlice * context.slices.max },
  };
}

/** MaxText's arguments, typed options first, in a fixed order. */
function argumentsOf(spec: MaxTextTrainerSpec, context: TrainerContext, chosen: ChosenMesh): string[] {
  const { checkpointing } = spec;
  const optional: [string, string | number | boolean | undefined][] = [
    ['weight_dtype', spec.weightDtype],
    ['mu_dtype', spec.muDtype],
    ['remat_policy', spec.rematPolicy],
    ['enable_checkpointing', checkpointing?.enabled],
    ['checkpoint_period', checkpointing?.period],
    ['max_num_checkpoints_to_keep', checkpointing?.keep],
    ['load_parameters_path', spec.loadParametersPath],
    ['jax_cache_dir', spec.compilationCache],
  ];
  return [
    `base_output_directory=${spec.baseOutputDirectory}`,
    `dataset_type=${spec.datasetType ?? 'synthetic'}`,
    `per_device_batch_size=${String(spec.perDeviceBatchSize ?? DEFAULT_BATCH)}`,
    `max_target_length=${String(spec.maxTargetLength ?? DEFAULT_LENGTH)}`,
    `model_name=${spec.model}`,
    `steps=${String(spec.steps)}`,
    ...maxtextMeshArguments(chosen.mesh),
    `run_name=${spec.runName ?? context.runName}`,
    ...optional.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${String(value)}`])),
    ...(spec.arguments ?? []),
  ];
}

function commandOf(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  maxtextArguments: readonly string[],
): string[] {
  const { slice, slices } = context;
  const maxFailures = String(spec.maxFailures ?? 3);
  return pythonModule(TRAINER_MODULES.maxtext, [
    '--run',
    context.runName,
    '--topology',
    slice.topology,
    '--accelerator-type',
    slice.rayAcceleratorType,
    '--min-workers',
    String(slices.min * slice.hosts),
    '--max-workers',
    String(slices.max * slice.hosts),
    '--workers-per-slice',
    String(slice.hosts),
    '--tpu-per-worker',
    String(slice.chipsPerHost),
    '--devices-per-worker',
    String(slice.devicesPerHost),
    '--max-failures',
    maxFailures,
    '--controller-failure-limit',
    CONTROLLER_FAILURE_LIMIT,
    '--start-deadline',
    durationSeconds(spec.startDeadline ?? '60m'),
    '--step-timeout',
    durationSeconds(spec.stepTimeout ?? '30m'),
    ...durationFlag('--group-start-timeout', spec.groupStartTimeout),
    ...durationFlag('--resize-interval', spec.resizeInterval),
    ...(spec.profile === undefined
      ? []
      : ['--profile-steps', `${String(spec.profile.skip)}:${String(spec.profile.steps)}`]),
    ...(spec.checkpointing?.onPreemption === true ? ['--checkpoint-on-preemption'] : []),
    ...environmentFlags({
      ...(spec.xlaDumpDirectory === undefined
        ? {}
        : { XLA_FLAGS: `--xla_dump_to=${spec.xlaDumpDirectory} --xla_dump_hlo_as_proto` }),
      ...spec.env,
    }),
    '--',
    ...maxtextArguments,
  ]);
}

/** A time the trainer has a default for. */
function durationFlag(flag: string, value: string | undefined): string[] {
  return value === undefined ? [] : [flag, durationSeconds(value)];
}

function warningsOf(spec: MaxTextTrainerSpec, context: TrainerContext, model: Model): TrainerWarning[] {
  const warnings: TrainerWarning[] = [];
  const directory = spec.baseOutputDirectory;
  const flat = context.flatBucketMounts.some(
    (mount) => directory === mount || directory.startsWith(`${mount}/`),
  );
  const checkpoints = spec.checkpointing?.enabled !== false;
  if (checkpoints && flat) {
    warnings.push({
      path: 'baseOutputDirectory',
      message:
        'checkpoint libraries commit by renaming a folder, which a bucket without hierarchical namespace cannot do behind GCS FUSE: use gs://… or a bucket with hierarchicalNamespace',
    });
  }
  const period = spec.checkpointing?.period ?? DEFAULT_CHECKPOINT_PERIOD;
  const elastic = context.slices.min !== context.slices.max;
  if (checkpoints && period >= spec.steps && (elastic || spec.steps > DEFAULT_CHECKPOINT_PERIOD / 10)) {
    warnings.push({
      path: 'checkpointing.period',
      message: `a checkpoint every ${String(period)} steps means none before step ${String(spec.steps)}: after a lost ${elastic ? 'slice' : 'worker'} training begins again at 0`,
    });
  }
  if (model.uncounted !== undefined) {
    warnings.push({
      path: 'model',
      message: `memory of ${spec.model} is not estimated: ${model.uncounted}; run the compile check`,
    });
  }
  const uncounted = uncountedState(spec.arguments ?? []);
  if (uncounted !== undefined) {
    warnings.push({
      path: 'arguments',
      message: `memory is not estimated: ${uncounted}; run the compile check`,
    });
  }
  return warnings;
}
