/**
 * The GKE side that all runs of a project share: the contents of `platform.yaml`.
 */
export interface PlatformSpec {
  /** Google Cloud project id. */
  readonly project: string;
  /** Region of the cluster, as in us-east5. */
  readonly region: string;
  /** Zone with TPU capacity, as in us-east5-b. */
  readonly zone: string;
  /** The GKE cluster. */
  readonly cluster: ClusterSpec;
  /**
   * KubeRay version that runs in the cluster; fields newer than it are refused.
   * @default "1.4.0"
   */
  readonly kubeRayVersion?: string;
  /**
   * The operator runs with the feature gate RayMultiHostIndexing, so that it handles slices whole. KubeRay 1.6 does so by itself, 1.5 with
   * the gate.
   * @default false
   */
  readonly multiHostIndexing?: boolean;
  /**
   * Namespace of every run.
   * @default "default"
   */
  readonly namespace?: string;
  /**
   * Render the Namespace object, with Pod Security labels. Never for the namespace default.
   * @default false
   */
  readonly ownNamespace?: boolean;
  /** Kubernetes service account of every pod. */
  readonly serviceAccount?: ServiceAccountSpec;
  /** Cloud Storage bucket for data and checkpoints. */
  readonly bucket?: BucketSpec;
  /** Artifact Registry repository for images. */
  readonly imageRepository?: ImageRepositorySpec;
  /** Networks between slices. */
  readonly network?: PlatformNetworkSpec;
  /** Tool that applies the manifests from git; adds what it needs to know about Jobs. */
  readonly gitOps?: 'argo-cd' | 'flux';
}

/** The GKE cluster. */
export interface ClusterSpec {
  readonly name: string;
  readonly mode: 'standard' | 'autopilot';
  /** Full GKE version, as in 1.35.2-gke.1842000. */
  readonly version: string;
  /** Zone or region of the control plane; the zone for Standard, the region for Autopilot when left out. */
  readonly location?: string;
  /**
   * False adopts a cluster that exists.
   * @default true
   */
  readonly create?: boolean;
}

/** Kubernetes service account of every pod. */
export interface ServiceAccountSpec {
  /**
   * @default "tpu-trainer"
   */
  readonly name?: string;
  /**
   * False uses an account that exists.
   * @default true
   */
  readonly create?: boolean;
}

/** Cloud Storage bucket. */
export interface BucketSpec {
  /** Name without gs://. */
  readonly name: string;
  /** Location; the region when left out. */
  readonly location?: string;
  /**
   * Create with hierarchical namespace, whose folders can be renamed atomically.
   * @default true
   */
  readonly hierarchicalNamespace?: boolean;
  /**
   * False adopts a bucket that exists.
   * @default true
   */
  readonly create?: boolean;
}

/** Artifact Registry repository. */
export interface ImageRepositorySpec {
  readonly name: string;
  /** Location; the region when left out. */
  readonly location?: string;
  /**
   * False adopts a repository that exists.
   * @default true
   */
  readonly create?: boolean;
}

/** Networks between slices, for runs with network mode dranet. */
export interface PlatformNetworkSpec {
  /**
   * explicit: one VPC per network card is made by the scripts; auto: GKE makes them by the accelerator network profile,
   * which needs a newer gcloud.
   * @default "explicit"
   */
  readonly profile?: 'auto' | 'explicit';
  /** First address ranges of explicit networks, one per card. */
  readonly ranges?: readonly string[];
  /**
   * False adopts networks that exist.
   * @default true
   */
  readonly create?: boolean;
}
