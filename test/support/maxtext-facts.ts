import type { MaxTextFacts, TrainerPlan } from '../../lib/training';

/** What only MaxText runs have; fails on a plan of another kind. */
export function maxTextOf(plan: TrainerPlan | undefined): MaxTextFacts {
  if (plan?.kind !== 'maxtext') throw new Error(`no MaxText run: ${plan?.kind ?? 'none'}`);
  return plan.maxtext;
}
