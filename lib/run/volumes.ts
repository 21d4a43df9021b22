import { bucketNameProblem } from '../kubernetes/bucket-name';
import {
  MOUNT_OPTIONS,
  UNCHECKED_OPTION,
  mountOptionError,
  parseMountOption,
} from '../kubernetes/gcs-fuse-options';
import { QUANTITY_RULE, parseQuantity } from '../kubernetes/quantity';
import { dns1123SubdomainError } from '../kubernetes/names';
import { nearestName } from '../nearest-name';
import type { Problem } from '../problem';
import { isClusterOlder } from './cluster-version';
import { checkMountPath } from './mount-path';
import type { Platform } from './platform';
import type { GcsFuseVolumeSpec, VolumeSpec } from './run-spec';

/** Since this version a FUSE sidecar is a native one: it starts before init containers and ends with the pod. */
const NATIVE_SIDECAR_GKE_VERSION = '1.29.3-gke.1093000';

/** Since this version GKE has the StorageClasses gcsfusecsi-*. */
const PROFILE_GKE_VERSION = '1.35.1-gke.1616000';

/** The first minor version of GKE whose driver is newer than April 2025, when handles got suffixes. */
const HANDLE_SUFFIX_GKE_VERSION = '1.33.0-gke.0';

/** Options the volume sets itself from its other fields. */
const OWN_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['only-dir', 'onlyDir'],
  ['ro', 'readOnly'],
  ['file-cache:max-size-mb', 'fileCache.size'],
  ['profile', 'profile'],
]);

/** Options the volume sets where the pods have a user of their own. */
const USER_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['uid', 'user.uid'],
  ['gid', 'user.gid'],
]);

/** Problems of all volumes of a run; paths are relative to the list. `hasUser`: the pods run as a numeric user, to whom files belong. */
export function checkVolumes(
  volumes: readonly VolumeSpec[],
  platform: Platform,
  hasUser: boolean,
): Problem[] {
  return [
    ...volumes.flatMap((volume, index) => checkVolume(volume, `[${String(index)}]`, platform, hasUser)),
    ...checkDuplicatePaths(volumes),
    ...checkDuplicateBuckets(volumes, platform),
    ...checkDuplicateClaims(volumes),
    ...checkHandles(volumes, platform),
    ...checkOneSidecar(volumes),
  ];
}

/**
 * What tells a PersistentVolume from an earlier one of the run on the same bucket, undefined where there is none: the kubelet takes two
 * volumes of one handle for one, and mounts it once. The driver drops what stands behind the bucket's colon.
 * @see https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/pull/559
 */
export function handleSuffixOf(
  volumes: readonly VolumeSpec[],
  index: number,
  platform: Platform,
): string | undefined {
  const volume = volumes[index];
  if (volume === undefined) return undefined;
  const bucket = bucketOfPersistentVolume(volume, platform);
  const isShared = volumes
    .slice(0, index)
    .some((other) => bucket !== undefined && bucketOfPersistentVolume(other, platform) === bucket);
  return isShared ? String(index) : undefined;
}

function bucketOfPersistentVolume(volume: VolumeSpec, platform: Platform): string | undefined {
  return volume.kind === 'gcs-fuse' && volume.form === 'persistent-volume'
    ? bucketOf(volume, platform)
    : undefined;
}

/** Bucket of a GCS FUSE volume: its own, or the platform's. */
export function bucketOf(volume: GcsFuseVolumeSpec, platform: Platform): string | undefined {
  return volume.bucket ?? platform.bucket?.name;
}

function checkVolume(volume: VolumeSpec, path: string, platform: Platform, hasUser: boolean): Problem[] {
  const problems = checkMountPath(`${path}.mountPath`, volume.mountPath, volume.kind);
  if (volume.kind === 'empty-dir') {
    const rule = sizeRule(volume.size);
    if (rule !== undefined) {
      problems.push({ path: `${path}.size`, value: volume.size, rule, fix: 'write it as in 50Gi' });
    }
  }
  if (volume.kind === 'claim') {
    const nameProblem = dns1123SubdomainError(volume.claimName);
    if (nameProblem !== undefined) {
      problems.push({
        path: `${path}.claimName`,
        value: volume.claimName,
        rule: nameProblem,
        fix: 'write the name of a PersistentVolumeClaim of the namespace',
      });
    }
  }
  if (volume.kind === 'gcs-fuse') problems.push(...checkGcsFuse(volume, path, platform, hasUser));
  return problems;
}

function checkGcsFuse(
  volume: GcsFuseVolumeSpec,
  path: string,
  platform: Platform,
  hasUser: boolean,
): Problem[] {
  const problems: Problem[] = [];
  const refuse = (key: string, value: unknown, rule: string, fix: string): void => {
    problems.push({ path: `${path}.${key}`, value, rule, fix });
  };
  const bucket = bucketOf(volume, platform);
  if (bucket === undefined) {
    refuse(
      'bucket',
      undefined,
      'a gcs-fuse volume needs a bucket',
      'name it here, or set bucket in platform.yaml',
    );
  } else if (volume.bucket !== undefined) {
    const problem = bucketNameProblem(volume.bucket);
    if (problem !== undefined) refuse('bucket', volume.bucket, problem.rule, problem.fix);
  }
  if (volume.onlyDir !== undefined) {
    if (!/^[^/\s,][^\s,]*$/.test(volume.onlyDir)) {
      refuse(
        'onlyDir',
        volume.onlyDir,
        'a folder of the bucket is written without a leading slash, blanks or commas',
        `write ${volume.onlyDir.replace(/^\/+/, '').replace(/[\s,]/g, '-') || 'the folder name'}`,
      );
    } else if (volume.onlyDir.split('/').some((part) => part === '..' || part === '.')) {
      refuse(
        'onlyDir',
        volume.onlyDir,
        'a folder of the bucket is named from its top, and a bucket has no folders . and ..',
        'write the folder itself, as in runs/first',
      );
    }
  }
  for (const [index, option] of (volume.mountOptions ?? []).entries()) {
    checkMountOption(option, hasUser, (rule, fix) => {
      refuse(`mountOptions[${String(index)}]`, option, rule, fix);
    });
  }
  const cacheRule = volume.fileCache === undefined ? undefined : sizeRule(volume.fileCache.size);
  if (cacheRule !== undefined) {
    refuse('fileCache.size', volume.fileCache?.size, cacheRule, 'write it as in 50Gi');
  }
  if (volume.profile !== undefined) {
    if (volume.form !== 'persistent-volume') {
      refuse(
        'profile',
        volume.profile,
        'a profile is a StorageClass, so it works only with form: persistent-volume',
        'set form: persistent-volume, or leave the profile out',
      );
    }
    if (isClusterOlder(platform, PROFILE_GKE_VERSION)) {
      refuse(
        'profile',
        volume.profile,
        `the gcsfusecsi StorageClasses come with GKE ${PROFILE_GKE_VERSION}, the cluster has ${platform.cluster.version}`,
        'leave the profile out, or raise cluster.version in platform.yaml',
      );
    }
    if (volume.fileCache !== undefined) {
      refuse(
        'fileCache',
        volume.fileCache.size,
        'a profile sizes the file cache itself',
        'leave either the profile or the file cache out',
      );
    }
  }
  for (const [key, value] of Object.entries(volume.sidecar ?? {})) {
    if (typeof value !== 'string') continue;
    if (parseQuantity(value) === undefined)
      refuse(`sidecar.${key}`, value, QUANTITY_RULE, 'write it as in 2Gi');
    else if (platform.cluster.mode === 'autopilot' && parseQuantity(value) === 0) {
      refuse(
        `sidecar.${key}`,
        value,
        'Autopilot gives every container a limit, so "0" (no limit) is not allowed there',
        'write a number, or leave it out for the default',
      );
    }
  }
  if (isClusterOlder(platform, NATIVE_SIDECAR_GKE_VERSION)) {
    refuse(
      'kind',
      'gcs-fuse',
      `before GKE ${NATIVE_SIDECAR_GKE_VERSION} the FUSE sidecar is no native one: KubeRay's waiting init container cannot see the mount and the pod stalls; the cluster has ${platform.cluster.version}`,
      'raise cluster.version in platform.yaml',
    );
  }
  return problems;
}

/** Why a size of a volume or cache is none, or undefined. */
function sizeRule(size: string): string | undefined {
  const bytes = parseQuantity(size);
  if (bytes === undefined) return QUANTITY_RULE;
  return bytes < 2 ** 20 ? 'a size is counted in bytes, at least 1Mi' : undefined;
}

function checkMountOption(
  option: string,
  hasUser: boolean,
  refuse: (rule: string, fix: string) => void,
): void {
  if (option === '' || /[\s,]/.test(option)) {
    refuse('one mount option an entry, without blanks and commas', 'split it into entries of the list');
    return;
  }
  if (option.startsWith(UNCHECKED_OPTION)) return;
  const parsed = parseMountOption(option);
  const key = parsed.name;
  // An option is written as name, name=value or name:value, and some names hold one colon.
  const [first = '', second = ''] = option.split(/[:=]/);
  const own = OWN_OPTIONS.get(first) ?? OWN_OPTIONS.get(`${first}:${second}`);
  if (own !== undefined) {
    refuse(`${key} follows from the volume's ${own}`, `set ${own} instead`);
    return;
  }
  const user = hasUser ? USER_OPTIONS.get(first) : undefined;
  if (user !== undefined) {
    refuse(
      `files belong to the user of the pods, so that ${first} follows from ${user}`,
      `set ${user} instead`,
    );
    return;
  }
  if (parsed.isDrivers) {
    refuse(`${key} is the CSI driver's own to set`, 'remove it');
  } else if (parsed.kind === undefined) {
    const nearest = nearestName(key.replaceAll('_', '-'), MOUNT_OPTIONS);
    refuse(
      `gcsfuse knows no option ${key}`,
      `${nearest === undefined ? 'correct its name' : `write ${nearest}`}, or ${UNCHECKED_OPTION}${option} to hand it on unseen to a newer gcsfuse`,
    );
  } else {
    const error = mountOptionError(parsed);
    if (error !== undefined) refuse(error.rule, error.fix);
  }
}

function checkDuplicatePaths(volumes: readonly VolumeSpec[]): Problem[] {
  return volumes.flatMap((volume, index) => {
    const earlier = volumes.findIndex((other) => other.mountPath === volume.mountPath);
    if (earlier === index) return [];
    return [
      {
        path: `[${String(index)}].mountPath`,
        value: volume.mountPath,
        rule: `no two volumes share a mount path, and volume ${String(earlier)} is mounted there already`,
        fix: 'mount one of them elsewhere',
      },
    ];
  });
}

/** The driver mounts an ephemeral bucket once per pod and folder: a second identical mount fails at pod start. */
function checkDuplicateBuckets(volumes: readonly VolumeSpec[], platform: Platform): Problem[] {
  const key = (volume: VolumeSpec): string | undefined =>
    volume.kind === 'gcs-fuse' ? `${bucketOf(volume, platform) ?? ''}/${volume.onlyDir ?? ''}` : undefined;
  return volumes.flatMap((volume, index) => {
    const own = key(volume);
    if (own === undefined) return [];
    const earlier = volumes.findIndex((other) => key(other) === own);
    if (earlier === index) return [];
    return [
      {
        path: `[${String(index)}].bucket`,
        value: own.replace(/\/$/, ''),
        rule: `a pod mounts a bucket, or one folder of it, once, and volume ${String(earlier)} does so already`,
        fix: 'use one volume, or give each its own onlyDir',
      },
    ];
  });
}

/** The kubelet mounts a claim once in a pod: a second volume of it never comes, and the pod does not start. */
function checkDuplicateClaims(volumes: readonly VolumeSpec[]): Problem[] {
  return volumes.flatMap((volume, index) => {
    if (volume.kind !== 'claim') return [];
    const earlier = volumes.findIndex(
      (other) => other.kind === 'claim' && other.claimName === volume.claimName,
    );
    if (earlier === index) return [];
    return [
      {
        path: `[${String(index)}].claimName`,
        value: volume.claimName,
        rule: `a pod mounts a claim once, and volume ${String(earlier)} does so already`,
        fix: 'use one volume, or a second claim',
      },
    ];
  });
}

function checkHandles(volumes: readonly VolumeSpec[], platform: Platform): Problem[] {
  if (!isClusterOlder(platform, HANDLE_SUFFIX_GKE_VERSION)) return [];
  return volumes.flatMap((volume, index) =>
    volume.kind !== 'gcs-fuse' || handleSuffixOf(volumes, index, platform) === undefined
      ? []
      : [
          {
            path: `[${String(index)}].form`,
            value: volume.form,
            rule: `before GKE 1.33 a pod mounts one PersistentVolume per bucket, and another volume has ${bucketOf(volume, platform) ?? ''} already; the cluster has ${platform.cluster.version}`,
            fix: 'use form: ephemeral, or raise cluster.version in platform.yaml',
          },
        ],
  );
}

/** A pod has one FUSE sidecar with one cache, whatever the number of its volumes: what two of them say about it must agree. */
function checkOneSidecar(volumes: readonly VolumeSpec[]): Problem[] {
  const said = new Map<string, { readonly path: string; readonly value: string }>();
  return volumes.flatMap((volume, index) => {
    if (volume.kind !== 'gcs-fuse') return [];
    const own = [
      ...Object.entries(volume.sidecar ?? {}).map(([key, value]) => [`sidecar.${key}`, value] as const),
      ...(volume.fileCache === undefined
        ? []
        : [['fileCache.medium', volume.fileCache.medium ?? 'memory'] as const]),
    ];
    return own.flatMap(([key, value]) => {
      if (typeof value !== 'string') return [];
      const path = `[${String(index)}].${key}`;
      const earlier = said.get(key);
      if (earlier === undefined) said.set(key, { path, value });
      if (earlier === undefined || isSameAmount(earlier.value, value)) return [];
      return [
        {
          path,
          value,
          rule: `a pod has one FUSE sidecar for all its buckets, and volumes${earlier.path} says ${earlier.value}`,
          fix: 'write the same in both, or leave it out of one',
        },
      ];
    });
  });
}

function isSameAmount(a: string, b: string): boolean {
  return a === b || (parseQuantity(a) !== undefined && parseQuantity(a) === parseQuantity(b));
}
