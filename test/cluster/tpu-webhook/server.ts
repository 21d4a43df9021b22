import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ApiClient } from '../api-client';
import type { KubernetesObject, Pod, RayCluster } from '../kubernetes-object';
import { HostIndices } from './host-index';
import { mutatePod } from './pod-mutation';
import { denialOfRayCluster } from './ray-cluster-validation';
import { TOPOLOGY_LABEL, hostsOf, tpuOfPod } from './topology';

interface AdmissionRequest {
  readonly uid: string;
  readonly namespace: string;
  readonly dryRun?: boolean;
  readonly object: KubernetesObject;
}

interface Verdict {
  readonly denial?: string;
  readonly patch?: readonly { readonly op: 'replace'; readonly path: string; readonly value: unknown }[];
}

/** Plays the part of GKE's TPU webhook for one control plane, on a local port. */
export class TpuWebhook {
  private readonly server: Server;
  private readonly hostIndices: HostIndices;

  /**
   * @param tls certificate and key for 127.0.0.1
   * @param podsOf gives the pods of a namespace that exist
   */
  public constructor(
    private readonly tls: { readonly certificate: string; readonly key: string },
    podsOf: (namespace: string) => readonly Pod[],
  ) {
    this.hostIndices = new HostIndices(podsOf);
    this.server = createServer({ cert: tls.certificate, key: tls.key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { request: AdmissionRequest };
        const verdict = isAbout(request.url, '/pods')
          ? this.admitPod(review.request)
          : admitRayCluster(review.request);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(reviewOf(review.request.uid, verdict)));
      });
    });
    // The API server keeps its connections. Node would close one after five idle seconds, and a review sent in that moment is lost.
    this.server.keepAliveTimeout = 0;
  }

  /** Listens, and tells the API server where. */
  public async start(client: ApiClient): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = this.server.address() as AddressInfo;
    for (const configuration of this.configurations(`https://127.0.0.1:${String(port)}`)) {
      await client.create(configuration);
    }
  }

  public stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private admitPod({ object, namespace, dryRun }: AdmissionRequest): Verdict {
    const pod = object as Pod;
    const tpu = tpuOfPod(pod.spec);
    if (tpu === 0) return {};
    const labels = pod.metadata.labels ?? {};
    const cluster = labels['ray.io/cluster'];
    const group = labels['ray.io/group'];
    const topology = pod.spec.nodeSelector?.[TOPOLOGY_LABEL];
    if (cluster === undefined) return { denial: 'Kubernetes Pod missing RayCluster label: ray.io/cluster' };
    if (group === undefined) return { denial: 'Kubernetes Pod missing worker group label: ray.io/group' };
    if (topology === undefined) return { denial: 'TPU topology not specified' };
    const hosts = hostsOf(topology, tpu);
    const index = this.hostIndices.next({ namespace, cluster, name: group }, pod, hosts, dryRun === true);
    const mutated = mutatePod(pod, { cluster, group, topology, hosts, index });
    return {
      patch: [
        { op: 'replace', path: '/metadata/labels', value: mutated.metadata.labels },
        { op: 'replace', path: '/spec', value: mutated.spec },
      ],
    };
  }

  /** Same scope as GKE's: pods that KubeRay made, and RayClusters when they are created, not when they change. */
  private configurations(url: string): KubernetesObject[] {
    const hook = (
      name: string,
      path: string,
      groups: string[],
      resources: string[],
      more: object,
    ): object => ({
      name,
      clientConfig: { url: `${url}${path}`, caBundle: Buffer.from(this.tls.certificate).toString('base64') },
      rules: [{ apiGroups: groups, apiVersions: ['v1'], operations: ['CREATE'], resources }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 30,
      ...more,
    });
    const mutating = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'kuberay-tpu-webhook' },
      webhooks: [
        hook('pods.kuberay-tpu-webhook.test', '/pods', [''], ['pods'], {
          objectSelector: { matchLabels: { 'app.kubernetes.io/name': 'kuberay' } },
        }),
      ],
    };
    const validating = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'kuberay-tpu-webhook' },
      webhooks: [
        hook('rayclusters.kuberay-tpu-webhook.test', '/rayclusters', ['ray.io'], ['rayclusters'], {}),
      ],
    };
    return [mutating, validating];
  }
}

/** The API server adds its time limit to the path. */
function isAbout(url: string | undefined, path: string): boolean {
  return url?.split('?')[0] === path;
}

function admitRayCluster({ object }: AdmissionRequest): Verdict {
  const denial = denialOfRayCluster(object as RayCluster);
  return denial === undefined ? {} : { denial };
}

function reviewOf(uid: string, { denial, patch }: Verdict): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: denial === undefined,
      ...(denial === undefined ? {} : { status: { code: 403, reason: 'Forbidden', message: denial } }),
      ...(patch === undefined
        ? {}
        : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
    },
  };
}
