import type { InfrastructurePlan } from '../infrastructure';

/** Kinds of what scripts/gcloud makes or expects. */
export type ResourceKind =
  | 'API'
  | 'network'
  | 'cluster'
  | 'placement policy'
  | 'node pool'
  | 'bucket'
  | 'namespace'
  | 'service account'
  | 'bucket role'
  | 'repository'
  | 'image'
  | 'secret';

/** A row of an infrastructure plan, whatever its kind. */
export interface PlannedResource {
  readonly kind: ResourceKind;
  /** With the kind and what it lies in, its identity. */
  readonly name: string;
  /** What it lies in, and stays behind with: bucket names are those of all Google Cloud. */
  readonly within: 'cluster' | 'project' | 'world';
  /** False when it is adopted: it must be there, and is never deleted. */
  readonly isOwn: boolean;
  /** What the scripts make it with or compare it by. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Every resource of a plan in the order of creation. A namespace or service account of the project's own is left out: it
 * is an object of dist/.
 */
export function resourcesOf(plan: InfrastructurePlan): PlannedResource[] {
  const { cluster, bucket, namespace, serviceAccount, repository } = plan;
  return [
    ...plan.apis.map((name) => resource('API', name, 'project')),
    ...plan.networks.map(({ name, ...fields }) => resource('network', name, 'project', fields)),
    resource('cluster', cluster.name, 'cluster', without(cluster, CLUSTER_IDENTITY)),
    ...plan.placementPolicies.map(({ name, ...fields }) =>
      resource('placement policy', name, 'project', fields),
    ),
    ...plan.nodePools.map((pool) => resource('node pool', pool.name, 'cluster', without(pool, POOL_WORDS))),
    ...(bucket === undefined ? [] : [resource('bucket', bucket.name, 'world', without(bucket, ['name']))]),
    // Every cluster has the namespace default.
    ...(namespace.create || namespace.name === 'default'
      ? []
      : [resource('namespace', namespace.name, 'cluster', { create: false })]),
    ...(serviceAccount.create
      ? []
      : [
          resource('service account', `${serviceAccount.namespace}/${serviceAccount.name}`, 'cluster', {
            create: false,
          }),
        ]),
    ...plan.bucketRoles.map(({ bucket: on, role, namespace: within, serviceAccount: name }) =>
      // The member is the account of a namespace in any cluster of the project.
      resource('bucket role', `${role} on ${on} for ${within}/${name}`, 'project'),
    ),
    ...(repository === undefined
      ? []
      : [
          resource('repository', `${repository.location}/${repository.name}`, 'project', {
            create: repository.create,
          }),
        ]),
    ...plan.images.map(({ name, dockerfile }) => resource('image', name, 'project', { dockerfile })),
    ...plan.secrets.map(({ name, key, namespace: within }) =>
      resource('secret', `${within}/${name}, key ${key}`, 'cluster'),
    ),
  ];
}

/** Fields of a cluster by which it is another one, and one that follows from them. */
const CLUSTER_IDENTITY = ['name', 'mode', 'location', 'workloadPool'];

/** Fields of a pool that say nothing of the machines. */
const POOL_WORDS = [
  'name',
  'runs',
  'slice',
  'allocatable',
  'capacityFields',
  'capacityFlags',
  'networkCards',
  'nodeLabels',
  'ownTaints',
];

function resource(
  kind: ResourceKind,
  name: string,
  within: PlannedResource['within'],
  fields: Readonly<Record<string, unknown>> = {},
): PlannedResource {
  return { kind, name, within, isOwn: fields['create'] !== false, fields };
}

function without(value: object, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
