import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  GCS_FUSE_ANNOTATION,
  GCS_FUSE_AUTOPILOT_LIMITS,
  GCS_FUSE_CACHE_VOLUME,
  GCS_FUSE_DRIVER,
} from '../kubernetes/gcs-fuse';
import { UNCHECKED_OPTION } from '../kubernetes/gcs-fuse-options';
import { parseQuantity } from '../kubernetes/quantity';
import { LABELS, MANAGED_BY } from '../kubernetes/well-known';
import type { Volume } from '../kuberay/ray-cluster-types';
import type { PodUser, RayPod } from './ray-pod';

export { GCS_FUSE_CACHE_VOLUME, GCS_FUSE_DRIVER };

const ANNOTATION_PREFIX = 'gke-gcsfuse';

/** StorageClasses GKE tunes for a use. */
export const GCS_FUSE_PROFILES = ['training', 'checkpointing', 'serving'] as const;

/** Limits of the FUSE sidecar as quantities; `"0"` means none. */
export interface GcsFuseSidecarLimits {
  readonly cpu: string;
  readonly memory: string;
  readonly ephemeralStorage: string;
}

/** No limit: the sidecar may use what its node has. */
const UNLIMITED: GcsFuseSidecarLimits = { cpu: '0', memory: '0', ephemeralStorage: '0' };

/** Properties of a `GcsFuseVolume`. */
export interface GcsFuseVolumeProps {
  /** Name of the volume in the pods. */
  readonly name: string;
  /** Namespace of the pods, and of the claim if there is one. */
  readonly namespace: string;
  /** Bucket, without gs:// and path. */
  readonly bucket: string;
  readonly mountPath: string;
  /** GKE mode: decides the default limits of the sidecar. */
  readonly clusterMode: 'standard' | 'autopilot';
  /**
   * Folder of the bucket to mount.
   *
   * @default - the whole bucket
   */
  readonly onlyDir?: string;
  /**
   * Owner of the files; needed with form persistent-volume, whose options cannot follow a pod.
   *
   * @default - the user of the pod that mounts it
   */
  readonly user?: PodUser;
  /**
   * The pods use the node's network; needed with form persistent-volume, an ephemeral volume sees it itself.
   *
   * @default false
   */
  readonly hostNetwork?: boolean;
  /**
   * Mount without write access.
   *
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * In the pod itself, or as PersistentVolume and claim.
   *
   * @default 'ephemeral'
   */
  readonly form?: 'ephemeral' | 'persistent-volume';
  /**
   * Name of the PersistentVolume; it is cluster-wide, so it carries the namespace.
   *
   * @default - namespace and volume name
   */
  readonly persistentVolumeName?: string;
  /**
   * What tells the PersistentVolume's handle from that of another one on the same bucket in the same pod; the driver drops it.
   *
   * @default - none: the handle is the bucket
   */
  readonly handleSuffix?: string;
  /**
   * Tuned StorageClass; only with form persistent-volume.
   *
   * @default - none
   */
  readonly profile?: (typeof GCS_FUSE_PROFILES)[number];
  /**
   * Further mount options; one with `x-` before its name is not looked at, for a gcsfuse newer than this package.
   *
   * @default - none
   */
  readonly mountOptions?: readonly string[];
  /**
   * Keep read files on the node.
   *
   * @default - no file cache
   */
  readonly fileCache?: { readonly size: string; readonly medium: 'memory' | 'disk' };
  /**
   * Limits of the FUSE sidecar.
   *
   * @default - none on Standard; 2 CPUs, 4Gi and 10Gi of storage on Autopilot
   */
  readonly sidecarLimits?: Partial<GcsFuseSidecarLimits>;
}

/**
 * A Cloud Storage bucket that pods mount through GCS FUSE. `attach` gives a pod the volume, the mount, the annotations
 * and the file cache together, so that none of them can be forgotten.
 */
export class GcsFuseVolume extends Construct {
  /** The PersistentVolume and its claim, for patches; empty for an ephemeral volume. */
  public readonly apiObjects: readonly ApiObject[];
  private readonly props: GcsFuseVolumeProps;
  private readonly claimName: string | undefined;

  public constructor(scope: Construct, id: string, props: GcsFuseVolumeProps) {
    super(scope, id);
    if (props.profile !== undefined && props.form !== 'persistent-volume') {
      throw new Error(
        `profile '${props.profile}' is a StorageClass: set form to persistent-volume, or leave it out`,
      );
    }
    if (props.bucket.includes('/')) {
      throw new Error(
        `bucket '${props.bucket}' must be a bare name: leave out gs://, and mount a folder with onlyDir`,
      );
    }
    this.props = props;
    if (props.form === 'persistent-volume') {
      this.claimName = props.name;
      this.apiObjects = this.createPersistentVolume(props, props.name);
    } else {
      this.apiObjects = [];
    }
  }

  /** Mounts the bucket in a pod. Its files belong to the pod's user. */
  public attach(pod: RayPod): void {
    const { props } = this;
    const readOnly = props.readOnly === true ? { readOnly: true } : {};
    if (props.user !== undefined && pod.user !== undefined && !sameUser(props.user, pod.user)) {
      throw new Error(
        `volume '${props.name}' belongs to user ${userText(props.user)}, the pod runs as ${userText(pod.user)}: leave the volume's user out`,
      );
    }
    const claimName = this.claimName;
    pod.addLazyVolume(
      props.name,
      () =>
        claimName === undefined
          ? {
              name: props.name,
              csi: { driver: GCS_FUSE_DRIVER, ...readOnly, volumeAttributes: this.attributes(pod) },
            }
          : { name: props.name, persistentVolumeClaim: { claimName, ...readOnly } },
      { mountPath: props.mountPath, ...readOnly },
    );
    const attached = [...(ATTACHED.get(pod) ?? []), props];
    ATTACHED.set(pod, attached);
    this.annotate(pod, attached);
    if (props.fileCache !== undefined && !pod.hasVolume(GCS_FUSE_CACHE_VOLUME)) {
      pod.addLazyVolume(GCS_FUSE_CACHE_VOLUME, () => cacheVolume(ATTACHED.get(pod) ?? []));
    }
  }

  private annotate(pod: RayPod, attached: readonly GcsFuseVolumeProps[]): void {
    const defaults = this.props.clusterMode === 'autopilot' ? GCS_FUSE_AUTOPILOT_LIMITS : UNLIMITED;
    const limits = { ...defaults, ...agreedLimits(attached) };
    pod.addAnnotation(GCS_FUSE_ANNOTATION, 'true');
    pod.addAnnotation(`${ANNOTATION_PREFIX}/cpu-limit`, limits.cpu);
    pod.addAnnotation(`${ANNOTATION_PREFIX}/memory-limit`, limits.memory);
    pod.addAnnotation(`${ANNOTATION_PREFIX}/ephemeral-storage-limit`, limits.ephemeralStorage);
  }

  private attributes(pod: RayPod): Record<string, string> {
    return {
      bucketName: this.props.bucket,
      mountOptions: this.mountOptions(this.props.user ?? pod.user).join(','),
      // On the node's network the driver needs the pod's own account handed through.
      ...(pod.usesHostNetwork ? { hostNetworkPodKSA: 'true' } : {}),
    };
  }

  private mountOptions(user: PodUser | undefined): string[] {
    const { props } = this;
    return [
      'implicit-dirs',
      ...(user === undefined
        ? []
        : [`uid=${String(user.uid)}`, `gid=${String(user.gid)}`, 'dir-mode=775', 'file-mode=664']),
      ...(props.onlyDir === undefined ? [] : [`only-dir=${props.onlyDir}`]),
      ...(props.fileCache === undefined
        ? []
        : [
            `file-cache:max-size-mb:${String(mebibytesOf(props.fileCache.size))}`,
            'file-cache:cache-file-for-range-read:true',
          ]),
      ...(props.mountOptions ?? []).map((option) =>
        option.startsWith(UNCHECKED_OPTION) ? option.slice(UNCHECKED_OPTION.length) : option,
      ),
    ];
  }

  private createPersistentVolume(props: GcsFuseVolumeProps, claimName: string): ApiObject[] {
    const name = props.persistentVolumeName ?? `${props.namespace}-${props.name}`;
    const accessModes = [props.readOnly === true ? 'ReadOnlyMany' : 'ReadWriteMany'];
    const storageClassName = props.profile === undefined ? '' : `gcsfusecsi-${props.profile}`;
    const labels = { [LABELS.managedBy]: MANAGED_BY };
    const volume = new ApiObject(this, 'PersistentVolume', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, labels },
      spec: {
        accessModes,
        // A bucket has no size; Kubernetes wants a number.
        capacity: { storage: PLACEHOLDER_CAPACITY },
        storageClassName,
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { name: claimName, namespace: props.namespace },
        mountOptions: this.mountOptions(props.user),
        csi: {
          driver: GCS_FUSE_DRIVER,
          volumeHandle:
            props.handleSuffix === undefined ? props.bucket : `${props.bucket}:${props.handleSuffix}`,
          ...(props.hostNetwork === true ? { volumeAttributes: { hostNetworkPodKSA: 'true' } } : {}),
        },
      },
    });
    const claim = new ApiObject(this, 'Claim', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claimName, namespace: props.namespace, labels },
      spec: {
        accessModes,
        resources: { requests: { storage: PLACEHOLDER_CAPACITY } },
        volumeName: name,
        storageClassName,
      },
    });
    return [volume, claim];
  }
}

/** Volumes by the pod that mounts them: a pod has one FUSE sidecar and one cache for all of them. */
const ATTACHED = new WeakMap<RayPod, readonly GcsFuseVolumeProps[]>();

/** The cache of a pod: it holds the files of every volume that caches. */
function cacheVolume(attached: readonly GcsFuseVolumeProps[]): Volume {
  const caches = attached.flatMap(({ fileCache, name }) =>
    fileCache === undefined ? [] : [{ ...fileCache, name }],
  );
  const [first, ...others] = caches;
  const other = others.find(({ medium }) => medium !== first?.medium);
  if (first !== undefined && other !== undefined) {
    throw new Error(
      `a pod has one file cache: volume '${first.name}' holds it in ${first.medium}, volume '${other.name}' on ${other.medium}: use one medium`,
    );
  }
  const total = caches.reduce((sum, { size }) => sum + mebibytesOf(size), 0);
  return {
    name: GCS_FUSE_CACHE_VOLUME,
    emptyDir: {
      ...(first?.medium === 'memory' ? { medium: 'Memory' } : {}),
      sizeLimit: first !== undefined && others.length === 0 ? first.size : `${String(total)}Mi`,
    },
  };
}

/** Limits of the one sidecar that the volumes of a pod say; what none says is left out. */
function agreedLimits(attached: readonly GcsFuseVolumeProps[]): Partial<GcsFuseSidecarLimits> {
  const agreed = new Map<string, { readonly value: string; readonly name: string }>();
  for (const { name, sidecarLimits } of attached) {
    for (const [key, value] of Object.entries(sidecarLimits ?? {}) as [string, string | undefined][]) {
      if (value === undefined) continue;
      const earlier = agreed.get(key);
      if (earlier !== undefined && parseQuantity(earlier.value) !== parseQuantity(value)) {
        throw new Error(
          `a pod has one FUSE sidecar: volume '${earlier.name}' sets its ${key} to ${earlier.value}, volume '${name}' to ${value}: set it once`,
        );
      }
      if (earlier === undefined) agreed.set(key, { value, name });
    }
  }
  return Object.fromEntries([...agreed].map(([key, { value }]) => [key, value]));
}

const PLACEHOLDER_CAPACITY = '5Gi';

function mebibytesOf(size: string): number {
  return Math.floor((parseQuantity(size) ?? 0) / 2 ** 20);
}

function sameUser(a: PodUser, b: PodUser): boolean {
  return a.uid === b.uid && a.gid === b.gid;
}

function userText(user: PodUser): string {
  return `${String(user.uid)}:${String(user.gid)}`;
}
