import { gkeAllocatable } from '../kubernetes/gke-allocatable';
import { NODE_LABELS, TPU_TAINT_KEY } from '../kubernetes/well-known';
import { digestOf } from '../run';
import type { CapacitySpec, Platform, TrainingRun } from '../run';
import { MACHINE_FACTS, shapesWithTopology } from '../tpu';
import type { NetworkPlan, NodePoolPlan, PlacementPolicyPlan } from './infrastructure-plan';

/** Digits of a digest in a pool's name. */
const TAG_DIGITS = 4;

/** GKE's autoscaler runs ct6e-standard-8t with one thread per core; the catalogue counts its vCPUs so. */
const THREADS_PER_CORE: Partial<Record<string, number>> = { 'ct6e-standard-8t': 1 };

const GB = 1e9;

/** Runs whose slices can take the same node pools, in turn. */
interface PoolGroup {
  readonly runs: readonly TrainingRun[];
  readonly first: TrainingRun;
  /** Tag that tells groups of one shape apart; empty for on-demand pools that are shared. */
  readonly tag: string;
}

/** TPU node pools of a Standard cluster: one for each slice that can exist at the same time. */
export function planTpuPools(
  platform: Platform,
  runs: readonly TrainingRun[],
  networks: readonly NetworkPlan[],
): NodePoolPlan[] {
  return groupRuns(platform, runs).flatMap((group) => {
    const { slice } = group.first;
    const pools = slice.hosts === 1 ? 1 : Math.max(...group.runs.map((run) => run.slices.max));
    return Array.from({ length: pools }, (_, index) => planPool(platform, group, index, networks));
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

function groupRuns(platform: Platform, runs: readonly TrainingRun[]): PoolGroup[] {
  const groups = new Map<string, TrainingRun[]>();
  for (const run of runs) {
    const { slice } = run;
    const own = run.shareNodePools ? '' : run.name;
    const key = [slice.generation, slice.topology, slice.machineType, tagOf(platform, run), own].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const own = first.shareNodePools ? [] : [digestOf(first.name).slice(0, TAG_DIGITS)];
    const tag = [tagOf(platform, first), ...own].filter((part) => part !== '').join('-');
    return [{ runs: members, first, tag }];
  });
}

/** What besides the shape makes a pool: its capacity, and whether it has extra network cards. */
function tagOf(platform: Platform, run: TrainingRun): string {
  return [
    capacityTag(run.capacity),
    run.network.mode === 'dranet' ? 'dra' : '',
    platform.network.profile === 'auto' && run.network.mode === 'dranet' ? 'auto' : '',
  ]
    .filter((part) => part !== '')
    .join('-');
}

function capacityTag(capacity: CapacitySpec): string {
  switch (capacity.kind) {
    case 'on-demand':
      return '';
    case 'spot':
      return 'spot';
    case 'flex-start':
      return 'flex';
    case 'queued':
      return 'queued';
    case 'reservation':
      return `res-${digestOf([capacity.name, capacity.project]).slice(0, TAG_DIGITS)}`;
  }
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
  const ambiguous = shapesWithTopology(slice.generation, slice.topology).length > 1;
  const shape = `${slice.generation}-${slice.topology}${ambiguous ? `-${String(slice.chipsPerHost)}t` : ''}`;
  const name = [shape, group.tag, String(index)].filter((part) => part !== '').join('-');
  const waits = capacity.kind === 'flex-start' || capacity.kind === 'queued';
  // A run without the autoscaler expects its nodes to be there, whoever it shares them with.
  const grows = waits || group.runs.every((run) => run.autoscaler);
  const placed = multiHost && slice.generation === 'tpu7x';
  const dranet = network.mode === 'dranet';
  const auto = dranet && platform.network.profile === 'auto';
  const labels: Record<string, string> = dranet ? { [NODE_LABELS.networkingDraDriver]: 'true' } : {};
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
    capacity,
    labels,
    nodeLabels: {
      [NODE_LABELS.nodePool]: name,
      [NODE_LABELS.accelerator]: slice.acceleratorLabel,
      [NODE_LABELS.topology]: slice.topology,
      [NODE_LABELS.metadataServer]: 'true',
      ...(capacity.kind === 'spot' ? { [NODE_LABELS.spot]: 'true' } : {}),
      ...(capacity.kind === 'flex-start' ? { [NODE_LABELS.flexStart]: 'true' } : {}),
      ...labels,
    },
    taints: [
      { key: TPU_TAINT_KEY, value: 'present', effect: 'NoSchedule' },
      ...(capacity.kind === 'queued'
        ? [{ key: NODE_LABELS.queued, value: 'true', effect: 'NoSchedule' }]
        : []),
    ],
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
