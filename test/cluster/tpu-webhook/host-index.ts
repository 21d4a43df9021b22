import type { Pod } from '../kubernetes-object';

/** Place of a pod in its worker group. */
export interface HostIndex {
  readonly replica: number;
  readonly host: number;
}

/** Label by which KubeRay itself says the replica's number. */
const REPLICA_LABEL = 'ray.io/worker-group-replica-index';

/** Label by which KubeRay itself says the host's number. */
const HOST_LABEL = 'ray.io/replica-host-index';

/**
 * How long a place that was handed out may stay without its pod: then the pod was refused after this webhook. Less than the two seconds after
 * which KubeRay makes it again, or the new pod would be given a place in a slice that does not exist.
 */
const PROMISE_MS = 1_900;

interface Promised {
  readonly index: HostIndex;
  readonly until: number;
}

/**
 * Counts the hosts of every slice, as the webhook does where KubeRay does not: the lowest free host of the lowest replica
 * with one. Pods show up in the cache some time after they were admitted, so places are also remembered here.
 */
export class HostIndices {
  private readonly promised = new Map<string, Promised[]>();

  /** @param podsOf gives the pods of a namespace that exist */
  public constructor(private readonly podsOf: (namespace: string) => readonly Pod[]) {}

  /**
   * The place of a pod that is about to be created.
   *
   * @param group `namespace`, RayCluster and worker group of the pod
   * @param hosts hosts of a slice
   * @param dryRun true hands out nothing
   */
  public next(
    group: { readonly namespace: string; readonly cluster: string; readonly name: string },
    pod: Pod,
    hosts: number,
    dryRun: boolean,
  ): HostIndex {
    const { labels } = pod.metadata;
    if (labels?.[REPLICA_LABEL] !== undefined) {
      return { replica: Number(labels[REPLICA_LABEL]), host: Number(labels[HOST_LABEL] ?? 0) };
    }
    const key = `${group.namespace}/${group.cluster}/${group.name}`;
    const present = new Set(
      this.podsOf(group.namespace)
        .filter(
          (other) => isOf(other, group.cluster, group.name) && other.metadata.deletionTimestamp === undefined,
        )
        .map(placeOf),
    );
    const now = Date.now();
    const promised = (this.promised.get(key) ?? []).filter(
      ({ index, until }) => until > now && !present.has(textOf(index)),
    );
    const taken = new Set([...present, ...promised.map(({ index }) => textOf(index))]);
    const index = firstFree(taken, hosts);
    this.promised.set(key, dryRun ? promised : [...promised, { index, until: now + PROMISE_MS }]);
    return index;
  }
}

function firstFree(taken: ReadonlySet<string>, hosts: number): HostIndex {
  for (let replica = 0; ; replica++) {
    for (let host = 0; host < hosts; host++) {
      const index = { replica, host };
      if (!taken.has(textOf(index))) return index;
    }
  }
}

function isOf(pod: Pod, cluster: string, group: string): boolean {
  const { labels } = pod.metadata;
  return labels?.['ray.io/cluster'] === cluster && labels['ray.io/group'] === group;
}

/** Place of a pod that exists, as the environment written into it says. */
function placeOf(pod: Pod): string {
  const env = pod.spec.containers.flatMap((container) => container.env ?? []);
  const valueOf = (name: string): string => env.find((variable) => variable.name === name)?.value ?? '';
  const replica = valueOf('TPU_NAME').split('-').at(-1) ?? '';
  return `${replica}/${valueOf('TPU_WORKER_ID')}`;
}

function textOf({ replica, host }: HostIndex): string {
  return `${String(replica)}/${String(host)}`;
}
