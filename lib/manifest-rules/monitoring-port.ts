import { pathText, problem } from '../problems';
import { METRICS_PORT } from '../kuberay/ports';
import { asList, asObject, asText, type JsonObject } from './json';
import type { Manifest, ManifestProblem, PodView } from './manifest';
import { portUses } from './port-uses';
import type { ManifestRule } from './rule';

/**
 * The port that a PodMonitoring reads is one of every pod that it selects: a pod without it has no metrics, in silence. A Ray container has
 * the port `metrics` from KubeRay unless it declares one, and it must be the one to which Ray exports.
 */
export const monitoringPort: ManifestRule = (manifests) =>
  manifests
    .filter(({ kind }) => kind === 'PodMonitoring')
    .flatMap((monitoring) => {
      const spec = asObject(monitoring.object['spec']);
      const wanted = asObject(asObject(spec['selector'])['matchLabels']);
      const selected = manifests
        .filter(({ namespace }) => namespace === monitoring.namespace)
        .flatMap((manifest) =>
          manifest.pods
            .filter((pod) => hasLabels(labelsOf(manifest, pod), wanted))
            .map((pod) => ({ manifest, pod })),
        );
      return asList(spec['endpoints']).flatMap((endpoint, index) => {
        const { port } = asObject(endpoint);
        return selected.flatMap(({ manifest, pod }): ManifestProblem[] => {
          const rule = missing(port, pod);
          return rule === undefined
            ? []
            : [
                {
                  object: monitoring.id,
                  ...problem('MONITORING_PORT', ['spec', 'endpoints', index, 'port'], port, {
                    object: manifest.id,
                    place: pathText(pod.path),
                    rule,
                    name: METRICS_PORT.name,
                  }),
                },
              ];
        });
      });
    });

/** Labels that a pod has when it runs: KubeRay adds its own. */
function labelsOf(manifest: Manifest, pod: PodView): JsonObject {
  const own = asObject(pod.metadata['labels']);
  if (pod.rayNode === undefined) return own;
  return {
    ...own,
    'ray.io/cluster': manifest.name,
    'ray.io/node-type': pod.rayNode,
    'ray.io/is-ray-node': 'yes',
    'ray.io/group': pod.rayNode === 'head' ? 'headgroup' : pod.group['groupName'],
  };
}

function hasLabels(labels: JsonObject, wanted: JsonObject): boolean {
  const entries = Object.entries(wanted);
  return entries.length > 0 && entries.every(([key, value]) => labels[key] === value);
}

/** What a pod lacks of a port, or undefined. */
function missing(port: unknown, pod: PodView): string | undefined {
  if (typeof port === 'number') {
    return pod.rayNode === undefined || portUses(pod).some(({ number }) => number === port)
      ? undefined
      : 'listens on it nowhere';
  }
  const name = asText(port);
  if (name === undefined) return undefined;
  const declared = pod.containers
    .flatMap(({ container }) => asList(container['ports']))
    .map(asObject)
    .find((each) => each['name'] === name);
  const isMetrics = pod.rayNode !== undefined && name === METRICS_PORT.name;
  const number = declared?.['containerPort'] ?? (isMetrics ? METRICS_PORT.port : undefined);
  if (number === undefined) return 'has no port of this name';
  if (!isMetrics) return undefined;
  const exported = Number(asObject(pod.group['rayStartParams'])['metrics-export-port'] ?? METRICS_PORT.port);
  return number === exported
    ? undefined
    : `has it at ${JSON.stringify(number)}, while Ray exports on ${String(exported)}`;
}
