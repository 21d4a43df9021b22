import { TPU_RESOURCE } from '../kubernetes/well-known';
import { NODE_LABELS } from '../kubernetes/well-known';
import type { NodePoolPlan } from '../infrastructure';
import type { PlannedProject } from '../plan';
import { at, list } from '../review';
import { Examination, jsonOf } from './finding';
import type { Finding, Observation } from './finding';

/** Whether the nodes of every planned pool are there, ready and of the right shape. Standard clusters only. */
export function examineNodePools(nodes: Observation, { infrastructure }: PlannedProject): Finding[] {
  const cluster = new Examination('cluster');
  if (infrastructure.nodePools.length === 0) return [];
  if (!nodes.isThere) {
    cluster.cannotTell(
      'node pools',
      nodes.reason,
      'ask for the right to list nodes, or see scripts/gcloud/status.sh',
    );
    return cluster.findings;
  }
  const all = list(at(jsonOf(nodes), 'items'));
  for (const pool of infrastructure.nodePools) {
    examinePool(
      cluster,
      pool,
      all.filter((node) => labelOf(node, NODE_LABELS.nodePool) === pool.name),
    );
  }
  return cluster.findings;
}

const REMEDY = 'scripts/gcloud/node-pools.sh makes it; scripts/gcloud/status.sh says what differs';

function examinePool(cluster: Examination, pool: NodePoolPlan, nodes: readonly unknown[]): void {
  const subject = `node pool ${pool.name}`;
  const faults = [...new Set(nodes.flatMap((node) => shapeFaults(pool, node)))];
  if (faults.length > 0) {
    cluster.missing(
      subject,
      faults.join('; '),
      'delete the pool and make it anew: scripts/gcloud/node-pools.sh',
    );
    return;
  }
  const ready = nodes.filter(isReady).length;
  const figures = `${String(ready)} of ${String(pool.nodes)} nodes ready`;
  if (ready >= pool.nodes && pool.autoscaling === undefined) cluster.ok(subject, figures);
  else if (pool.autoscaling !== undefined) {
    const { minNodes, maxNodes } = pool.autoscaling;
    cluster.ok(
      subject,
      `${String(ready)} nodes ready, of ${String(minNodes)} to ${String(maxNodes)} that come when pods ask`,
    );
  } else if (nodes.length > 0 && ready < nodes.length) {
    cluster.missing(
      subject,
      `${figures}, ${String(nodes.length - ready)} not ready`,
      'kubectl describe node; GKE repairs nodes by itself within minutes',
    );
  } else {
    cluster.missing(subject, figures, REMEDY);
  }
}

function shapeFaults({ nodeLabels, allocatable }: NodePoolPlan, node: unknown): string[] {
  const wrong = Object.entries(nodeLabels)
    .filter(([key, value]) => labelOf(node, key) !== value)
    .map(
      ([key, value]) =>
        `its nodes have ${key}=${labelOf(node, key) ?? 'nothing'} where workers ask for ${value}`,
    );
  const chips = Number(at(node, 'status', 'allocatable', TPU_RESOURCE) ?? 0);
  if (isReady(node) && chips < allocatable.tpu) {
    wrong.push(`its nodes offer ${String(chips)} of ${String(allocatable.tpu)} chips`);
  }
  return wrong;
}

function labelOf(node: unknown, key: string): string | undefined {
  const value = at(node, 'metadata', 'labels', key);
  return typeof value === 'string' ? value : undefined;
}

function isReady(node: unknown): boolean {
  return list(at(node, 'status', 'conditions')).some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  );
}
