import { nestProblems, type Problem } from '../problem';
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
            .map(({ path, name }) => ({
              path: `${path}.csi.volumeAttributes.hostNetworkPodKSA`,
              value: undefined,
              rule: `GCS FUSE volume '${String(name)}' works on the host network only with hostNetworkPodKSA "true"`,
              fix: 'set the attribute, or use the pod network',
            })),
        ),
      );
  return forEachManifest(check)(manifests, options);
};
