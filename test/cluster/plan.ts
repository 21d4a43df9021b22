/** A node pool of plan.json. */
export interface NodePoolPlan {
  readonly name: string;
  readonly role: 'cpu' | 'tpu';
  readonly machineType: string;
  readonly nodes: number;
  readonly autoscaling?: { readonly minNodes: number; readonly maxNodes: number };
  readonly topology?: string;
  readonly passTopology?: boolean;
  readonly placementPolicy?: string;
  readonly capacity: { readonly kind: string; readonly name?: string; readonly project?: string };
  readonly labels: Readonly<Record<string, string>>;
  readonly networkProfile?: string;
  readonly additionalNetworks: readonly unknown[];
  readonly metadata?: string;
}

/** A run of plan.json, as far as the suite reads it. */
export interface RunPlan {
  readonly name: string;
  readonly manifest: string;
  readonly rayCluster: string;
  readonly job: string;
  readonly tpu: {
    readonly generation: string;
    readonly accelerator: string;
    readonly machineType: string;
    readonly topology: string;
    readonly slices: { readonly min: number; readonly max: number };
    readonly hostsPerSlice: number;
    readonly chipsPerHost: number;
  };
  readonly wait: { readonly slices: number; readonly hosts: number };
  readonly network: string;
  readonly nodePools: readonly string[];
}

/** plan.json, as far as the suite reads it. See docs/interfaces.md. */
export interface Plan {
  readonly platform: {
    readonly namespace: string;
    readonly serviceAccount: string;
    readonly cluster: { readonly mode: 'standard' | 'autopilot' };
  };
  readonly runs: readonly RunPlan[];
  readonly infrastructure: {
    readonly placementPolicies: readonly { readonly name: string; readonly topology: string }[];
    readonly nodePools: readonly NodePoolPlan[];
    readonly serviceAccount: { readonly name: string; readonly namespace: string; readonly create: boolean };
    readonly secrets: readonly { readonly name: string; readonly key: string; readonly namespace: string }[];
  };
}
