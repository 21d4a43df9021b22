import { DURATION_RULE, durationSeconds, parseDuration } from '../kubernetes/duration';
import type { Problem } from '../problem';
import { greatestCommonDivisor } from './greatest-common-divisor';
import { checkSharedPath } from './shared-path';
import { checkTorchTpuArguments } from './torchtpu-options';
import type { TorchTpuCollectivesSpec, TorchTpuFinetuneSpec } from './torchtpu-spec';
import { TRAINER_MODULES, environmentFlags, pythonModule } from './trainer';
import type { TrainerContext, TrainerPlan } from './trainer';

/** First Ray with RAY_TPU_RESOURCE_PER_CHIP and the backend tpu_dist. @see https://github.com/ray-project/ray/pull/64058 */
export const TORCHTPU_RAY_VERSION = '2.58.0';

/** First Ray whose TorchTrainer sets MEGASCALE_* for several slices. @see https://github.com/ray-project/ray/pull/66055 */
const TORCHTPU_MULTISLICE_RAY_VERSION = '2.60.0';

/** The first matrix of the feed-forward block has so many columns for each row. */
const COLUMNS_PER_ROW = 4;

/** Plan of the collectives check, or every Problem; paths are relative to the trainer. */
export function planTorchTpuCollectives(
  spec: TorchTpuCollectivesSpec,
  context: TrainerContext,
): TrainerPlan | Problem[] {
  const size = spec.matrixSize ?? 1024;
  const problems: Problem[] =
    (COLUMNS_PER_ROW * size) % context.slice.devices === 0
      ? []
      : [
          {
            path: 'matrixSize',
            value: size,
            rule: `the ${String(COLUMNS_PER_ROW)} x matrixSize columns are divided over the ${String(context.slice.devices)} devices of the slice`,
            fix: `use a multiple of ${String(context.slice.devices / greatestCommonDivisor(COLUMNS_PER_ROW, context.slice.devices))}`,
          },
        ];
  return plan(spec, context, problems, ['--matrix-size', String(size)]);
}

/** Plan of the fine-tune, or every Problem; paths are relative to the trainer. */
export function planTorchTpuFinetune(
  spec: TorchTpuFinetuneSpec,
  context: TrainerContext,
): TrainerPlan | Problem[] {
  const problems = checkSharedPath('storagePath', spec.storagePath, context.mounts, 'write');
  for (const option of ['model', 'dataset'] as const) {
    const value = spec[option];
    // Anything else is a name on the hub.
    if (value?.startsWith('/') === true || value?.startsWith('gs://') === true) {
      problems.push(...checkSharedPath(option, value, context.mounts, 'read'));
    }
  }
  return plan(spec, context, problems, [
    '--model',
    spec.model ?? 'google/gemma-4-E2B-it',
    '--dataset',
    spec.dataset ?? 'databricks/databricks-dolly-15k',
    '--storage-path',
    spec.storagePath,
    '--epochs',
    String(spec.epochs ?? 3),
    '--per-device-batch-size',
    String(spec.perDeviceBatchSize ?? 4),
    '--learning-rate',
    String(spec.learningRate ?? 2e-5),
    '--max-length',
    String(spec.maxLength ?? 512),
    '--rows',
    String(spec.rows ?? 1024),
    '--max-failures',
    String(spec.maxFailures ?? 3),
  ]);
}

/** What both kinds have in common: one process per logical device of one slice, since Ray counts devices here, not chips. */
function plan(
  spec: TorchTpuCollectivesSpec | TorchTpuFinetuneSpec,
  context: TrainerContext,
  ownProblems: readonly Problem[],
  ownFlags: readonly string[],
): TrainerPlan | Problem[] {
  const problems = [
    ...checkOneSlice(context),
    ...checkDurations(spec),
    ...checkTorchTpuArguments(spec.kind, spec.arguments ?? []),
    ...ownProblems,
  ];
  if (problems.length > 0) return problems;
  const { slice } = context;
  return {
    kind: spec.kind,
    module: TRAINER_MODULES[spec.kind],
    command: pythonModule(TRAINER_MODULES[spec.kind], [
      '--run',
      context.runName,
      '--topology',
      slice.topology,
      '--accelerator-type',
      slice.rayAcceleratorType,
      '--workers',
      String(slice.devices),
      '--hosts',
      String(slice.hosts),
      '--tpu-per-worker',
      '1',
      ...ownFlags,
      '--start-deadline',
      durationSeconds(spec.startDeadline ?? '60m'),
      ...environmentFlags(spec.env),
      ...(spec.arguments ?? []),
    ]),
    workers: { perSlice: slice.devices, tpuPerWorker: 1, min: slice.devices, max: slice.devices },
    tpuResourcePerChip: slice.devicesPerChip,
    workerEnvironment: {},
    headCpus: 0,
    warnings: [],
  };
}

function checkOneSlice({ slices, rayVersion }: TrainerContext): Problem[] {
  if (slices.max === 1) return [];
  return [
    {
      path: 'kind',
      value: `TorchTPU on ${String(slices.max)} slices`,
      rule: `TorchTPU runs are of one slice: Ray's TorchTrainer coordinates several only from ${TORCHTPU_MULTISLICE_RAY_VERSION} on (the run says ${rayVersion}), and this trainer shards the model over the devices of one`,
      fix: 'set tpu.slices: 1 with a larger topology, or use the trainer kind maxtext',
    },
  ];
}

function checkDurations(spec: { readonly startDeadline?: string }): Problem[] {
  if (spec.startDeadline === undefined || parseDuration(spec.startDeadline) !== undefined) return [];
  return [
    { path: 'startDeadline', value: spec.startDeadline, rule: DURATION_RULE, fix: 'write it as in 60m' },
  ];
}
