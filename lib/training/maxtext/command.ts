import { durationSeconds } from '../../kubernetes/duration';
import { environmentFlags, startDeadlineFlags, trainerCommand } from '../kind';
import type { TrainerContext } from '../kind';
import type { MaxTextTrainerSpec } from './spec';

/** Python module that trains with MaxText. */
export const MAXTEXT_MODULE = 'tpu_trainers.maxtext';

/**
 * Attempts to start the workers. Ray makes one about every two minutes, so that the start deadline ends a run first and
 * a host that is repaired in half an hour does not.
 */
const CONTROLLER_FAILURE_LIMIT = '60';

/** Options that `commandOf` may write. */
export const PROGRAM_OPTIONS = [
  'run',
  'topology',
  'accelerator-type',
  'min-workers',
  'max-workers',
  'workers-per-slice',
  'tpu-per-worker',
  'devices-per-worker',
  'max-failures',
  'controller-failure-limit',
  'start-deadline',
  'step-timeout',
  'group-start-timeout',
  'resize-interval',
  'profile-steps',
  'checkpoint-on-preemption',
  'env',
] as const;

/** The command line of the trainer: its own options, then `--` and MaxText's arguments. */
export function commandOf(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  maxtextArguments: readonly string[],
): string[] {
  const { slice, slices } = context;
  const maxFailures = String(spec.maxFailures ?? 3);
  return trainerCommand(MAXTEXT_MODULE, context, [
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
    ...startDeadlineFlags(spec.startDeadline),
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
