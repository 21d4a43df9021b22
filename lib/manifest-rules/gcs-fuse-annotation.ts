import { nestProblems, type Problem } from '../problem';
import { GCS_FUSE_ANNOTATION } from '../kubernetes/gcs-fuse';
import { gcsFuseVolumeFinder, isGcsFuseSidecarVolume } from './gcs-fuse';
import { asList, asObject, fieldPath } from './json';
import type { Manifest, PodView } from './manifest';
import { forEachManifest, type ManifestRule } from './rule';

const PATH = fieldPath('metadata.annotations', GCS_FUSE_ANNOTATION);

/**
 * A pod with a GCS FUSE volume, ephemeral or behind a claim, carries the annotation that brings the sidecar, and only such a pod: without
 * it the pod hangs in creation, with it for nothing every pod pays for a sidecar. The sidecar's own volumes need it, too.
 */
export const gcsFuseAnnotation: ManifestRule = (manifests, options) => {
  const find = gcsFuseVolumeFinder(manifests);
  const check = (manifest: Manifest): Problem[] =>
    manifest.pods.flatMap((pod) =>
      nestProblems(pod.path, annotationProblems(pod, find(manifest, pod).length > 0)),
    );
  return forEachManifest(check)(manifests, options);
};

function annotationProblems(pod: PodView, hasVolume: boolean): Problem[] {
  const value = asObject(pod.metadata['annotations'])[GCS_FUSE_ANNOTATION];
  if (hasVolume) {
    if (value === 'true') return [];
    const rule = 'a pod with a GCS FUSE volume has this annotation, with the string "true"';
    return [{ path: PATH, value, rule, fix: 'add it to the metadata of the pod template' }];
  }
  const volumes = asList(pod.spec['volumes']).map(asObject);
  const idle = volumes
    .map((volume) => volume['name'])
    .filter(isGcsFuseSidecarVolume)
    .map((name) => ({
      path: `spec.volumes[${volumes.findIndex((volume) => volume['name'] === name)}].name`,
      value: name,
      rule: 'this name is reserved for the GCS FUSE sidecar, and the pod has no GCS FUSE volume',
      fix: 'add the GCS FUSE volume, or rename this one',
    }));
  // A claim that is not rendered here may be served by GCS FUSE; only the cluster knows.
  const mayHaveVolume = volumes.some((volume) => volume['persistentVolumeClaim'] !== undefined);
  if (value === undefined || mayHaveVolume) return idle;
  const rule = 'only a pod with a GCS FUSE volume has this annotation: it brings a sidecar';
  return [...idle, { path: PATH, value, rule, fix: 'remove it, or add the volume' }];
}
