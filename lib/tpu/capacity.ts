import { NODE_LABELS } from '../kubernetes/well-known';

/**
 * How the nodes are bought.
 * @discriminator kind
 */
export type CapacitySpec =
  OnDemandCapacity | SpotCapacity | FlexStartCapacity | QueuedCapacity | ReservationCapacity;

/** On-demand nodes. */
export interface OnDemandCapacity {
  readonly kind: 'on-demand';
}

/** Spot nodes: cheaper, may be taken away at any time. */
export interface SpotCapacity {
  readonly kind: 'spot';
}

/** Flex-start nodes (Dynamic Workload Scheduler): start when there is capacity, for at most seven days. */
export interface FlexStartCapacity {
  readonly kind: 'flex-start';
}

/** Flex-start with queued provisioning: nodes come by a ProvisioningRequest, made by Kueue. */
export interface QueuedCapacity {
  readonly kind: 'queued';
}

/** A specific reservation. */
export interface ReservationCapacity {
  readonly kind: 'reservation';
  /** Name of the reservation, without the projects/… prefix. */
  readonly name: string;
  /** Project that owns a shared reservation. */
  readonly project?: string;
}

export type CapacityKind = CapacitySpec['kind'];

/** A toleration as in a pod spec. */
export interface Toleration {
  readonly key: string;
  readonly operator: 'Equal' | 'Exists';
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule';
}

/** A taint as in a node spec. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule';
}

/**
 * What `gcloud container node-pools list` shows of a pool's capacity, as `--format` takes it. Every pool is compared in
 * all of them.
 */
export const CAPACITY_POOL_FIELDS = [
  'config.spot',
  'config.flexStart',
  'queuedProvisioning.enabled',
  'config.reservationAffinity.values.list()',
] as const;

export type CapacityPoolField = (typeof CAPACITY_POOL_FIELDS)[number];

/** Everything that depends on how nodes are bought. `project` is the cluster's. */
export interface CapacityFacts<C extends CapacitySpec = CapacitySpec> {
  /** Part of the names of its node pools; empty for none. */
  readonly poolTag: string;
  /** What tells two pools of this capacity apart, for a digest in their names; empty when nothing does. */
  readonly poolIdentity: (capacity: C) => readonly unknown[];
  /** Flags of `gcloud container node-pools create`. */
  readonly poolFlags: (capacity: C, project: string) => readonly string[];
  /** What such a pool then has; fields that are left out are unset. */
  readonly poolFields: (capacity: C, project: string) => Readonly<Partial<Record<CapacityPoolField, string>>>;
  /** True when its pools have no nodes until pods ask for them. */
  readonly startsEmpty: boolean;
  /** True when pods that do not name the pool must stay off its nodes: a taint of our own keeps them out. */
  readonly keepsOthersOut: boolean;
  /** Labels that GKE puts on its nodes by itself, Standard. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** Taints that GKE puts on its nodes by itself, Standard. */
  readonly nodeTaints: readonly Taint[];
  /** What workers select beside the pool, by GKE mode. */
  readonly nodeSelector: {
    readonly standard: Readonly<Record<string, string>>;
    readonly autopilot: (capacity: C) => Readonly<Record<string, string>>;
  };
  /** What workers tolerate, on both modes. */
  readonly tolerations: readonly Toleration[];
}

type CapacityTable = {
  readonly [K in CapacityKind]: CapacityFacts<Extract<CapacitySpec, { readonly kind: K }>>;
};

const SPOT_TAINT: Taint = { key: NODE_LABELS.spot, value: 'true', effect: 'NoSchedule' };
const QUEUED_TAINT: Taint = { key: NODE_LABELS.queued, value: 'true', effect: 'NoSchedule' };

/** GKE neither repairs nor reserves nodes that it hands out for a time. */
const FOR_A_TIME_FLAGS = ['--reservation-affinity=none', '--no-enable-autorepair'];

/** A reservation as gcloud takes it: with its project when that is another. */
function reservationPath({ name, project }: ReservationCapacity, own: string): string {
  return project === undefined || project === own ? name : `projects/${project}/reservations/${name}`;
}

/**
 * One record per capacity. A new kind is a member of `CapacitySpec` and a record here.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms (label; a taint on Autopilot only)
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/dws (flex-start, queued provisioning)
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/consuming-reservations
 */
const CAPACITY_FACTS: CapacityTable = {
  'on-demand': {
    poolTag: '',
    poolIdentity: () => [],
    poolFlags: () => [],
    poolFields: () => ({}),
    startsEmpty: false,
    keepsOthersOut: false,
    nodeLabels: {},
    nodeTaints: [],
    nodeSelector: { standard: {}, autopilot: () => ({}) },
    tolerations: [],
  },
  spot: {
    poolTag: 'spot',
    poolIdentity: () => [],
    poolFlags: () => ['--spot'],
    poolFields: () => ({ 'config.spot': 'true' }),
    startsEmpty: false,
    keepsOthersOut: true,
    nodeLabels: { [NODE_LABELS.spot]: 'true' },
    nodeTaints: [],
    nodeSelector: {
      standard: { [NODE_LABELS.spot]: 'true' },
      autopilot: () => ({ [NODE_LABELS.spot]: 'true' }),
    },
    tolerations: [{ ...SPOT_TAINT, operator: 'Equal' }],
  },
  'flex-start': {
    poolTag: 'flex',
    poolIdentity: () => [],
    poolFlags: () => ['--flex-start', ...FOR_A_TIME_FLAGS],
    poolFields: () => ({ 'config.flexStart': 'true' }),
    startsEmpty: true,
    keepsOthersOut: true,
    nodeLabels: { [NODE_LABELS.flexStart]: 'true' },
    nodeTaints: [],
    nodeSelector: {
      standard: { [NODE_LABELS.flexStart]: 'true' },
      autopilot: () => ({ [NODE_LABELS.flexStart]: 'true' }),
    },
    tolerations: [],
  },
  queued: {
    poolTag: 'queued',
    poolIdentity: () => [],
    poolFlags: () => ['--flex-start', '--enable-queued-provisioning', ...FOR_A_TIME_FLAGS],
    poolFields: () => ({ 'config.flexStart': 'true', 'queuedProvisioning.enabled': 'true' }),
    startsEmpty: true,
    keepsOthersOut: true,
    nodeLabels: {},
    nodeTaints: [QUEUED_TAINT],
    nodeSelector: { standard: {}, autopilot: () => ({}) },
    tolerations: [{ key: QUEUED_TAINT.key, operator: 'Exists', effect: QUEUED_TAINT.effect }],
  },
  reservation: {
    poolTag: 'res',
    poolIdentity: ({ name, project }) => [name, project],
    poolFlags: (capacity, project) => [
      '--reservation-affinity=specific',
      `--reservation=${reservationPath(capacity, project)}`,
    ],
    poolFields: (capacity, project) => ({
      'config.reservationAffinity.values.list()': reservationPath(capacity, project),
    }),
    startsEmpty: false,
    keepsOthersOut: true,
    nodeLabels: {},
    nodeTaints: [],
    nodeSelector: {
      // The node pool is bound to the reservation; its workers select the pool.
      standard: {},
      autopilot: ({ name, project }) => ({
        [NODE_LABELS.reservation]: name,
        [NODE_LABELS.reservationAffinity]: 'specific',
        ...(project === undefined ? {} : { [NODE_LABELS.reservationProject]: project }),
      }),
    },
    tolerations: [],
  },
};

/** The record of a capacity. */
export function capacityFacts<C extends CapacitySpec>(capacity: C): CapacityFacts<C> {
  return CAPACITY_FACTS[capacity.kind] as CapacityFacts<C>;
}
