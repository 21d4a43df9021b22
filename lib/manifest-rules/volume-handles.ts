import { pathText, problem } from '../problems';
import { nestProblems, type Problem } from '../problems';
import { asList, asObject, asText } from './json';
import type { Manifest, PodView } from './manifest';
import { forEachManifest, type ManifestRule } from './rule';

/**
 * No two volumes of a pod are one volume to the kubelet, which tells them apart by driver and handle and mounts each once: the pod would
 * wait for the second for ever. So a claim is mounted once, and PersistentVolumes of one bucket have handles of their own (`bucket:suffix`).
 * @see https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/issues/48
 */
export const volumeHandles: ManifestRule = (manifests, options) => {
  const handles = handlesOfClaims(manifests);
  const check = (manifest: Manifest): Problem[] =>
    manifest.pods.flatMap((pod) => nestProblems(pod.path, checkPod(pod, manifest.namespace ?? '', handles)));
  return forEachManifest(check)(manifests, options);
};

function checkPod(pod: PodView, namespace: string, handles: ReadonlyMap<string, string>): Problem[] {
  const seen = new Map<string, string>();
  return asList(pod.spec['volumes']).flatMap((value, index): Problem[] => {
    const claim = asText(asObject(asObject(value)['persistentVolumeClaim'])['claimName']);
    if (claim === undefined) return [];
    const handle = handles.get(`${namespace}/${claim}`);
    const key = handle ?? `claim ${claim}`;
    const path = ['spec', 'volumes', index];
    const earlier = seen.get(key);
    if (earlier === undefined) {
      seen.set(key, pathText(path));
      return [];
    }
    return [
      problem('VOLUME_HANDLE_TWICE', [...path, 'persistentVolumeClaim', 'claimName'], claim, {
        earlier,
        text: handle === undefined ? '' : ` (${handle})`,
      }),
    ];
  });
}

/** Driver and handle behind each rendered claim, by `namespace/name`. */
function handlesOfClaims(manifests: readonly Manifest[]): ReadonlyMap<string, string> {
  const volumes = new Map<unknown, string>();
  for (const { kind, name, object } of manifests) {
    const { driver, volumeHandle } = asObject(asObject(object['spec'])['csi']);
    if (kind === 'PersistentVolume' && typeof driver === 'string' && typeof volumeHandle === 'string')
      volumes.set(name, `${driver} ${volumeHandle}`);
  }
  const claims = new Map<string, string>();
  for (const { kind, namespace, name, object } of manifests) {
    if (kind !== 'PersistentVolumeClaim') continue;
    const handle = volumes.get(asObject(object['spec'])['volumeName']);
    if (handle !== undefined) claims.set(`${namespace ?? ''}/${name}`, handle);
  }
  return claims;
}
