import { gkeAllocatable } from '../kubernetes/gke-allocatable';
import { NODE_LABELS, TPU_TAINT_KEY } from '../kubernetes/well-known';
import type { Platform, PoolSet, TrainingRun } from '../run';
import { MACHINE_FACTS, capacityFacts } from '../tpu';
import { describeCapacity } from './pool-capacity';
import type { NetworkPlan, NodePoolPlan, PlacementPolicyPlan, RunRemark } from './infrastructure-plan';

/** GKE's autoscaler runs ct6e-standard-8t with one thread per core; the catalogue counts its vCPUs so. */
const THREADS_PER_CORE: Partial<Record<string, number>> = { 'ct6e-standard-8t': 1 };

const GB = 1e9;

/** Runs whose slices can take the same node pools, in turn. */
interface PoolGroup {
  readonly runs: readonly TrainingRun[];
  readonly first: TrainingRun;
  readonly pools: PoolSet;
}

/** TPU node pools of a Standard cluster: one for each slice that can exist at the same time. */
export function planTpuPools(
  platform: Platform,
  runs: readonly TrainingRun[],
  networks: readonly NetworkPlan[],
): NodePoolPlan[] {
  return groupRuns(runs).flatMap((group) =>
    Array.from({ length: poolCount(group) }, (_, index) => planPool(platform, group, index, networks)),
  );
}

function poolCount({ runs, first }: PoolGroup): number {
  return first.slice.hosts === 1 ? 1 : Math.max(...runs.map((run) => run.slices.max));
}

/**
 * Remarks on runs that can block each other: several slices are taken one by one, so that two runs can each hold a part
 * of what the other needs, and neither starts.
 */
export function sharedPoolWarnings(runs: readonly TrainingRun[]): RunRemark[] {
  return groupRuns(runs).flatMap((group) => {
    const pools = poolCount(group);
    const parts = group.runs.filter((run) => run.slices.min > 1);
    // Every pool can be taken while each run lacks a slice.
    const held = parts.reduce((sum, run) => sum + run.slices.min - 1, 0);
    if (parts.length < 2 || held < pools) return [];
    const names = parts.map(({ name }) => name).join(', ');
    return parts.map(({ name }) => ({
      run: name,
      path: ['tpu', 'slices'],
      message: `the runs ${names} share ${String(pools)} node pools and take them one slice at a time: applied together, each can hold slices that another waits for, and none starts. Apply them one after the other, or set tpu.shareNodePools: false`,
    }));
  });
}

/** Workload policies of the multi-host tpu7x pools: one per topology. */
export function planPlacementPolicies(
  platform: Platform,
  pools: readonly NodePoolPlan[],
): PlacementPolicyPlan[] {
  const policies = new Map<string, PlacementPolicyPlan>();
  for (const { placementPolicy, topology } of pools) {
    if (placementPolicy === undefined || topology === undefined) continue;
    policies.set(placementPolicy, {
      name: placementPolicy,
      region: platform.region,
      type: 'HIGH_THROUGHPUT',
      topology,
    });
  }
  return [...policies.values()];
}

function groupRuns(runs: readonly TrainingRun[]): PoolGroup[] {
  const groups = new Map<string, PoolGroup>();
  for (const run of runs) {
    if (run.poolSet === undefined) continue;
    // Digests can meet: a run's own pools are never another's, and equal names are refused.
    const key = [run.poolSet.name, run.shareNodePools ? '' : run.name].join(' ');
    const known = groups.get(key) ?? { runs: [], first: run, pools: run.poolSet };
    groups.set(key, { ...known, runs: [...known.runs, run] });
  }
  return [...groups.values()];
}

function planPool(
  platform: Platform,
  group: PoolGroup,
  index: number,
  networks: readonly NetworkPlan[],
): NodePoolPlan {
  const { slice, capacity, network } = group.first;
  const machine = MACHINE_FACTS[slice.machineType];
  const multiHost = slice.hosts > 1;
  const facts = capacityFacts(capacity);
  const name = `${group.pools.name}-${String(index)}`;
  // A run without the autoscaler expects its nodes to be there, whoever it shares them with.
  const grows = facts.startsEmpty || group.runs.every((run) => run.autoscaler);
  const placed = multiHost && slice.generation === 'tpu7x';
  const dranet = network.mode === 'dranet';
  const auto = dranet && platform.network.profile === 'auto';
  const { labels, taints } = group.pools;
  const threadsPerCore = THREADS_PER_CORE[slice.machineType];
  return {
    name,
    role: 'tpu',
    zone: platform.zone,
    machineType: slice.machineType,
    nodes: grows ? 0 : slice.hosts,
    ...(grows ? { autoscaling: { minNodes: 0, maxNodes: slice.hosts } } : {}),
    topology: slice.topology,
    passTopology: multiHost && !placed,
    ...(placed ? { placementPolicy: `${platform.cluster.name}-${slice.generation}-${slice.topology}` } : {}),
    ...(threadsPerCore === undefined ? {} : { threadsPerCore }),
    ...describeCapacity(capacity, platform),
    labels,
    nodeLabels: {
      [NODE_LABELS.nodePool]: name,
      [NODE_LABELS.accelerator]: slice.acceleratorLabel,
      [NODE_LABELS.topology]: slice.topology,
      [NODE_LABELS.metadataServer]: 'true',
      ...facts.nodeLabels,
      ...labels,
    },
    taints: [{ key: TPU_TAINT_KEY, value: 'present', effect: 'NoSchedule' }, ...facts.nodeTaints, ...taints],
    ownTaints: taints,
    allocatable: { ...gkeAllocatable(machine.vcpus, machine.memoryGb * GB), tpu: machine.chips },
    ...(auto ? { networkProfile: 'auto' as const } : {}),
    additionalNetworks:
      dranet && !auto
        ? networks
            .slice(0, network.networkCards)
            .map(({ name: vpc, subnet }) => ({ network: vpc, subnetwork: subnet.name }))
        : [],
    networkCards: dranet ? network.networkCards : 0,
    metadata: 'GKE_METADATA',
    slice: index,
    runs: group.runs.filter((run) => index < run.slices.max).map((run) => run.name),
  };
}
