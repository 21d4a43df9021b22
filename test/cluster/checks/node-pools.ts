import type { Check } from './observation';
import { byReplica } from './observation';

const POOL_LABEL = 'cloud.google.com/gke-nodepool';

/** All hosts of a slice in one node pool, one slice a pool, one worker a node; head and submitter on nodes without TPUs. */
export const nodePools: Check = ({ run, head, workers, submitters, nodeOf }) => {
  const problems: string[] = [];
  const replicaOfPool = new Map<string, string>();
  for (const [replica, pods] of byReplica(workers)) {
    const pools = [...new Set(pods.map((pod) => nodeOf(pod)?.metadata.labels?.[POOL_LABEL] ?? '?'))];
    if (pools.length !== 1) problems.push(`replica ${replica} lies over the pools ${pools.join(', ')}`);
    for (const pool of pools) {
      const other = replicaOfPool.get(pool);
      if (run.tpu.hostsPerSlice > 1 && other !== undefined)
        problems.push(`pool ${pool} carries ${other} and ${replica}`);
      replicaOfPool.set(pool, replica);
    }
  }
  const nodes = new Set(workers.map((pod) => pod.spec.nodeName));
  if (nodes.size !== workers.length)
    problems.push(`${String(workers.length)} workers on ${String(nodes.size)} nodes`);
  for (const pod of [head, ...submitters]) {
    if (nodeOf(pod)?.status?.allocatable?.['google.com/tpu'] !== undefined) {
      problems.push(`${pod.metadata.name ?? ''} lies on the TPU node ${pod.spec.nodeName ?? ''}`);
    }
  }
  return problems;
};
