import type { Path } from '../problems';
import { GCS_FUSE_CACHE_VOLUME, GCS_FUSE_DRIVER } from '../kubernetes/gcs-fuse';
import { asList, asObject, type JsonObject } from './json';
import type { Manifest, PodView } from './manifest';

/** StorageClasses of GCS FUSE profiles: `gcsfusecsi-training` and others. */
const PROFILE_CLASS = /^gcsfusecsi-/;

const SIDECAR_VOLUMES: readonly unknown[] = [GCS_FUSE_CACHE_VOLUME, 'gke-gcsfuse-buffer', 'gke-gcsfuse-tmp'];

/** True for the volume names the sidecar takes for itself; containers do not mount them. */
export function isGcsFuseSidecarVolume(name: unknown): boolean {
  return SIDECAR_VOLUMES.includes(name);
}

/** A volume of a pod that GCS FUSE serves. */
export interface GcsFuseVolumeView {
  /** Path below the pod's template. */
  readonly path: Path;
  readonly name: unknown;
  /** Attributes of the ephemeral volume or of the PersistentVolume; empty if the claim leads nowhere known. */
  readonly attributes: JsonObject;
}

/** Finds the GCS FUSE volumes of pods, also those behind a claim that is rendered with them. */
export function gcsFuseVolumeFinder(
  manifests: readonly Manifest[],
): (manifest: Manifest, pod: PodView) => GcsFuseVolumeView[] {
  const claims = gcsFuseClaims(manifests);
  return (manifest, pod) =>
    asList(pod.spec['volumes']).flatMap((value, index): GcsFuseVolumeView[] => {
      const volume = asObject(value);
      const csi = asObject(volume['csi']);
      const claim = asObject(volume['persistentVolumeClaim'])['claimName'];
      const attributes =
        csi['driver'] === GCS_FUSE_DRIVER
          ? asObject(csi['volumeAttributes'])
          : claims.get(`${manifest.namespace ?? ''}/${String(claim)}`);
      return attributes === undefined
        ? []
        : [{ path: ['spec', 'volumes', index], name: volume['name'], attributes }];
    });
}

/** The claims that GCS FUSE serves, as `namespace/name`, with the volume's attributes. */
function gcsFuseClaims(manifests: readonly Manifest[]): Map<string, JsonObject> {
  const volumes = new Map<unknown, JsonObject>();
  for (const { kind, name, object } of manifests) {
    const csi = asObject(asObject(object['spec'])['csi']);
    if (kind === 'PersistentVolume' && csi['driver'] === GCS_FUSE_DRIVER)
      volumes.set(name, asObject(csi['volumeAttributes']));
  }
  const claims = new Map<string, JsonObject>();
  for (const { kind, namespace, name, object } of manifests) {
    if (kind !== 'PersistentVolumeClaim') continue;
    const spec = asObject(object['spec']);
    const hasProfile = PROFILE_CLASS.test(String(spec['storageClassName']));
    const attributes = volumes.get(spec['volumeName']) ?? (hasProfile ? {} : undefined);
    if (attributes !== undefined) claims.set(`${namespace ?? ''}/${name}`, attributes);
  }
  return claims;
}
