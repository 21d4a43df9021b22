import type { KubernetesObject } from './kubernetes-object';

/** DeviceClass of network cards that GKE's managed DRANET brings. */
export const NETWORK_DEVICE_CLASS = 'netdev.google.com';

/** Driver that publishes network cards as devices. */
export const NETWORK_DRIVER = 'dra.net';

/** Cluster-wide objects that GKE brings along, as far as manifests can name them. */
export function gkeObjects(): KubernetesObject[] {
  return [deviceClass(), fuseDriver(), computeClassDefinition(), podMonitoringDefinition()];
}

function deviceClass(): KubernetesObject {
  const object = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: NETWORK_DEVICE_CLASS },
    spec: { selectors: [{ cel: { expression: `device.driver == '${NETWORK_DRIVER}'` } }] },
  };
  return object;
}

function fuseDriver(): KubernetesObject {
  const object = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'gcsfuse.csi.storage.gke.io' },
    spec: {
      attachRequired: false,
      podInfoOnMount: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      requiresRepublish: true,
    },
  };
  return object;
}

/**
 * ComputeClass, with the fields that GKE documents for node pools with an accelerator network profile and no others, so
 * that a wrong name is refused.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
 */
function computeClassDefinition(): KubernetesObject {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const record = (properties: Readonly<Record<string, unknown>>): unknown => ({ type: 'object', properties });
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'computeclasses.cloud.google.com' },
    spec: {
      group: 'cloud.google.com',
      names: { kind: 'ComputeClass', plural: 'computeclasses', singular: 'computeclass' },
      scope: 'Cluster',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: record({
              spec: {
                type: 'object',
                required: ['priorities'],
                properties: {
                  nodePoolAutoCreation: record({ enabled: flag }),
                  nodePoolConfig: record({ dra: record({ networking: record({ enabled: flag }) }) }),
                  priorities: {
                    type: 'array',
                    items: record({ machineType: text, acceleratorNetworkProfile: text, spot: flag }),
                  },
                  whenUnsatisfiable: text,
                },
              },
            }),
          },
        },
      ],
    },
  };
  return object;
}

/**
 * PodMonitoring, with the fields that this project writes and no others, so that a wrong name is refused.
 * @see https://github.com/GoogleCloudPlatform/prometheus-engine doc/api.md
 */
function podMonitoringDefinition(): KubernetesObject {
  const text = { type: 'string' };
  const object = (properties: Readonly<Record<string, unknown>>): unknown => ({ type: 'object', properties });
  const many = (items: unknown): unknown => ({ type: 'array', items });
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'podmonitorings.monitoring.googleapis.com' },
    spec: {
      group: 'monitoring.googleapis.com',
      names: { kind: 'PodMonitoring', plural: 'podmonitorings', singular: 'podmonitoring' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: object({
              spec: {
                type: 'object',
                required: ['endpoints', 'selector'],
                properties: {
                  selector: object({ matchLabels: { type: 'object', additionalProperties: text } }),
                  endpoints: many(
                    object({ port: { 'x-kubernetes-int-or-string': true }, path: text, interval: text }),
                  ),
                  targetLabels: object({ fromPod: many(object({ from: text, to: text })) }),
                },
              },
            }),
          },
        },
      ],
    },
  };
  return definition;
}
