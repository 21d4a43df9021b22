import { ApiError } from './api-client';
import type { ApiClient } from './api-client';
import { objectPath } from './api-paths';
import type { Container, KubernetesObject, Node, Pod } from './kubernetes-object';
import { titleOf } from './kubernetes-object';
import type { ObjectCache } from './object-cache';

/** A pod's file or variable that must exist before a kubelet starts it. */
interface Reference {
  readonly kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim';
  readonly name: string;
  readonly keys: readonly string[];
}

/** How long a pod that misses something waits until it is looked at again. */
const RETRY_MS = 500;

/**
 * Stands in for the kubelets of all nodes: a bound pod whose ConfigMaps, Secrets and claims exist runs and is ready at
 * once, and a deleted one is gone at once. No container is started.
 */
export class Kubelet {
  private readonly handled = new Map<string, 'running' | 'gone'>();
  private readonly blocked = new Map<string, string>();
  private addresses = 0;
  private failure?: Error;

  public constructor(
    private readonly client: ApiClient,
    pods: ObjectCache<Pod>,
    private readonly nodes: ObjectCache<Node>,
  ) {
    pods.subscribe((pod, gone) => {
      if (gone) this.forget(pod);
      else this.handle(pod).catch(this.fail);
    });
  }

  /** Why pods of a namespace that have a node do not start. */
  public blockedIn(namespace: string): string[] {
    return [...this.blocked]
      .filter(([title]) => title.includes(` ${namespace}/`))
      .map(([title, why]) => `${title}: ${why}`);
  }

  /** @throws the first error that was no ordinary race with another writer */
  public check(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  private readonly fail = (error: unknown): void => {
    this.failure ??= new Error(`the stand-in kubelet: ${String(error)}`);
  };

  private forget(pod: Pod): void {
    this.handled.delete(pod.metadata.uid ?? '');
    this.blocked.delete(titleOf(pod));
  }

  private async handle(pod: Pod): Promise<void> {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      if (this.handled.get(uid) === 'gone') return;
      this.handled.set(uid, 'gone');
      await this.orGone(this.remove(pod));
      return;
    }
    if (pod.spec.nodeName === undefined || pod.status?.phase !== 'Pending' || this.handled.has(uid)) return;
    this.handled.set(uid, 'running');
    await this.runWhenPossible(pod);
  }

  /** A kubelet tries again as long as the pod is there. */
  private async runWhenPossible(pod: Pod): Promise<void> {
    const uid = pod.metadata.uid ?? '';
    const missing = await this.missingOf(pod);
    if (this.handled.get(uid) !== 'running') return;
    if (missing === undefined) {
      this.blocked.delete(titleOf(pod));
      await this.orGone(this.run(pod));
      return;
    }
    this.blocked.set(titleOf(pod), missing);
    setTimeout(() => {
      this.runWhenPossible(pod).catch(this.fail);
    }, RETRY_MS);
  }

  private async remove(pod: Pod): Promise<void> {
    await this.client.send('DELETE', objectPath({ ...pod, apiVersion: 'v1', kind: 'Pod' }), {
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid: pod.metadata.uid },
      },
    });
  }

  private async run(pod: Pod): Promise<void> {
    const now = new Date().toISOString();
    const hostIP = this.hostAddress(pod.spec.nodeName ?? '');
    const podIP = pod.spec.hostNetwork === true ? hostIP : this.podAddress();
    const condition = (type: string): object => ({ type, status: 'True', lastTransitionTime: now });
    const running = (container: Container): object => ({
      ...identityOf(container),
      ready: true,
      started: true,
      state: { running: { startedAt: now } },
    });
    const completed = (container: Container): object => ({
      ...identityOf(container),
      ready: true,
      started: false,
      state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } },
    });
    const status = {
      phase: 'Running',
      startTime: now,
      hostIP,
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [
        ...['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
        ...(pod.spec.readinessGates ?? []).map(({ conditionType }) => condition(conditionType)),
      ],
      containerStatuses: pod.spec.containers.map(running),
      initContainerStatuses: (pod.spec.initContainers ?? []).map((container) =>
        container.restartPolicy === 'Always' ? running(container) : completed(container),
      ),
    };
    await this.client.send('PATCH', `${objectPath({ ...pod, apiVersion: 'v1', kind: 'Pod' })}/status`, {
      body: { metadata: { uid: pod.metadata.uid }, status },
      contentType: 'application/strategic-merge-patch+json',
    });
  }

  /** A pod may be deleted at any moment, which is no failure. */
  private async orGone(change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (error) {
      if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
    }
  }

  private async missingOf(pod: Pod): Promise<string | undefined> {
    for (const reference of referencesOf(pod)) {
      const missing = await this.missing(reference, pod.metadata.namespace ?? '');
      if (missing !== undefined) return missing;
    }
    return undefined;
  }

  private async missing(reference: Reference, namespace: string): Promise<string | undefined> {
    const identity: KubernetesObject = {
      apiVersion: 'v1',
      kind: reference.kind,
      metadata: { name: reference.name, namespace },
    };
    try {
      const object = await this.client.get<
        KubernetesObject & { data?: Record<string, string>; status?: { phase?: string } }
      >(objectPath(identity));
      if (reference.kind === 'PersistentVolumeClaim') {
        return object.status?.phase === 'Bound' ? undefined : `${titleOf(identity)} is not bound`;
      }
      const absent = reference.keys.filter((key) => object.data?.[key] === undefined);
      return absent.length === 0 ? undefined : `${titleOf(identity)} has no key ${absent.join(', ')}`;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return `${titleOf(identity)} does not exist`;
      throw error;
    }
  }

  private hostAddress(node: string): string {
    return this.nodes.get('', node)?.status?.addresses?.[0]?.address ?? '10.0.0.1';
  }

  private podAddress(): string {
    const index = this.addresses++;
    return `10.${String(128 + (index >> 16))}.${String((index >> 8) & 255)}.${String(index & 255)}`;
  }
}

function identityOf({ name, image }: Container): object {
  return { name, image, imageID: image, restartCount: 0 };
}

function referencesOf(pod: Pod): Reference[] {
  const volumes = (pod.spec.volumes ?? []).flatMap(
    ({ configMap, secret, persistentVolumeClaim }): Reference[] => [
      ...(configMap === undefined || configMap.optional === true
        ? []
        : [{ kind: 'ConfigMap' as const, name: configMap.name, keys: keysOf(configMap.items) }]),
      ...(secret === undefined || secret.optional === true
        ? []
        : [{ kind: 'Secret' as const, name: secret.secretName, keys: keysOf(secret.items) }]),
      ...(persistentVolumeClaim === undefined
        ? []
        : [{ kind: 'PersistentVolumeClaim' as const, name: persistentVolumeClaim.claimName, keys: [] }]),
    ],
  );
  const variables = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    .flatMap(({ env }) => env ?? [])
    .flatMap(({ valueFrom }): Reference[] => {
      const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
      return [
        ...(secretKeyRef === undefined || secretKeyRef.optional === true
          ? []
          : [{ kind: 'Secret' as const, name: secretKeyRef.name, keys: [secretKeyRef.key] }]),
        ...(configMapKeyRef === undefined || configMapKeyRef.optional === true
          ? []
          : [{ kind: 'ConfigMap' as const, name: configMapKeyRef.name, keys: [configMapKeyRef.key] }]),
      ];
    });
  return [...volumes, ...variables];
}

function keysOf(items: readonly { readonly key: string }[] | undefined): string[] {
  return (items ?? []).map(({ key }) => key);
}
