import type { CapacitySpec } from '../tpu';
import type { TrainerSpec } from '../training';

/**
 * One training run: the contents of `runs/<name>.yaml`.
 */
export interface RunSpec {
  /**
   * Name of the run and of its RayCluster: a DNS label that starts with a letter, at most 41 characters, equal to the
   * file's name.
   */
  readonly name: string;
  /** The TPU slices. */
  readonly tpu: TpuSpec;
  /** Ray's version and whether its autoscaler runs. */
  readonly ray?: RaySpec;
  /**
   * Container image of head, workers and submitter, as in HOST/PROJECT/REPOSITORY/NAME:TAG. When left out, the image of the trainer's kind in the
   * platform's imageRepository, which the scripts build. One with a digest is never built.
   */
  readonly image?: string;
  /**
   * When nodes pull the image.
   * @default "IfNotPresent"
   */
  readonly imagePullPolicy?: 'IfNotPresent' | 'Always' | 'Never';
  /** The trainer and its options. */
  readonly trainer: TrainerSpec;
  /** Volumes mounted in head and workers. */
  readonly volumes?: readonly VolumeSpec[];
  /** How slices reach each other; only for runs of more than one slice. */
  readonly network?: NetworkSpec;
  /** CPU and memory of the pods. */
  readonly resources?: RunResources;
  /** Environment of head and workers: literal values, or references to Secrets. */
  readonly env?: Readonly<Record<string, EnvValue>>;
  /** Numeric user of the Ray pods; 1000:100 for maxtext, the image's own for the torchtpu kinds when left out. */
  readonly user?: UserSpec;
  /** The Job that submits the trainer. */
  readonly submitter?: SubmitterSpec;
  /**
   * Let GKE's Managed Service for Prometheus read the metrics of Ray, trainer and TPU.
   * @default false
   */
  readonly monitoring?: boolean;
  /**
   * Any text; another text makes a new Job of an otherwise unchanged run.
   * @minLength 1
   */
  readonly runId?: string;
}

/** Numeric user and group. */
export interface UserSpec {
  /** User id. */
  readonly uid: UserNumber;
  /** Group id. */
  readonly gid: UserNumber;
}

/** Generation, topology and number of slices. */
export interface TpuSpec {
  /** TPU generation: v4, v5e, v5p, v6e or tpu7x. */
  readonly generation: string;
  /** Chips per dimension, as in 4x4 or 2x2x2. */
  readonly topology: string;
  /**
   * Number of slices, or a range for an elastic run.
   * @default 1
   */
  readonly slices?: SliceCount;
  /** Machine type; needed only where a topology exists on two (v5e and v6e 2x4). */
  readonly machineType?: string;
  /** How the nodes are bought. */
  readonly capacity?: CapacitySpec;
  /**
   * Share node pools of the same shape with other runs, which then take turns.
   * @default true
   */
  readonly shareNodePools?: boolean;
}

/**
 * A fixed number of slices or the range of an elastic run.
 */
export type SliceCount = NumberOfSlices | SliceRangeSpec;

/**
 * Number of slices: each is a node pool of its own, and more than the maximum are beyond any cluster.
 * @asType integer
 * @minimum 1
 * @maximum 1024
 */
export type NumberOfSlices = number;

/**
 * Number of a user or group, as Kubernetes takes it.
 * @asType integer
 * @minimum 1
 * @maximum 2147483647
 */
export type UserNumber = number;

/** Fewest and most slices of an elastic run. */
export interface SliceRangeSpec {
  readonly min: NumberOfSlices;
  readonly max: NumberOfSlices;
}

/** Ray's version and whether its autoscaler runs. */
export interface RaySpec {
  /**
   * Ray version of the image, as in 2.60.0.
   * @default "2.60.0"
   */
  readonly version?: string;
  /**
   * Run Ray's autoscaler, so that an elastic run asks for slices itself.
   * @default false
   */
  readonly autoscaler?: boolean;
  /**
   * Let KubeRay recreate the cluster when its spec changes; needs KubeRay 1.6.
   * @default false
   */
  readonly recreateOnChange?: boolean;
  /** Token authentication: Secret with the key auth_token; needs KubeRay 1.6 and Ray 2.52. */
  readonly authTokenSecret?: string;
}

/**
 * A volume of head and workers.
 * @discriminator kind
 */
export type VolumeSpec = GcsFuseVolumeSpec | EmptyDirVolumeSpec | ClaimVolumeSpec;

/** A Cloud Storage bucket mounted by GCS FUSE. */
export interface GcsFuseVolumeSpec {
  readonly kind: 'gcs-fuse';
  /** Where the pods see the bucket. */
  readonly mountPath: string;
  /** Bucket name without gs://; the platform's bucket when left out. */
  readonly bucket?: string;
  /** Folder of the bucket to mount, without a leading slash. */
  readonly onlyDir?: string;
  /**
   * Mount without write access.
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * In the pod itself, or as PersistentVolume and claim.
   * @default "ephemeral"
   */
  readonly form?: 'ephemeral' | 'persistent-volume';
  /** GKE's tuned StorageClass; only with form persistent-volume. */
  readonly profile?: 'training' | 'checkpointing' | 'serving';
  /** Further mount options of GCS FUSE, as in file-mode=664; x- before a name hands it on unseen, for a gcsfuse newer than this tool. */
  readonly mountOptions?: readonly string[];
  /** Keep read files on the node. */
  readonly fileCache?: FileCacheSpec;
  /** Resources of the GCS FUSE sidecar. */
  readonly sidecar?: GcsFuseSidecarSpec;
}

/** File cache of a GCS FUSE volume. */
export interface FileCacheSpec {
  /** Most of the cache, a quantity such as 50Gi. */
  readonly size: string;
  /**
   * Where the cache lives; memory counts against the node's memory and the sidecar's limit, a disk is not looked at here.
   * @default "memory"
   */
  readonly medium?: 'memory' | 'disk';
}

/** Limits of the GCS FUSE sidecar; "0" means none and is refused on Autopilot. */
export interface GcsFuseSidecarSpec {
  readonly cpuLimit?: string;
  readonly memoryLimit?: string;
  readonly ephemeralStorageLimit?: string;
}

/** An emptyDir volume. */
export interface EmptyDirVolumeSpec {
  readonly kind: 'empty-dir';
  readonly mountPath: string;
  /** Most it may hold, a quantity. */
  readonly size: string;
  /**
   * Where it is held; memory counts against the worker's memory beside /dev/shm, a disk is not looked at here.
   * @default "disk"
   */
  readonly medium?: 'memory' | 'disk';
}

/** A PersistentVolumeClaim that exists outside this project. */
export interface ClaimVolumeSpec {
  readonly kind: 'claim';
  readonly mountPath: string;
  /** Name of the claim in the run's namespace. */
  readonly claimName: string;
  /**
   * @default false
   */
  readonly readOnly?: boolean;
}

/**
 * How slices reach each other over the data-centre network.
 */
export interface NetworkSpec {
  /** dranet: network cards by claim; host-network: the node's network; pod-network: the slow default. */
  readonly mode: 'dranet' | 'host-network' | 'pod-network';
  /** Further flags for LIBTPU_INIT_ARGS, as in --xla_tpu_scoped_vmem_limit_kib=122880. */
  readonly libtpuInitArgs?: readonly string[];
}

/** CPU and memory by pod. */
export interface RunResources {
  readonly head?: PodResources;
  readonly worker?: PodResources;
  readonly submitter?: PodResources;
}

/** CPU and memory of one container. */
export interface PodResources {
  /** CPUs requested, a quantity such as 8 or 500m. */
  readonly cpu?: string;
  /** Most CPUs; the request when left out. */
  readonly cpuLimit?: string;
  /** Memory requested, which is also the limit, a quantity such as 16Gi. */
  readonly memory?: string;
  /** Size of /dev/shm, part of the memory; half of it when left out. Head and workers only. */
  readonly sharedMemory?: string;
}

/** A literal value, a reference to a Secret, or a value that looks like a credential and is none. */
export type EnvValue = string | SecretReference | PlainValue;

/** A literal value that is not taken for a credential, whatever it looks like; synth says so. */
export interface PlainValue {
  readonly value: string;
  /** You have looked at it: anyone who can read the manifest may read this. */
  readonly notSecret: true;
}

/** A key of a Secret in the run's namespace. */
export interface SecretReference {
  readonly secretName: string;
  readonly key: string;
}

/** The Job that submits the trainer. */
export interface SubmitterSpec {
  /**
   * How long the dashboard and the slices may take to come, as in 90m or 12h.
   * @default "12h"
   */
  readonly startDeadline?: string;
  /** How long the run may take from its start; unlimited when left out. */
  readonly runDeadline?: string;
  /**
   * What to do when another run of the same name is active on the cluster.
   * @default "fail"
   */
  readonly onActiveRun?: 'fail' | 'wait' | 'replace';
  /**
   * What to do when the run has ended or never began; deleteCluster frees the TPUs.
   * @default "keep"
   */
  readonly onFinish?: 'keep' | 'deleteCluster';
  /**
   * Delete all worker pods of the RayCluster at once when its slices are torn, at most three times; the submitter gets a Role that lists and
   * deletes pods of its namespace.
   * @default false
   */
  readonly repairSlices?: boolean;
  /**
   * What a deleted submitter pod does with the run.
   * @default "detach"
   */
  readonly onTermination?: 'detach' | 'stop';
  /**
   * How often Kubernetes starts the submitter again after a failure of the infrastructure.
   * @default 3
   * @asType integer
   * @minimum 0
   * @maximum 2147483647
   */
  readonly backoffLimit?: number;
  /** Node labels the submitter's pod asks for. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
}
