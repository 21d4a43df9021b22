import type { Problem } from '../../problems';
import type { TrainerContext } from '../kind';
import { checkSharedPath } from '../shared-path';
import { COUNT, OWNED_BY_ALL, POSITIVE_COUNT, SECONDS, SEED } from './options';
import type { ProgramOptions } from './options';
import { torchTpuKind } from './plan';
import type { TorchTpuFinetuneSpec } from './spec';

/** Options of the program, and who sets them. */
export const FINETUNE_OPTIONS: ProgramOptions = {
  owned: {
    ...OWNED_BY_ALL,
    dataset: 'dataset',
    epochs: 'epochs',
    'learning-rate': 'learningRate',
    'max-failures': 'maxFailures',
    'max-length': 'maxLength',
    model: 'model',
    'per-device-batch-size': 'perDeviceBatchSize',
    rows: 'rows',
    'storage-path': 'storagePath',
  },
  free: {
    'checkpoint-every': COUNT,
    'controller-failure-limit': COUNT,
    'group-start-timeout': SECONDS,
    'keep-checkpoints': POSITIVE_COUNT,
    seed: SEED,
    split: { type: 'text' },
    'step-timeout': SECONDS,
    template: { type: 'text' },
    'weight-decay': { type: 'number', minimum: 0 },
    'weight-dtype': { type: 'choice', choices: ['bfloat16', 'float32'] },
  },
};

/** TorchTPU's fine-tune: Ray Train, FSDP2. */
export const TORCHTPU_FINETUNE = torchTpuKind<TorchTpuFinetuneSpec>({
  kind: 'torchtpu-finetune',
  module: 'tpu_trainers.torchtpu_finetune',
  options: FINETUNE_OPTIONS,
  check: checkPaths,
  flags: (spec) => [
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
  ],
});

function checkPaths(spec: TorchTpuFinetuneSpec, { mounts }: TrainerContext): Problem[] {
  const problems = checkSharedPath('storagePath', spec.storagePath, mounts, 'write');
  for (const option of ['model', 'dataset'] as const) {
    const value = spec[option];
    // Anything else is a name on the hub.
    if (value?.startsWith('/') === true || value?.startsWith('gs://') === true) {
      problems.push(...checkSharedPath(option, value, mounts, 'read'));
    }
  }
  return problems;
}
