import { POD_EFFECTS } from './field-rules';
import type { FieldRule, PodEffect } from './field-rules';
import { at } from './reviewed-project';
import { hostsOf, manifestOf, slicesOf } from './run-side';
import type { Side } from './run-side';

/** What becomes of the pods of a RayCluster. */
export interface PodChange {
  /** The gravest of all effects. */
  readonly effect: PodEffect;
  readonly why: string;
  /** Beside another effect: why pods that are up, and stay, do not get the rest of the change. */
  readonly ignored?: string;
}

/** Effects from the gravest to none. */
const RANKED = Object.keys(POD_EFFECTS) as PodEffect[];

const RECREATED = 'ray.recreateOnChange is set: the operator deletes all pods and makes them anew';

/** What becomes of the pods of a run that is on at least one side; `rules` are those of the RayCluster's fields. */
export function comparePods(
  before: Side | undefined,
  after: Side | undefined,
  rules: readonly FieldRule[],
): PodChange {
  if (before === undefined && after !== undefined) return startOfPods(after);
  if (after === undefined) return { effect: 'removed', why: 'the run is gone; without pruning it stays' };
  const one = manifestOf(before, 'RayCluster');
  const other = manifestOf(after, 'RayCluster');
  const recreates = at(other?.spec, 'upgradeStrategy', 'type') === 'Recreate';
  const effects = rules.map((rule): PodChange => {
    switch (rule.pods) {
      case 'scaled':
        return scaled(slicesOf(one), slicesOf(other), rule.why);
      case 'rehosted':
        return recreates
          ? { effect: 'recreated', why: RECREATED }
          : { effect: rehosted(hostsOf(one), hostsOf(other)), why: rule.why };
      case 'template':
        return recreates ? { effect: 'recreated', why: RECREATED } : { effect: 'ignored', why: rule.why };
      default:
        return { effect: 'unchanged', why: rule.why };
    }
  });
  const ranked = RANKED.flatMap((effect) => effects.find((each) => each.effect === effect) ?? []);
  const [gravest = { effect: 'unchanged', why: '' }, ...lesser] = ranked;
  // Slices may come or go while those that are up stay as they are.
  const ignored = lesser.find(({ effect }) => effect === 'ignored');
  return ignored === undefined ? gravest : { ...gravest, ignored: ignored.why };
}

function startOfPods({ run }: Side): PodChange {
  return {
    effect: 'added',
    why: `the run is new: ${String(run.tpu.slices.min * run.tpu.hostsPerSlice)} hosts`,
  };
}

function scaled(before: number, after: number, why: string): PodChange {
  if (after === before) return { effect: 'unchanged', why };
  const slices = `slices ${String(before)} -> ${String(after)}`;
  return { effect: after > before ? 'added' : 'removed', why: `${slices}: ${why}` };
}

function rehosted(before: number, after: number): PodEffect {
  return after > before ? 'pending' : 'removed';
}
