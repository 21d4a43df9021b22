import type { KubernetesObject } from './kubernetes-object';

interface Resource {
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Where the API serves the kinds that this suite handles. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  'v1 ConfigMap': { group: 'api/v1', plural: 'configmaps', namespaced: true },
  'v1 Event': { group: 'api/v1', plural: 'events', namespaced: true },
  'v1 Namespace': { group: 'api/v1', plural: 'namespaces', namespaced: false },
  'v1 Node': { group: 'api/v1', plural: 'nodes', namespaced: false },
  'v1 PersistentVolume': { group: 'api/v1', plural: 'persistentvolumes', namespaced: false },
  'v1 PersistentVolumeClaim': { group: 'api/v1', plural: 'persistentvolumeclaims', namespaced: true },
  'v1 Pod': { group: 'api/v1', plural: 'pods', namespaced: true },
  'v1 Secret': { group: 'api/v1', plural: 'secrets', namespaced: true },
  'v1 Service': { group: 'api/v1', plural: 'services', namespaced: true },
  'v1 ServiceAccount': { group: 'api/v1', plural: 'serviceaccounts', namespaced: true },
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration': {
    group: 'apis/admissionregistration.k8s.io/v1',
    plural: 'mutatingwebhookconfigurations',
    namespaced: false,
  },
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration': {
    group: 'apis/admissionregistration.k8s.io/v1',
    plural: 'validatingwebhookconfigurations',
    namespaced: false,
  },
  'apiextensions.k8s.io/v1 CustomResourceDefinition': {
    group: 'apis/apiextensions.k8s.io/v1',
    plural: 'customresourcedefinitions',
    namespaced: false,
  },
  'batch/v1 Job': { group: 'apis/batch/v1', plural: 'jobs', namespaced: true },
  'cloud.google.com/v1 ComputeClass': {
    group: 'apis/cloud.google.com/v1',
    plural: 'computeclasses',
    namespaced: false,
  },
  'discovery.k8s.io/v1 EndpointSlice': {
    group: 'apis/discovery.k8s.io/v1',
    plural: 'endpointslices',
    namespaced: true,
  },
  'monitoring.googleapis.com/v1 PodMonitoring': {
    group: 'apis/monitoring.googleapis.com/v1',
    plural: 'podmonitorings',
    namespaced: true,
  },
  'ray.io/v1 RayCluster': { group: 'apis/ray.io/v1', plural: 'rayclusters', namespaced: true },
  'rbac.authorization.k8s.io/v1 ClusterRole': {
    group: 'apis/rbac.authorization.k8s.io/v1',
    plural: 'clusterroles',
    namespaced: false,
  },
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': {
    group: 'apis/rbac.authorization.k8s.io/v1',
    plural: 'clusterrolebindings',
    namespaced: false,
  },
  'rbac.authorization.k8s.io/v1 Role': {
    group: 'apis/rbac.authorization.k8s.io/v1',
    plural: 'roles',
    namespaced: true,
  },
  'rbac.authorization.k8s.io/v1 RoleBinding': {
    group: 'apis/rbac.authorization.k8s.io/v1',
    plural: 'rolebindings',
    namespaced: true,
  },
  'resource.k8s.io/v1 DeviceClass': {
    group: 'apis/resource.k8s.io/v1',
    plural: 'deviceclasses',
    namespaced: false,
  },
  'resource.k8s.io/v1 ResourceClaim': {
    group: 'apis/resource.k8s.io/v1',
    plural: 'resourceclaims',
    namespaced: true,
  },
  'resource.k8s.io/v1 ResourceClaimTemplate': {
    group: 'apis/resource.k8s.io/v1',
    plural: 'resourceclaimtemplates',
    namespaced: true,
  },
  'resource.k8s.io/v1 ResourceSlice': {
    group: 'apis/resource.k8s.io/v1',
    plural: 'resourceslices',
    namespaced: false,
  },
  'storage.k8s.io/v1 CSIDriver': { group: 'apis/storage.k8s.io/v1', plural: 'csidrivers', namespaced: false },
  'storage.k8s.io/v1 StorageClass': {
    group: 'apis/storage.k8s.io/v1',
    plural: 'storageclasses',
    namespaced: false,
  },
};

/** Identity of a kind: `apiVersion Kind`. */
export type KindName = keyof typeof RESOURCES;

/** Path of all objects of a kind, in one namespace or in all. */
export function collectionPath(kind: string, namespace?: string): string {
  const resource = resourceOf(kind);
  const scope = resource.namespaced && namespace !== undefined ? `namespaces/${namespace}/` : '';
  return `/${resource.group}/${scope}${resource.plural}`;
}

/** Path of one object. An object of a namespaced kind that names no namespace lands in `default`, as with kubectl. */
export function objectPath(object: KubernetesObject): string {
  const kind = `${object.apiVersion} ${object.kind}`;
  const { name, namespace } = object.metadata;
  if (name === undefined) throw new Error(`${kind} has no name: give metadata.name`);
  return `${collectionPath(kind, namespace ?? 'default')}/${name}`;
}

function resourceOf(kind: string): Resource {
  const resource = RESOURCES[kind];
  if (resource === undefined) {
    throw new Error(`kind '${kind}' is not known to this suite: add its path to test/cluster/api-paths.ts`);
  }
  return resource;
}
