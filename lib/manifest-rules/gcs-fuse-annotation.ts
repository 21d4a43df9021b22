import { nestProblems, problem, type Problem } from '../problems';
import { GCS_FUSE_ANNOTATION } from '../kubernetes/gcs-fuse';
import { gcsFuseVolumeFinder, isGcsFuseSidecarVolume } from './gcs-fuse';
import { asList, asObject } from './json';
import type { Manifest, PodView } from './manifest';
import { forEachManifest, type ManifestRule } from './rule';

const PATH = ['metadata', 'annotations', GCS_FUSE_ANNOTATION];

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
    return [problem('GCS_FUSE_ANNOTATION_MISSING', PATH, value)];
  }
  const volumes = asList(pod.spec['volumes']).map(asObject);
  const idle = volumes
    .map((volume) => volume['name'])
    .filter(isGcsFuseSidecarVolume)
    .map((name) =>
      problem(
        'GCS_FUSE_VOLUME_RESERVED',
        ['spec', 'volumes', volumes.findIndex((volume) => volume['name'] === name), 'name'],
        name,
      ),
    );
  // A claim that is not rendered here may be served by GCS FUSE; only the cluster knows.
  const mayHaveVolume = volumes.some((volume) => volume['persistentVolumeClaim'] !== undefined);
  if (value === undefined || mayHaveVolume) return idle;
  return [...idle, problem('GCS_FUSE_ANNOTATION_IDLE', PATH, value)];
}
