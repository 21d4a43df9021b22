import { nestProblems, problem, type Problem } from '../problems';
import { gcsFuseVolumeFinder } from './gcs-fuse';
import type { Manifest } from './manifest';
import { forEachManifest, type ManifestRule } from './rule';

/** On the host network the FUSE driver cannot reach the metadata server, unless it is told to use the pod's service account. */
export const gcsFuseHostNetwork: ManifestRule = (manifests, options) => {
  const find = gcsFuseVolumeFinder(manifests);
  const check = (manifest: Manifest): Problem[] =>
    manifest.pods
      .filter((pod) => pod.spec['hostNetwork'] === true)
      .flatMap((pod) =>
        nestProblems(
          pod.path,
          find(manifest, pod)
            .filter(({ attributes }) => attributes['hostNetworkPodKSA'] !== 'true')
            .map(({ path, name }) =>
              problem(
                'GCS_FUSE_HOST_NETWORK',
                [...path, 'csi', 'volumeAttributes', 'hostNetworkPodKSA'],
                undefined,
                { name: String(name) },
              ),
            ),
        ),
      );
  return forEachManifest(check)(manifests, options);
};
