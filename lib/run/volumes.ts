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
import { nestProblems, pathText, problem } from '../problems';
import type { Path, Problem } from '../problems';
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
    ...volumes.flatMap((volume, index) => checkVolume(volume, [index], platform, hasUser)),
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

function checkVolume(volume: VolumeSpec, path: Path, platform: Platform, hasUser: boolean): Problem[] {
  const problems = checkMountPath([...path, 'mountPath'], volume.mountPath, volume.kind);
  if (volume.kind === 'empty-dir') {
    const rule = sizeRule(volume.size);
    if (rule !== undefined) {
      problems.push(problem('VOLUME_SIZE', [...path, 'size'], volume.size, { reason: rule }));
    }
  }
  if (volume.kind === 'claim') {
    const nameProblem = dns1123SubdomainError(volume.claimName);
    if (nameProblem !== undefined) {
      problems.push(problem('CLAIM_NAME', [...path, 'claimName'], volume.claimName, { reason: nameProblem }));
    }
  }
  if (volume.kind === 'gcs-fuse') problems.push(...checkGcsFuse(volume, path, platform, hasUser));
  return problems;
}

function checkGcsFuse(
  volume: GcsFuseVolumeSpec,
  path: Path,
  platform: Platform,
  hasUser: boolean,
): Problem[] {
  const problems: Problem[] = [];
  const refuse = (...found: Problem[]): void => {
    problems.push(...nestProblems(path, found));
  };
  const bucket = bucketOf(volume, platform);
  if (bucket === undefined) {
    refuse(problem('BUCKET_MISSING', ['bucket'], undefined));
  } else if (volume.bucket !== undefined) {
    const misnamed = bucketNameProblem(volume.bucket);
    if (misnamed !== undefined) refuse(...nestProblems(['bucket'], [misnamed]));
  }
  if (volume.onlyDir !== undefined) {
    if (!/^[^/\s,][^\s,]*$/.test(volume.onlyDir)) {
      refuse(
        problem('ONLY_DIR', ['onlyDir'], volume.onlyDir, {
          onlyDir: volume.onlyDir.replace(/^\/+/, '').replace(/[\s,]/g, '-') || 'the folder name',
        }),
      );
    } else if (volume.onlyDir.split('/').some((part) => part === '..' || part === '.')) {
      refuse(problem('ONLY_DIR_DOTS', ['onlyDir'], volume.onlyDir));
    }
  }
  for (const [index, option] of (volume.mountOptions ?? []).entries()) {
    refuse(...nestProblems(['mountOptions', index], checkMountOption(option, hasUser)));
  }
  const cacheRule = volume.fileCache === undefined ? undefined : sizeRule(volume.fileCache.size);
  if (cacheRule !== undefined) {
    refuse(problem('VOLUME_SIZE', ['fileCache', 'size'], volume.fileCache?.size, { reason: cacheRule }));
  }
  if (volume.profile !== undefined) {
    if (volume.form !== 'persistent-volume') {
      refuse(problem('PROFILE_FORM', ['profile'], volume.profile));
    }
    if (isClusterOlder(platform, PROFILE_GKE_VERSION)) {
      refuse(
        problem('PROFILE_GKE_VERSION', ['profile'], volume.profile, {
          minimum: PROFILE_GKE_VERSION,
          version: platform.cluster.version,
        }),
      );
    }
    if (volume.fileCache !== undefined) {
      refuse(problem('PROFILE_FILE_CACHE', ['fileCache'], volume.fileCache.size));
    }
  }
  for (const [key, value] of Object.entries(volume.sidecar ?? {})) {
    if (typeof value !== 'string') continue;
    if (parseQuantity(value) === undefined)
      refuse(problem('SIDECAR_QUANTITY', ['sidecar', key], value, { reason: QUANTITY_RULE }));
    else if (platform.cluster.mode === 'autopilot' && parseQuantity(value) === 0) {
      refuse(problem('SIDECAR_UNLIMITED', ['sidecar', key], value));
    }
  }
  if (isClusterOlder(platform, NATIVE_SIDECAR_GKE_VERSION)) {
    refuse(
      problem('GCS_FUSE_GKE_VERSION', ['kind'], 'gcs-fuse', {
        minimum: NATIVE_SIDECAR_GKE_VERSION,
        version: platform.cluster.version,
      }),
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

function checkMountOption(option: string, hasUser: boolean): Problem[] {
  if (option === '' || /[\s,]/.test(option)) {
    return [problem('MOUNT_OPTION_FORM', [], option)];
  }
  if (option.startsWith(UNCHECKED_OPTION)) return [];
  const parsed = parseMountOption(option);
  const key = parsed.name;
  // An option is written as name, name=value or name:value, and some names hold one colon.
  const [first = '', second = ''] = option.split(/[:=]/);
  const own = OWN_OPTIONS.get(first) ?? OWN_OPTIONS.get(`${first}:${second}`);
  if (own !== undefined) return [problem('MOUNT_OPTION_OWNED', [], option, { key, own })];
  const user = hasUser ? USER_OPTIONS.get(first) : undefined;
  if (user !== undefined) return [problem('MOUNT_OPTION_USER', [], option, { first, user })];
  if (parsed.isDrivers) return [problem('MOUNT_OPTION_DRIVER', [], option, { key })];
  if (parsed.kind === undefined) {
    const nearest = nearestName(key.replaceAll('_', '-'), MOUNT_OPTIONS);
    const advice = nearest === undefined ? 'correct its name' : `write ${nearest}`;
    return [
      problem('MOUNT_OPTION_UNKNOWN', [], option, { key, advice, unchecked: `${UNCHECKED_OPTION}${option}` }),
    ];
  }
  const error = mountOptionError(parsed);
  return error === undefined
    ? []
    : [problem('MOUNT_OPTION_VALUE', [], option, { reason: error.rule, advice: error.fix })];
}

function checkDuplicatePaths(volumes: readonly VolumeSpec[]): Problem[] {
  return volumes.flatMap((volume, index) => {
    const earlier = volumes.findIndex((other) => other.mountPath === volume.mountPath);
    if (earlier === index) return [];
    return [problem('MOUNT_PATH_TAKEN', [index, 'mountPath'], volume.mountPath, { earlier })];
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
    return [problem('BUCKET_MOUNTED_TWICE', [index, 'bucket'], own.replace(/\/$/, ''), { earlier })];
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
    return [problem('CLAIM_MOUNTED_TWICE', [index, 'claimName'], volume.claimName, { earlier })];
  });
}

function checkHandles(volumes: readonly VolumeSpec[], platform: Platform): Problem[] {
  if (!isClusterOlder(platform, HANDLE_SUFFIX_GKE_VERSION)) return [];
  return volumes.flatMap((volume, index) =>
    volume.kind !== 'gcs-fuse' || handleSuffixOf(volumes, index, platform) === undefined
      ? []
      : [
          problem('PERSISTENT_VOLUME_TWICE', [index, 'form'], volume.form, {
            bucket: bucketOf(volume, platform) ?? '',
            version: platform.cluster.version,
          }),
        ],
  );
}

/** A pod has one FUSE sidecar with one cache, whatever the number of its volumes: what two of them say about it must agree. */
function checkOneSidecar(volumes: readonly VolumeSpec[]): Problem[] {
  const said = new Map<string, { readonly path: Path; readonly value: string }>();
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
      const path = [index, ...key.split('.')];
      const earlier = said.get(key);
      if (earlier === undefined) said.set(key, { path, value });
      if (earlier === undefined || isSameAmount(earlier.value, value)) return [];
      return [
        problem('SIDECAR_DIFFERS', path, value, {
          place: pathText(earlier.path),
          value: earlier.value,
        }),
      ];
    });
  });
}

function isSameAmount(a: string, b: string): boolean {
  return a === b || (parseQuantity(a) !== undefined && parseQuantity(a) === parseQuantity(b));
}
