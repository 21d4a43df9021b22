import type { TrainerContext, TrainerWarning } from '../kind';
import { DEFAULT_CHECKPOINT_PERIOD } from './defaults';
import { uncountedState } from './memory';
import type { Model } from './model';
import { MAXTEXT_VERSION } from './options';
import type { MaxTextTrainerSpec } from './spec';

/** Things that work but cost something. */
export function warningsOf(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  model: Model,
): TrainerWarning[] {
  const warnings: TrainerWarning[] = [];
  const directory = spec.baseOutputDirectory;
  const flat = context.flatBucketMounts.some(
    (mount) => directory === mount || directory.startsWith(`${mount}/`),
  );
  const checkpoints = spec.checkpointing?.enabled !== false;
  if (checkpoints && flat) {
    warnings.push({
      path: ['baseOutputDirectory'],
      message:
        'checkpoint libraries commit by renaming a folder, which a bucket without hierarchical namespace cannot do behind GCS FUSE: use gs://… or a bucket with hierarchicalNamespace',
    });
  }
  const period = spec.checkpointing?.period ?? DEFAULT_CHECKPOINT_PERIOD;
  const elastic = context.slices.min !== context.slices.max;
  if (checkpoints && period >= spec.steps && (elastic || spec.steps > DEFAULT_CHECKPOINT_PERIOD / 10)) {
    warnings.push({
      path: ['checkpointing', 'period'],
      message: `a checkpoint every ${String(period)} steps means none before step ${String(spec.steps)}: after a lost ${elastic ? 'slice' : 'worker'} training begins again at 0`,
    });
  }
  if (model.uncounted !== undefined) {
    warnings.push({
      path: ['model'],
      message: `memory of ${spec.model} is not estimated: ${model.uncounted}; run the compile check`,
    });
  }
  if (spec.unchecked !== undefined && spec.unchecked.length > 0) {
    warnings.push({
      path: ['unchecked'],
      message: `not checked against MaxText ${MAXTEXT_VERSION}: ${spec.unchecked.join(', ')}; MaxText itself judges them when the run starts`,
    });
  }
  const uncounted = uncountedState(spec.arguments ?? []);
  if (uncounted !== undefined) {
    warnings.push({
      path: ['arguments'],
      message: `memory is not estimated: ${uncounted}; run the compile check`,
    });
  }
  return warnings;
}
