import type { Problem } from '../problem';
import { planMaxText } from './maxtext-plan';
import { isRayVersionAtLeast } from './ray-version';
import { TORCHTPU_RAY_VERSION, planTorchTpuCollectives, planTorchTpuFinetune } from './torchtpu-plan';
import type { TrainerContext, TrainerPlan } from './trainer';
import type { TrainerSpec } from './trainer-spec';

/** Everything that follows from a trainer's options, or every Problem; paths are relative to the trainer. */
export function planTrainer(spec: TrainerSpec, context: TrainerContext): TrainerPlan | Problem[] {
  if (spec.kind === 'maxtext') return planMaxText(spec, context);
  const planned =
    spec.kind === 'torchtpu-collectives'
      ? planTorchTpuCollectives(spec, context)
      : planTorchTpuFinetune(spec, context);
  if (isRayVersionAtLeast(context.rayVersion, TORCHTPU_RAY_VERSION)) return planned;
  const tooOld: Problem = {
    path: 'kind',
    value: spec.kind,
    rule: `TorchTPU needs Ray ${TORCHTPU_RAY_VERSION}, and the run says ${context.rayVersion}`,
    fix: 'use an image with a newer Ray and set ray.version',
  };
  return Array.isArray(planned) ? [...planned, tooOld] : [tooOld];
}
