import type { PodChange } from './pod-change';
import type { PlannedSlice } from '../plan';
import { manifestOf, slicesOf } from './run-side';
import type { Side } from './run-side';

/**
 * Why the hosts that a run now asks for never come: its slices are of another shape, and the operator makes none of the
 * new shape while the pods of the old one are there. Nothing where they come, or where new pods say it themselves.
 */
export function missingShape(
  before: Side | undefined,
  after: Side | undefined,
  pods: PodChange,
): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  if (pods.effect === 'recreated' || pods.effect === 'pending') return undefined;
  const [was, is] = [shapeText(before.run.tpu), shapeText(after.run.tpu)];
  const fresh = slicesOf(manifestOf(after, 'RayCluster')) - slicesOf(manifestOf(before, 'RayCluster'));
  if (was === is || fresh >= after.run.tpu.slices.min) return undefined;
  return `hosts of ${is} do not come while its pods are those of ${was}: delete its RayCluster first, which only kubectl delete does`;
}

function shapeText({ generation, topology, machineType }: PlannedSlice): string {
  return `${generation} ${topology} (${machineType})`;
}
