import type { Binaries } from './build';
import { ControlPlane } from './control-plane';
import { Kubelet } from './kubelet';
import type {
  ClusterEvent,
  EndpointSlice,
  Job,
  KubernetesObject,
  Node,
  Pod,
  RayCluster,
  ResourceClaim,
  Service,
} from './kubernetes-object';
import { Changes, ObjectCache } from './object-cache';
import { TpuWebhook } from './tpu-webhook/server';

/** Caches of what scenarios look at. */
interface Caches {
  readonly nodes: ObjectCache<Node>;
  readonly pods: ObjectCache<Pod>;
  readonly rayClusters: ObjectCache<RayCluster>;
  readonly jobs: ObjectCache<Job>;
  readonly services: ObjectCache<Service>;
  readonly endpointSlices: ObjectCache<EndpointSlice>;
  readonly claims: ObjectCache<ResourceClaim>;
  readonly events: ObjectCache<ClusterEvent>;
}

/** A control plane with all that GKE adds to it: kubelets, the TPU webhook, and a view of its objects. */
export class Cluster {
  /** Starts everything; what was started before a failure is stopped. */
  public static async start(binaries: Binaries): Promise<Cluster> {
    const controlPlane = await ControlPlane.start(binaries);
    const cluster = new Cluster(controlPlane, binaries);
    try {
      for (const cache of Object.values(cluster.caches) as ObjectCache<KubernetesObject>[])
        await cache.start();
      await cluster.webhook.start(controlPlane.client);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  public readonly changes = new Changes();
  public readonly caches: Caches;
  public readonly kubelet: Kubelet;
  private readonly webhook: TpuWebhook;

  private constructor(
    public readonly controlPlane: ControlPlane,
    public readonly binaries: Binaries,
  ) {
    const { client } = controlPlane;
    const cache = <T extends KubernetesObject>(kind: string): ObjectCache<T> =>
      new ObjectCache<T>(client, kind, this.changes);
    this.caches = {
      nodes: cache('v1 Node'),
      pods: cache('v1 Pod'),
      rayClusters: cache('ray.io/v1 RayCluster'),
      jobs: cache('batch/v1 Job'),
      services: cache('v1 Service'),
      endpointSlices: cache('discovery.k8s.io/v1 EndpointSlice'),
      claims: cache('resource.k8s.io/v1 ResourceClaim'),
      events: cache('v1 Event'),
    };
    this.kubelet = new Kubelet(client, this.caches.pods, this.caches.nodes);
    this.webhook = new TpuWebhook(controlPlane.certificate, (namespace) => this.caches.pods.in(namespace));
  }

  /** @throws Error when a component has ended or the stand-in kubelet has failed */
  public check(): void {
    this.controlPlane.check();
    this.kubelet.check();
  }

  public async stop(): Promise<void> {
    for (const cache of Object.values(this.caches) as ObjectCache<KubernetesObject>[]) cache.stop();
    this.webhook.stop();
    await this.controlPlane.stop();
  }
}
