import { DURATION_RULE, parseDuration } from '../../kubernetes/duration';
import { problem } from '../../problems';
import type { Problem } from '../../problems';
import { environmentFlags, startDeadlineFlags, trainerCommand } from '../kind';
import type { TrainerContext, TrainerKindModule, TrainerPlanBase } from '../kind';
import { checkTorchTpuArguments } from './options';
import type { ProgramOptions } from './options';
import type { TorchTpuSpec } from './spec';

/** First Ray whose TorchTrainer sets MEGASCALE_* for several slices. @see https://github.com/ray-project/ray/pull/66055 */
const TORCHTPU_MULTISLICE_RAY_VERSION = '2.60.0';

/** Everything that follows from the options of a TorchTPU trainer: no more than every kind has. */
export interface TorchTpuPlan<
  Kind extends TorchTpuSpec['kind'] = TorchTpuSpec['kind'],
> extends TrainerPlanBase {
  readonly kind: Kind;
}

/** One of the TorchTPU kinds. */
export interface TorchTpuProgram<Spec extends TorchTpuSpec> {
  readonly kind: Spec['kind'];
  readonly module: string;
  readonly options: ProgramOptions;
  /** Problems of options that only this kind has. */
  check(spec: Spec, context: TrainerContext): Problem[];
  /** Flags that only this kind has. */
  flags(spec: Spec): string[];
}

/** The module of a TorchTPU kind. */
export function torchTpuKind<Spec extends TorchTpuSpec>(
  program: TorchTpuProgram<Spec>,
): TrainerKindModule<Spec, TorchTpuPlan<Spec['kind']>> {
  return {
    kind: program.kind,
    module: program.module,
    image: { folder: 'torchtpu', tag: '0.2.0' },
    programOptions: [...Object.keys(program.options.owned), ...Object.keys(program.options.free)],
    checkEnvironment: () => [],
    plan: (spec, context) => plan(program, spec, context),
    summary: () => [],
    document: () => ({ trainer: {}, run: {} }),
    compiled: undefined,
  };
}

/** What both kinds have in common: one process per logical device of one slice, since Ray counts devices here, not chips. */
function plan<Spec extends TorchTpuSpec>(
  program: TorchTpuProgram<Spec>,
  spec: Spec,
  context: TrainerContext,
): TorchTpuPlan<Spec['kind']> | Problem[] {
  const problems = [
    ...checkOneSlice(context),
    ...checkDurations(spec),
    ...checkTorchTpuArguments(program.kind, program.options, spec.arguments ?? []),
    ...program.check(spec, context),
  ];
  if (problems.length > 0) return problems;
  const { slice } = context;
  return {
    kind: program.kind,
    module: program.module,
    command: trainerCommand(program.module, context, [
      '--workers',
      String(slice.devices),
      '--hosts',
      String(slice.hosts),
      '--tpu-per-worker',
      '1',
      ...program.flags(spec),
      ...startDeadlineFlags(spec.startDeadline),
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
    problem('TORCHTPU_SLICES', ['kind'], `TorchTPU on ${String(slices.max)} slices`, {
      minimum: TORCHTPU_MULTISLICE_RAY_VERSION,
      rayVersion,
    }),
  ];
}

function checkDurations(spec: { readonly startDeadline?: string }): Problem[] {
  if (spec.startDeadline === undefined || parseDuration(spec.startDeadline) !== undefined) return [];
  return [problem('TRAINER_DURATION', ['startDeadline'], spec.startDeadline, { reason: DURATION_RULE })];
}
