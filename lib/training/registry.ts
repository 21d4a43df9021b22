import type { Problem } from '../problems';
import type { TrainerContext, TrainerKindModule } from './kind';
import { MAXTEXT } from './maxtext';
import type { MaxTextPlan, MaxTextTrainerSpec } from './maxtext';
import { TORCHTPU_COLLECTIVES, TORCHTPU_FINETUNE } from './torchtpu';
import type { TorchTpuCollectivesSpec, TorchTpuFinetuneSpec, TorchTpuPlan } from './torchtpu';

/**
 * The trainer and its options.
 * @discriminator kind
 */
export type TrainerSpec = MaxTextTrainerSpec | TorchTpuCollectivesSpec | TorchTpuFinetuneSpec;

/** Everything that follows from a trainer's options. */
export type TrainerPlan =
  MaxTextPlan | TorchTpuPlan<'torchtpu-collectives'> | TorchTpuPlan<'torchtpu-finetune'>;

/** A trainer kind, as written in a run file. */
export type TrainerKind = TrainerSpec['kind'];

type Modules = {
  readonly [Kind in TrainerKind]: TrainerKindModule<
    Extract<TrainerSpec, { readonly kind: Kind }>,
    Extract<TrainerPlan, { readonly kind: Kind }>
  >;
};

/** The kinds; one that is in a union above and not here, or the other way round, does not compile. */
const MODULES: Modules = {
  maxtext: MAXTEXT,
  'torchtpu-collectives': TORCHTPU_COLLECTIVES,
  'torchtpu-finetune': TORCHTPU_FINETUNE,
};

/** The trainer kinds, as written in a run file. */
export const TRAINER_KINDS = Object.keys(MODULES) as readonly TrainerKind[];

/** A kind's module, for whatever spec and plan it made itself. */
export function trainerKind(kind: TrainerKind): TrainerKindModule<TrainerSpec, TrainerPlan> {
  // A spec or plan names its kind, so that the module it reaches is the one it is of.
  return MODULES[kind] as unknown as TrainerKindModule<TrainerSpec, TrainerPlan>;
}

/** Everything that follows from a trainer's options, or every Problem; paths are relative to the trainer. */
export function planTrainer(spec: TrainerSpec, context: TrainerContext): TrainerPlan | Problem[] {
  return trainerKind(spec.kind).plan(spec, context);
}
