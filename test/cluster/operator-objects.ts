import { readFileSync } from 'node:fs';
import type { KubernetesObject } from './kubernetes-object';

interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly schema?: unknown }[];
  };
}

const OPERATOR_USER = 'system:serviceaccount:ray-system:kuberay-operator';

/**
 * What an installation of KubeRay brings: its CustomResourceDefinitions, its ClusterRole and the binding.
 *
 * @param file JSON of the objects that come with the operator's module
 */
export function operatorObjects(file: string): KubernetesObject[] {
  const objects = JSON.parse(readFileSync(file, 'utf8')) as KubernetesObject[];
  return [
    ...objects.map((object) => (isDefinition(object) ? servedDefinition(object) : object)),
    OPERATOR_BINDING,
  ];
}

const OPERATOR_BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'kuberay-operator' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kuberay-operator' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: OPERATOR_USER }],
} as const;

function isDefinition(object: KubernetesObject): object is CustomResourceDefinition {
  return object.kind === 'CustomResourceDefinition';
}

/**
 * The version in use only. RayCluster keeps its schema; the other kinds, which the operator watches and nobody here
 * makes, accept anything: their schemas take the API server seconds to read.
 */
function servedDefinition(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.filter(({ name }) => name === 'v1');
  if (definition.spec.names.kind === 'RayCluster')
    return { ...definition, spec: { ...definition.spec, versions } };
  const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    ...definition,
    spec: { ...definition.spec, versions: versions.map((version) => ({ ...version, schema: anything })) },
  };
}
