import { problem } from '../problems';
import { asObject, asText } from './json';
import type { ManifestRule } from './rule';

/** The label by which KubeRay marks the pods of a RayCluster. */
const CLUSTER_LABEL = 'ray.io/cluster';

/** A PodMonitoring that selects the pods of a RayCluster names one of its namespace: another selects nothing, in silence. */
export const monitoringSelector: ManifestRule = (manifests) =>
  manifests
    .filter(({ kind }) => kind === 'PodMonitoring')
    .flatMap(({ object, namespace, id }) => {
      const labels = asObject(asObject(asObject(object['spec'])['selector'])['matchLabels']);
      const name = asText(labels[CLUSTER_LABEL]);
      const isThere = manifests.some(
        (other) => other.kind === 'RayCluster' && other.name === name && other.namespace === namespace,
      );
      return name === undefined || isThere
        ? []
        : [
            {
              object: id,
              ...problem('MONITORING_SELECTOR', ['spec', 'selector', 'matchLabels', CLUSTER_LABEL], name),
            },
          ];
    });
