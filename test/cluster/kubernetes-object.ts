/** Plain JSON of a Kubernetes object's field. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json | undefined };

/** `metadata` as far as the suite reads it. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
  }[];
}

/** Any object of the API. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An environment variable of a container. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
    readonly secretKeyRef?: KeyReference;
    readonly configMapKeyRef?: KeyReference;
  };
}

/** One key of a Secret or ConfigMap. */
export interface KeyReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A container, as far as the suite reads it. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly {
    readonly secretRef?: { readonly name: string };
    readonly configMapRef?: { readonly name: string };
  }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly requests?: Readonly<Record<string, string | number>>;
  };
  readonly restartPolicy?: string;
}

/** A volume, as far as the stand-in kubelet mounts it. */
export interface Volume {
  readonly name: string;
  readonly configMap?: {
    readonly name: string;
    readonly optional?: boolean;
    readonly items?: readonly { readonly key: string; readonly path: string }[];
  };
  readonly secret?: {
    readonly secretName: string;
    readonly optional?: boolean;
    readonly items?: readonly { readonly key: string; readonly path: string }[];
  };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

/** Condition of a status. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** `spec` of a pod. */
export interface PodSpec {
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostNetwork?: boolean;
  readonly serviceAccountName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Json;
  readonly volumes?: readonly Volume[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly resourceClaims?: readonly { readonly name: string }[];
}

export interface Pod extends KubernetesObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly resourceClaimStatuses?: readonly {
      readonly name: string;
      readonly resourceClaimName?: string;
    }[];
  };
}

export interface Node extends KubernetesObject {
  readonly spec?: {
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

export interface WorkerGroup {
  readonly groupName: string;
  readonly replicas?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly numOfHosts?: number;
  readonly template: { readonly metadata?: ObjectMeta; readonly spec: PodSpec };
}

export interface RayCluster extends KubernetesObject {
  readonly spec: {
    readonly enableInTreeAutoscaling?: boolean;
    readonly headGroupSpec: { readonly template: { readonly metadata?: ObjectMeta; readonly spec: PodSpec } };
    readonly workerGroupSpecs?: readonly WorkerGroup[];
  };
  readonly status?: {
    readonly state?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Job extends KubernetesObject {
  readonly spec: { readonly template: { readonly metadata?: ObjectMeta; readonly spec: PodSpec } };
}

export interface Service extends KubernetesObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  };
}

export interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: readonly {
    readonly hostname?: string;
    readonly targetRef?: { readonly kind?: string; readonly name?: string };
  }[];
}

export interface ResourceClaim extends KubernetesObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: { readonly results?: readonly { readonly device: string }[] };
    };
  };
}

export interface ClusterEvent extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

/** Name of an object that exists. */
export function nameOf(object: KubernetesObject): string {
  return object.metadata.name ?? '';
}

/** `Kind namespace/name`, or `Kind name`. */
export function titleOf(object: KubernetesObject): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined
    ? `${object.kind} ${name ?? ''}`
    : `${object.kind} ${namespace}/${name ?? ''}`;
}
