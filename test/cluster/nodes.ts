import type { KubernetesObject } from './kubernetes-object';
import { NETWORK_DRIVER } from './gke-objects';
import { offerOf } from './machines';
import type { NodePoolPlan as PlannedNodePool } from '../../lib/infrastructure';
import type { PlannedProject, PlannedRun } from '../../lib/plan';
import { ACCELERATOR_LABEL, TOPOLOGY_LABEL } from './tpu-webhook/topology';

/** Node label that keeps scenarios apart: pods of a scenario's namespace select it. */
export const SCENARIO_LABEL = 'test-cluster/scenario';

/** Where the driver of network cards runs. */
const NETWORK_DRIVER_LABEL = 'cloud.google.com/gke-networking-dra-driver';

/** Pods a node may hold. */
const PODS_PER_NODE = '110';

/** Disk a node offers to pods. */
const EPHEMERAL_STORAGE = '200Gi';

/** Address of a node, unique as long as the run of the suite lasts. */
let nextAddress = 0;

/**
 * The nodes that GKE would make from a plan, and their ResourceSlices where a pool has the network profile. An Autopilot
 * cluster has no pools in its plan: nodes come for the pods of its runs.
 *
 * @param scenario value of the label that keeps scenarios apart
 */
export function nodesOf(plan: PlannedProject, scenario: string): KubernetesObject[] {
  const pools =
    plan.platform.cluster.mode === 'autopilot'
      ? [...plan.runs.flatMap(autopilotPools), AUTOPILOT_CPU_POOL]
      : plan.infrastructure.nodePools;
  return pools.flatMap((pool) => nodesOfPool(pool, plan, scenario));
}

/** The part of a pool of plan.json that decides what its nodes are like. */
type NodePoolPlan = Pick<
  PlannedNodePool,
  'name' | 'role' | 'machineType' | 'nodes' | 'capacity' | 'labels' | 'ownTaints' | 'additionalNetworks'
> &
  Partial<
    Pick<
      PlannedNodePool,
      'autoscaling' | 'topology' | 'passTopology' | 'placementPolicy' | 'networkProfile' | 'metadata'
    >
  >;

const AUTOPILOT_POOL = {
  capacity: { kind: 'on-demand' },
  additionalNetworks: [],
  labels: {},
  ownTaints: [],
} as const;

/** Where Autopilot puts heads and submitters. */
const AUTOPILOT_CPU_POOL: NodePoolPlan = {
  ...AUTOPILOT_POOL,
  name: 'autopilot-cpu',
  role: 'cpu',
  machineType: 'e2-standard-32',
  nodes: 2,
};

/** One pool a slice, as node auto-provisioning makes them. */
function autopilotPools(run: PlannedRun): NodePoolPlan[] {
  const { tpu } = run;
  return Array.from({ length: tpu.slices.max }, (_, slice) => ({
    ...AUTOPILOT_POOL,
    name: `autopilot-${run.name}-${String(slice)}`,
    role: 'tpu' as const,
    machineType: tpu.machineType,
    nodes: tpu.hostsPerSlice,
    topology: tpu.topology,
    // GKE runs the network driver on what a ComputeClass with the network profile makes.
    ...(run.network === 'dranet'
      ? {
          networkProfile: 'auto' as const,
          labels: { 'cloud.google.com/compute-class': `${run.name}-netdev`, [NETWORK_DRIVER_LABEL]: 'true' },
        }
      : {}),
  }));
}

function nodesOfPool(pool: NodePoolPlan, plan: PlannedProject, scenario: string): KubernetesObject[] {
  const offer = offerOf(pool.machineType);
  const cards = hasNetworkCards(pool) ? offer.networkCards : 0;
  return Array.from({ length: sizeOf(pool) }, (_, index) => {
    const name = `${scenario}-${pool.name}-${String(index)}`;
    const node = createNode(pool, name, topologyOf(pool, plan), scenario);
    return cards === 0 ? [node] : [node, createResourceSlice(name, cards)];
  }).flat();
}

/** All nodes a pool may have: the cluster autoscaler would make them for pods that wait. */
function sizeOf(pool: NodePoolPlan): number {
  return Math.max(pool.nodes, pool.autoscaling?.maxNodes ?? 0);
}

/** The topology GKE labels the nodes with: as given at creation, by option or placement policy, else the machine's own. */
function topologyOf(pool: NodePoolPlan, plan: PlannedProject): string | undefined {
  const { topology, passTopology, placementPolicy, machineType } = pool;
  if (placementPolicy !== undefined) {
    const policy = plan.infrastructure.placementPolicies.find(({ name }) => name === placementPolicy);
    if (policy === undefined)
      throw new Error(
        `pool ${pool.name} names the placement policy '${placementPolicy}', which the plan does not have`,
      );
    return policy.topology;
  }
  return passTopology === true || plan.platform.cluster.mode === 'autopilot'
    ? topology
    : offerOf(machineType).topology;
}

function createNode(
  pool: NodePoolPlan,
  name: string,
  topology: string | undefined,
  scenario: string,
): KubernetesObject {
  const offer = offerOf(pool.machineType);
  const address = addressOf(nextAddress++);
  const allocatable = {
    cpu: `${String(offer.milliCpus)}m`,
    memory: String(offer.memoryBytes),
    pods: PODS_PER_NODE,
    'ephemeral-storage': EPHEMERAL_STORAGE,
    ...(offer.chips === 0 ? {} : { 'google.com/tpu': String(offer.chips) }),
  };
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        ...labelsOf(pool),
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': pool.machineType,
        'cloud.google.com/gke-nodepool': pool.name,
        [SCENARIO_LABEL]: scenario,
        ...(offer.accelerator === undefined ? {} : { [ACCELERATOR_LABEL]: offer.accelerator }),
        ...(topology === undefined ? {} : { [TOPOLOGY_LABEL]: topology }),
      },
    },
    spec: { taints: taintsOf(pool) },
    status: {
      capacity: allocatable,
      allocatable,
      addresses: [{ type: 'InternalIP', address }],
      conditions: [{ type: 'Ready', status: 'True', reason: 'Posed', message: 'posed node' }],
    },
  };
  return node;
}

/** Labels of the plan, and those GKE puts on nodes by how they are bought. */
function labelsOf({ labels, metadata, capacity }: NodePoolPlan): Record<string, string> {
  const isFlexible = capacity.kind === 'flex-start' || capacity.kind === 'queued';
  return {
    ...labels,
    ...(metadata === 'GKE_METADATA' ? { 'iam.gke.io/gke-metadata-server-enabled': 'true' } : {}),
    ...(capacity.kind === 'spot' ? { 'cloud.google.com/gke-spot': 'true' } : {}),
    ...(isFlexible ? { 'cloud.google.com/gke-flex-start': 'true' } : {}),
    ...(capacity.kind === 'queued' ? { 'cloud.google.com/gke-queued': 'true' } : {}),
    ...(capacity.kind === 'reservation' ? { 'cloud.google.com/reservation-name': capacity.name } : {}),
  };
}

/** Taints the plan creates the pool with, and those GKE puts on nodes itself. */
function taintsOf({ machineType, capacity, ownTaints }: NodePoolPlan): NodePoolPlan['ownTaints'] {
  return [
    ...(offerOf(machineType).chips === 0
      ? []
      : [{ key: 'google.com/tpu', value: 'present', effect: 'NoSchedule' as const }]),
    ...(capacity.kind === 'queued'
      ? [{ key: 'cloud.google.com/gke-queued', value: 'true', effect: 'NoSchedule' as const }]
      : []),
    ...ownTaints,
  ];
}

/** Whether pods can claim the nodes' cards: the pool has the networks, and the driver runs where its label is. */
function hasNetworkCards(pool: NodePoolPlan): boolean {
  const hasNetworks = pool.networkProfile === 'auto' || pool.additionalNetworks.length > 0;
  return hasNetworks && pool.labels[NETWORK_DRIVER_LABEL] === 'true';
}

function createResourceSlice(node: string, cards: number): KubernetesObject {
  const object = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `${node}-${NETWORK_DRIVER}` },
    spec: {
      driver: NETWORK_DRIVER,
      nodeName: node,
      pool: { name: node, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: cards }, (_, card) => ({
        name: `eth${String(card + 1)}`,
        attributes: { [`${NETWORK_DRIVER}/ifName`]: { string: `eth${String(card + 1)}` } },
      })),
    },
  };
  return object;
}

function addressOf(index: number): string {
  return `10.${String(64 + (index >> 16))}.${String((index >> 8) & 255)}.${String(index & 255)}`;
}
