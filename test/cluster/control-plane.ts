import { mkdtempSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from './api-client';
import type { Binaries } from './build';
import { createCredentials, writeKubeconfig } from './credentials';
import { gkeObjects } from './gke-objects';
import type { KubernetesObject } from './kubernetes-object';
import { operatorObjects } from './operator-objects';
import { freePorts } from './ports';
import { Processes } from './processes';

/** How long one component may take to become ready, on a loaded machine. */
const READY_SECONDS = 300;

/** How often one looks whether a component is ready. */
const LOOK_EVERY_MS = 50;

/** Tries with other ports, since another process may have taken one between the look and the start. */
const START_TRIES = 3;

/**
 * Controllers that the scenarios need. Node life cycle is not among them: posed nodes send no heartbeats, and are ready
 * as long as they exist.
 */
const CONTROLLERS = [
  'endpointslice-controller',
  'garbage-collector-controller',
  'job-controller',
  'namespace-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'resourceclaim-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
];

/** A running API server, controller manager, scheduler and KubeRay operator. */
export class ControlPlane {
  /**
   * Starts a control plane on free local ports.
   *
   * @param onFolder is told the folder of its state before anything is in it
   * @throws Error with the end of a component's log when it does not become ready
   */
  public static async start(binaries: Binaries): Promise<ControlPlane> {
    for (let tries = 1; ; tries++) {
      const controlPlane = new ControlPlane(binaries);
      try {
        await controlPlane.startComponents();
        return controlPlane;
      } catch (error) {
        await controlPlane.stop();
        if (tries === START_TRIES || !String(error).includes('address already in use')) throw error;
      }
    }
  }

  /** Certificate and key of the API server, valid for 127.0.0.1: local servers may use them too. */
  public get certificate(): { readonly certificate: string; readonly key: string } {
    return {
      certificate: readFileSync(join(this.folder, 'certificates/apiserver.crt'), 'utf8'),
      key: readFileSync(join(this.folder, 'certificates/apiserver.key'), 'utf8'),
    };
  }

  /** Client with all rights. */
  public get client(): ApiClient {
    if (this.adminClient === undefined) throw new Error('the control plane is not running');
    return this.adminClient;
  }

  /** Path of the kubeconfig with all rights, for kubectl. */
  public readonly kubeconfig: string;
  /** Folder of its state, removed when it stops; scenarios may keep files there. */
  public readonly folder = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-cluster-'));
  private readonly processes = new Processes(this.folder);
  private adminClient?: ApiClient;

  private constructor(private readonly binaries: Binaries) {
    this.kubeconfig = join(this.folder, 'admin.kubeconfig');
  }

  /** @throws Error when a component has ended by itself */
  public check(): void {
    this.processes.check();
  }

  /** All that a component has said so far. */
  public log(component: 'apiserver' | 'controller-manager' | 'scheduler' | 'operator'): string {
    return this.processes.log(component);
  }

  /** Ends all components and removes their state. */
  public async stop(): Promise<void> {
    this.adminClient?.close();
    await this.processes.stop();
  }

  private async startComponents(): Promise<void> {
    const [etcd, peer, api, controllers, scheduler, metrics, health] = await freePorts(7);
    const credentials = createCredentials(this.folder);
    this.startEtcd(String(etcd), String(peer));
    await this.ready('etcd', `http://127.0.0.1:${String(etcd)}/health`);

    const server = `https://127.0.0.1:${String(api)}`;
    this.startApiServer(String(etcd), String(api), credentials);
    await this.ready('apiserver', `${server}/readyz`, credentials.tokens.admin);
    const ca = join(this.folder, 'certificates/apiserver.crt');
    const kubeconfigs = Object.fromEntries(
      (['admin', 'controllerManager', 'scheduler', 'operator'] as const).map((user) => [
        user,
        writeKubeconfig(this.folder, user, credentials.tokens[user], server, ca),
      ]),
    ) as Record<keyof typeof credentials.tokens, string>;
    const client = new ApiClient(server, readFileSync(ca, 'utf8'), credentials.tokens.admin);
    this.adminClient = client;

    this.startControllerManager(
      String(controllers),
      kubeconfigs.controllerManager,
      credentials.serviceAccountKey,
      ca,
    );
    this.startScheduler(String(scheduler), kubeconfigs.scheduler);
    await this.install(client, [...operatorObjects(this.binaries.operatorObjects), ...gkeObjects()]);
    this.processes.start(
      'operator',
      this.binaries.operator,
      [
        ['-kubeconfig', kubeconfigs.operator],
        ['-enable-leader-election=false'],
        ['-metrics-addr', `127.0.0.1:${String(metrics)}`],
        ['-health-probe-bind-address', `127.0.0.1:${String(health)}`],
        ['-reconcile-concurrency', '4'],
        ['-qps', '500'],
        ['-burst', '1000'],
      ].flat(),
      // The operator skips a group whose pods it has not seen yet, and looks again only after this time; its own 5 minutes outlast a scenario.
      { RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV: '30' },
    );
    await this.ready('controller-manager', `https://127.0.0.1:${String(controllers)}/healthz`);
    await this.ready('scheduler', `https://127.0.0.1:${String(scheduler)}/readyz`);
    await this.ready('operator', `http://127.0.0.1:${String(health)}/readyz`);
  }

  private startEtcd(port: string, peerPort: string): void {
    const client = `http://127.0.0.1:${port}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    this.processes.start('etcd', this.binaries.kube, [
      'etcd',
      ...['--name', 'posed'],
      ...['--data-dir', join(this.folder, 'etcd')],
      // The data is thrown away, so nothing is lost by not waiting for the disk.
      '--unsafe-no-fsync',
      ...['--log-level', 'warn'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', `posed=${peer}`],
    ]);
  }

  private startApiServer(
    etcdPort: string,
    port: string,
    credentials: ReturnType<typeof createCredentials>,
  ): void {
    this.processes.start(
      'apiserver',
      this.binaries.kube,
      [
        'kube-apiserver',
        ...['--etcd-servers', `http://127.0.0.1:${etcdPort}`],
        ...['--bind-address', '127.0.0.1', '--secure-port', port],
        ...['--advertise-address', '127.0.0.1', '--endpoint-reconciler-type', 'none'],
        ...['--cert-dir', join(this.folder, 'certificates')],
        ...['--token-auth-file', credentials.tokenFile],
        ...['--authorization-mode', 'Node,RBAC'],
        ...['--service-cluster-ip-range', '10.96.0.0/12'],
        '--allow-privileged=true',
        // Scenarios share one cluster: the annotation of a namespace keeps its pods on the nodes of its own plan.
        ...['--enable-admission-plugins', 'PodNodeSelector'],
        // Posed nodes are ready from the start.
        ...['--disable-admission-plugins', 'TaintNodesByCondition'],
        '--enable-priority-and-fairness=false',
        ...['--service-account-issuer', 'https://kubernetes.default.svc'],
        ...['--service-account-key-file', credentials.serviceAccountPublicKey],
        ...['--service-account-signing-key-file', credentials.serviceAccountKey],
      ],
      // A third less CPU for garbage collection; the limit keeps the memory where it was.
      { GOGC: '400', GOMEMLIMIT: '1500MiB' },
    );
  }

  private startControllerManager(
    port: string,
    kubeconfig: string,
    serviceAccountKey: string,
    ca: string,
  ): void {
    this.processes.start('controller-manager', this.binaries.kube, [
      'kube-controller-manager',
      ...['--kubeconfig', kubeconfig],
      ...['--authentication-kubeconfig', kubeconfig, '--authorization-kubeconfig', kubeconfig],
      ...['--authorization-always-allow-paths', '/healthz'],
      ...['--bind-address', '127.0.0.1', '--secure-port', port],
      '--leader-elect=false',
      '--use-service-account-credentials=true',
      ...['--service-account-private-key-file', serviceAccountKey, '--root-ca-file', ca],
      ...['--controllers', CONTROLLERS.join(',')],
      ...['--kube-api-qps', '500', '--kube-api-burst', '1000'],
    ]);
  }

  private startScheduler(port: string, kubeconfig: string): void {
    this.processes.start('scheduler', this.binaries.kube, [
      'kube-scheduler',
      ...['--kubeconfig', kubeconfig],
      ...['--authentication-kubeconfig', kubeconfig, '--authorization-kubeconfig', kubeconfig],
      ...['--authorization-always-allow-paths', '/readyz'],
      ...['--bind-address', '127.0.0.1', '--secure-port', port],
      '--leader-elect=false',
      ...['--kube-api-qps', '500', '--kube-api-burst', '1000'],
    ]);
  }

  private async install(client: ApiClient, objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects) await client.create(object);
    const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    for (const definition of definitions) await this.established(client, definition);
  }

  private async established(client: ApiClient, definition: KubernetesObject): Promise<void> {
    const { spec } = definition as KubernetesObject & {
      spec: { group: string; names: { plural: string }; versions: { name: string }[] };
    };
    const path = `/apis/${spec.group}/${spec.versions[0]?.name ?? ''}/${spec.names.plural}`;
    await this.until(`the API server serves ${path}`, async () => {
      await client.get(path);
    });
  }

  private async ready(component: string, url: string, token?: string): Promise<void> {
    await this.until(`${component} is ready at ${url}`, async () => {
      const status = await statusOf(url, token);
      if (status !== 200) throw new Error(`status ${String(status)}`);
    });
  }

  /** Looks again until it does not throw, unless a component ends or the time is over. */
  private async until(what: string, look: () => Promise<void>): Promise<void> {
    const end = Date.now() + READY_SECONDS * 1000;
    for (;;) {
      try {
        await look();
        return;
      } catch (error) {
        this.processes.check();
        if (Date.now() > end)
          throw new Error(`not after ${String(READY_SECONDS)} s: ${what}: ${String(error)}`);
      }
      await delay(LOOK_EVERY_MS);
    }
  }
}

async function statusOf(url: string, token: string | undefined): Promise<number> {
  const request = url.startsWith('https') ? httpsRequest : httpRequest;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return await new Promise((resolve, reject) => {
    // The certificate is not looked at: the component has made it itself a moment ago.
    const outgoing = request(url, { headers, rejectUnauthorized: false }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve(response.statusCode ?? 0);
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
