import type { MaxTextTrainerSpec } from './maxtext-spec';
import type { TorchTpuCollectivesSpec, TorchTpuFinetuneSpec } from './torchtpu-spec';

/**
 * The trainer and its options.
 * @discriminator kind
 */
export type TrainerSpec = MaxTextTrainerSpec | TorchTpuCollectivesSpec | TorchTpuFinetuneSpec;
