import type { RunWarning } from '../run';
import type { CapacitySpec, Taint } from '../tpu';

/** A remark on a run that only all runs together give rise to. */
export interface RunRemark extends RunWarning {
  /** Name of the run. */
  readonly run: string;
}

/** A VPC between slices, made in explicit mode: one per network card. */
export interface NetworkPlan {
  readonly name: string;
  readonly mtu: number;
  readonly create: boolean;
  readonly subnet: { readonly name: string; readonly region: string; readonly range: string };
  readonly firewall: {
    readonly name: string;
    readonly sourceRanges: readonly string[];
    readonly allow: readonly string[];
  };
}

/** The GKE cluster. */
export interface ClusterPlan {
  readonly name: string;
  readonly mode: 'standard' | 'autopilot';
  readonly location: string;
  readonly version: string;
  readonly create: boolean;
  readonly addons: readonly string[];
  readonly dataplaneV2: boolean;
  readonly multiNetworking: boolean;
  readonly workloadPool: string;
  readonly imageStreaming: boolean;
  /** The pool `clusters create` always makes: for system pods. Standard only. */
  readonly defaultPool?: { readonly machineType: string; readonly nodes: number };
}

/** A workload policy that places the hosts of a tpu7x slice. */
export interface PlacementPolicyPlan {
  readonly name: string;
  readonly region: string;
  readonly type: 'HIGH_THROUGHPUT';
  readonly topology: string;
}

/** A node pool: the CPU pool, or one TPU slice. */
export interface NodePoolPlan {
  readonly name: string;
  readonly role: 'cpu' | 'tpu';
  readonly zone: string;
  readonly machineType: string;
  /** Nodes at creation; a multi-host pool is whole or empty. */
  readonly nodes: number;
  readonly autoscaling?: { readonly minNodes: number; readonly maxNodes: number };
  /** Topology of the slice. */
  readonly topology?: string;
  /** True when gcloud takes the topology itself: multi-host pools without a placement policy. */
  readonly passTopology: boolean;
  readonly placementPolicy?: string;
  readonly threadsPerCore?: number;
  readonly capacity: CapacitySpec;
  /** Flags of `gcloud container node-pools create` that follow from the capacity. */
  readonly capacityFlags: readonly string[];
  /** What the pool then has, by field of `gcloud container node-pools list`; empty for unset. */
  readonly capacityFields: Readonly<Record<string, string>>;
  /** Labels the pool is created with. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels and taints GKE puts on the nodes itself: what the manifests select by. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Those of `taints` that the pool is created with; GKE adds the others itself. */
  readonly ownTaints: readonly Taint[];
  /** What a node offers to pods. */
  readonly allocatable: { readonly cpu: number; readonly memoryBytes: number; readonly tpu: number };
  readonly networkProfile?: 'auto';
  readonly additionalNetworks: readonly { readonly network: string; readonly subnetwork: string }[];
  /** Network cards that pods can claim. */
  readonly networkCards: number;
  readonly metadata: 'GKE_METADATA';
  /** Index of the slice in a run; TPU pools only. */
  readonly slice?: number;
  /** Runs that use the pool. */
  readonly runs: readonly string[];
}

/** The bucket for data and checkpoints. */
export interface BucketPlan {
  readonly name: string;
  readonly location: string;
  readonly create: boolean;
  readonly uniformAccess: boolean;
  readonly hierarchicalNamespace: boolean;
}

/** A role of the Kubernetes service account on a bucket. */
export interface BucketRolePlan {
  readonly bucket: string;
  readonly role: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** What needs it. */
  readonly use: string;
}

/** A key of a Secret that runs read. */
export interface SecretKeyPlan {
  readonly name: string;
  readonly key: string;
  readonly namespace: string;
  /** True for the Hugging Face token, the only one the scripts write; the others are made by whoever has them. */
  readonly hubToken: boolean;
}

/** Everything the scripts create. */
export interface InfrastructurePlan {
  readonly project: { readonly id: string; readonly region: string; readonly zone: string };
  readonly apis: readonly string[];
  readonly networks: readonly NetworkPlan[];
  readonly cluster: ClusterPlan;
  readonly placementPolicies: readonly PlacementPolicyPlan[];
  readonly nodePools: readonly NodePoolPlan[];
  readonly bucket?: BucketPlan;
  readonly namespace: { readonly name: string; readonly create: boolean };
  readonly serviceAccount: { readonly name: string; readonly namespace: string; readonly create: boolean };
  readonly bucketRoles: readonly BucketRolePlan[];
  readonly repository?: { readonly name: string; readonly location: string; readonly create: boolean };
  readonly images: readonly {
    readonly name: string;
    readonly dockerfile: string;
    readonly runs: readonly string[];
  }[];
  readonly secrets: readonly SecretKeyPlan[];
}
