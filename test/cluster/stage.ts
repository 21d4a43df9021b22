import { ApiError } from './api-client';
import type { Cluster } from './cluster';
import type { KubernetesObject } from './kubernetes-object';
import { SCENARIO_LABEL, nodesOf } from './nodes';
import type { PlannedProject } from '../../lib/plan';

/** Requests that one stage sends at the same time. */
const PARALLEL_REQUESTS = 8;

/** How long a stage may take to be gone. */
const GONE_SECONDS = 120;

/** Kinds that a run or KubeRay may leave behind, beside what the caches hold. */
const LISTED_KINDS = [
  'v1 ConfigMap',
  'v1 PersistentVolumeClaim',
  'v1 Secret',
  'rbac.authorization.k8s.io/v1 Role',
  'rbac.authorization.k8s.io/v1 RoleBinding',
  'resource.k8s.io/v1 ResourceClaimTemplate',
];

/** Kinds that a stage lists when it looks for what was left behind. */
export const LEFTOVER_KINDS: readonly string[] = LISTED_KINDS;

/** A namespace with the nodes of a plan, and what the plan says is in the cluster already. */
export class Stage {
  /**
   * Sets a stage. Pods of its namespace are kept on its own nodes.
   *
   * @param name of the scenario, a DNS label
   * @param podSecurity level that the namespace enforces
   */
  public static async set(
    cluster: Cluster,
    name: string,
    plan: PlannedProject,
    podSecurity: 'privileged' | 'baseline',
  ): Promise<Stage> {
    const { client } = cluster.controlPlane;
    const { namespace } = plan.platform;
    const stage = new Stage(cluster, name, namespace, nodesOf(plan, name));
    await client.apply(namespaceObject(namespace, name, podSecurity));
    for (const object of presentObjects(plan)) await client.apply(object);
    await inParallel(stage.nodes, async (node) => {
      await client.create(node);
    });
    return stage;
  }

  private constructor(
    private readonly cluster: Cluster,
    public readonly name: string,
    public readonly namespace: string,
    private readonly nodes: readonly KubernetesObject[],
  ) {}

  /** Removes the nodes and, unless it is `default`, the namespace. */
  public async clear(): Promise<void> {
    const { client } = this.cluster.controlPlane;
    await inParallel(this.nodes, async (node) => {
      await client.delete(node);
    });
    if (this.namespace === 'default') return;
    await client.delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
  }

  /** Waits until nothing of a run is left in the namespace, but what was there before it. */
  public async untilEmpty(): Promise<void> {
    const { pods, rayClusters, jobs, services, endpointSlices, claims } = this.cluster.caches;
    const left = (): string[] =>
      [pods, rayClusters, jobs, services, endpointSlices, claims]
        .flatMap((cache): KubernetesObject[] => cache.in(this.namespace))
        .filter(({ metadata }) => metadata.name !== 'kubernetes')
        .map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`);
    await this.cluster.changes.until(
      () => left().length === 0,
      GONE_SECONDS,
      () => `still there: ${left().join(', ')}`,
    );
  }
}

/** Runs a task for every item, some at a time. */
export async function inParallel<T>(
  items: readonly T[],
  task: (item: T) => Promise<void>,
  atOnce = PARALLEL_REQUESTS,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await task(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** True for an answer that the API server refused, with this status. */
export function isRefusal(error: unknown, status?: number): error is ApiError {
  return error instanceof ApiError && (status === undefined || error.status === status);
}

function namespaceObject(name: string, scenario: string, podSecurity: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: { 'pod-security.kubernetes.io/enforce': podSecurity },
      annotations: { 'scheduler.alpha.kubernetes.io/node-selector': `${SCENARIO_LABEL}=${scenario}` },
    },
  };
}

/** What the plan says the cluster has before the manifests come: an adopted service account, Secrets. */
function presentObjects(plan: PlannedProject): KubernetesObject[] {
  const { serviceAccount, secrets } = plan.infrastructure;
  const account: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: serviceAccount.name, namespace: serviceAccount.namespace },
  };
  const keysOfSecret = new Map<string, string[]>();
  for (const { name, key } of secrets) keysOfSecret.set(name, [...(keysOfSecret.get(name) ?? []), key]);
  return [
    ...(serviceAccount.create ? [] : [account]),
    ...[...keysOfSecret].map(([name, keys]) => {
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: plan.platform.namespace },
        stringData: Object.fromEntries(keys.map((key) => [key, 'posed'])),
      };
      return secret;
    }),
  ];
}
