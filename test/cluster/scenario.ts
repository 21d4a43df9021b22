import { setTimeout as delay } from 'node:timers/promises';
import { collectionPath } from './api-paths';
import { CHECKS } from './checks';
import { replicaOf } from './checks/observation';
import type { Observation } from './checks/observation';
import type { Cluster } from './cluster';
import type { Job, KubernetesObject, Pod, RayCluster } from './kubernetes-object';
import { nameOf, titleOf } from './kubernetes-object';
import { objectsOfRun, only, sharedFiles } from './project';
import type { Project } from './project';
import type { PlannedRun } from '../../lib/plan';
import { LEFTOVER_KINDS, Stage } from './stage';
import { submitterIsRestricted } from './pod-security';

/** How long a RayCluster and its submitter may take to run. */
const READY_SECONDS = 180;

/** How long the cluster may take to agree with itself once all pods run: names, claims. */
const SETTLED_SECONDS = 90;

/** Brings the objects of some manifest files to the API server. */
export interface Applier {
  /** @throws Error when something is refused */
  apply(): Promise<void>;
  /** Applies again: gives what changed by it. */
  applyAgain(): Promise<string[]>;
  delete(): Promise<void>;
}

/** Makes the applier of the manifest files with these names. */
export type Appliers = (files: readonly string[]) => Applier;

/** How one run of a project went. */
export interface RunResult {
  readonly run: PlannedRun;
  readonly slices: number;
  readonly pods: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

/** Reconciles every run of a project in turn, each with all checks, and removes it all. */
export async function reconcileProject(
  cluster: Cluster,
  name: string,
  project: Project,
  appliers: Appliers,
): Promise<RunResult[]> {
  const { runs } = project.plan;
  const isHostNetwork = runs.some(({ network }) => network === 'host-network');
  const stage = await Stage.set(cluster, name, project.plan, isHostNetwork ? 'privileged' : 'baseline');
  try {
    const shared = appliers(sharedFiles(project));
    await shared.apply();
    const results: RunResult[] = [];
    for (const run of runs) {
      results.push(await reconcileRun(cluster, stage, project, run, [shared, appliers([run.manifest])]));
    }
    await shared.delete();
    return results;
  } finally {
    await stage.clear();
  }
}

async function reconcileRun(
  cluster: Cluster,
  stage: Stage,
  project: Project,
  run: PlannedRun,
  [shared, own]: readonly [Applier, Applier],
): Promise<RunResult> {
  const { namespace } = stage;
  const objects = objectsOfRun(project, run);
  const slices = renderedSlices(only<RayCluster>(objects, 'RayCluster'));
  const before = await leftoversIn(cluster, namespace);
  const pastEvents = new Set(cluster.caches.events.in(namespace).map(({ metadata }) => metadata.uid));
  const began = Date.now();
  const problems: string[] = [];
  let pods = 0;
  try {
    await own.apply();
    await untilRunning(cluster, namespace, run, 1 + slices * run.tpu.hostsPerSlice);
    const observe = (): Observation => observeRun(cluster, namespace, run, slices, pastEvents);
    problems.push(...(await checkSettled(cluster, observe)));
    problems.push(...(await submitterIsRestricted(cluster, only<Job>(objects, 'Job'))));
    pods = cluster.caches.pods.in(namespace).length;
    const podsBefore = podIds(cluster, namespace);
    const changed = [...(await shared.applyAgain()), ...(await own.applyAgain())];
    problems.push(...changed.map((change) => `applied again: ${change}`));
    if (podIds(cluster, namespace) !== podsBefore) problems.push('applied again: other pods run');
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const seconds = (Date.now() - began) / 1000;
  problems.push(...(await removeRun(cluster, stage, own, before)));
  return { run, slices, pods, seconds, problems };
}

/** Slices that KubeRay makes of a manifest: what it says, within its bounds. */
export function renderedSlices({ spec }: RayCluster): number {
  return (spec.workerGroupSpecs ?? []).reduce(
    (sum, { replicas = 0, minReplicas = 0, maxReplicas = Infinity }) =>
      sum + Math.min(Math.max(replicas, minReplicas), maxReplicas),
    0,
  );
}

/** Waits until the RayCluster is ready, all of its pods run, and the submitter's pod runs. */
export async function untilRunning(
  cluster: Cluster,
  namespace: string,
  run: Pick<PlannedRun, 'rayCluster' | 'job'>,
  pods: number,
): Promise<void> {
  const { caches, changes } = cluster;
  await changes.until(
    () => {
      cluster.check();
      const rayCluster = caches.rayClusters.get(namespace, run.rayCluster);
      const running = caches.pods.in(namespace).filter(isRunning);
      return (
        rayCluster?.status?.state === 'ready' &&
        running.filter((pod) => isOfRayCluster(pod, run.rayCluster)).length === pods &&
        running.some((pod) => isOfJob(pod, run.job))
      );
    },
    READY_SECONDS,
    () => describeStuck(cluster, namespace, run),
  );
}

export function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined;
}

/** The scheduler has found no node for it. */
export function isWithoutNode(pod: Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
}

export function isOfRayCluster(pod: Pod, name: string): boolean {
  return pod.metadata.labels?.['ray.io/cluster'] === name;
}

export function isOfJob(pod: Pod, name: string): boolean {
  return pod.metadata.labels?.['batch.kubernetes.io/job-name'] === name;
}

/** What a run looks like at this moment. Events of the past are left out. */
export function observeRun(
  cluster: Cluster,
  namespace: string,
  run: PlannedRun,
  slices: number,
  pastEvents: ReadonlySet<string | undefined>,
): Observation {
  const { caches } = cluster;
  const pods = caches.pods.in(namespace);
  const ofCluster = pods.filter((pod) => isOfRayCluster(pod, run.rayCluster));
  const rayCluster = caches.rayClusters.get(namespace, run.rayCluster);
  const job = caches.jobs.get(namespace, run.job);
  const head = ofCluster.find(({ metadata }) => metadata.labels?.['ray.io/node-type'] === 'head');
  if (rayCluster === undefined || job === undefined || head === undefined) {
    throw new Error(`the RayCluster, the Job or the head's pod of ${run.name} is gone`);
  }
  return {
    run,
    rayCluster,
    job,
    slices,
    head,
    workers: ofCluster.filter((pod) => pod !== head).sort((a, b) => (replicaOf(a) < replicaOf(b) ? -1 : 1)),
    submitters: pods.filter((pod) => isOfJob(pod, run.job)),
    services: caches.services.in(namespace),
    endpointSlices: caches.endpointSlices.in(namespace),
    claims: caches.claims.in(namespace),
    events: caches.events.in(namespace).filter(({ metadata }) => !pastEvents.has(metadata.uid)),
    nodeOf: (pod) => caches.nodes.get('', pod.spec.nodeName ?? ''),
  };
}

/** What is still wrong when the cluster has had time to agree with itself. */
async function checkSettled(cluster: Cluster, observe: () => Observation): Promise<string[]> {
  const problems = (): string[] => {
    const observation = observe();
    return CHECKS.flatMap((check) => check(observation));
  };
  try {
    await cluster.changes.until(
      () => problems().length === 0,
      SETTLED_SECONDS,
      () => 'not settled',
    );
    return [];
  } catch {
    return problems();
  }
}

async function removeRun(
  cluster: Cluster,
  stage: Stage,
  applier: Applier,
  before: ReadonlySet<string>,
): Promise<string[]> {
  try {
    await applier.delete();
    await stage.untilEmpty();
    return await untilAsBefore(cluster, stage.namespace, before);
  } catch (error) {
    return [`delete: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** How often one looks for what the garbage collector has still to remove. */
const LOOK_EVERY_MS = 200;

const LOOKS = 100;

/** Kubernetes puts this into every namespace, some time after it is made. */
const CLUSTER_CERTIFICATE = 'v1 ConfigMap kube-root-ca.crt';

async function untilAsBefore(
  cluster: Cluster,
  namespace: string,
  before: ReadonlySet<string>,
): Promise<string[]> {
  for (let looks = 1; ; looks++) {
    const left = [...(await leftoversIn(cluster, namespace))].filter(
      (title) => !before.has(title) && title !== CLUSTER_CERTIFICATE,
    );
    if (left.length === 0) return [];
    if (looks === LOOKS) return left.map((title) => `left behind: ${title}`);
    await delay(LOOK_EVERY_MS);
  }
}

/** Objects of kinds that no cache holds. */
async function leftoversIn(cluster: Cluster, namespace: string): Promise<Set<string>> {
  const titles = await Promise.all(
    LEFTOVER_KINDS.map(async (kind) => {
      const list = await cluster.controlPlane.client.get<{ items: KubernetesObject[] }>(
        collectionPath(kind, namespace),
      );
      return list.items.map(({ metadata }) => `${kind} ${metadata.name ?? ''}`);
    }),
  );
  return new Set(titles.flat());
}

function podIds(cluster: Cluster, namespace: string): string {
  return cluster.caches.pods
    .in(namespace)
    .map(({ metadata }) => metadata.uid ?? '')
    .sort()
    .join(' ');
}

/** What keeps a run from running, as far as the cluster says it. */
export function describeStuck(
  cluster: Cluster,
  namespace: string,
  run: Pick<PlannedRun, 'rayCluster' | 'job'>,
): string {
  const { caches, kubelet } = cluster;
  const rayCluster = caches.rayClusters.get(namespace, run.rayCluster);
  const pods = caches.pods.in(namespace);
  const waiting = pods.filter((pod) => !isRunning(pod));
  const reasons = waiting.flatMap((pod) =>
    (pod.status?.conditions ?? [])
      .filter(({ status, message }) => status === 'False' && message !== undefined)
      .map(({ message }) => `${nameOf(pod)}: ${message ?? ''}`),
  );
  const warnings = caches.events
    .in(namespace)
    .filter(({ type }) => type === 'Warning')
    .map(
      ({ involvedObject, reason, message }) =>
        `${involvedObject?.kind ?? ''}: ${reason ?? ''}: ${message ?? ''}`,
    );
  return [
    rayCluster === undefined
      ? `there is no RayCluster ${run.rayCluster}`
      : `${titleOf(rayCluster)} is '${rayCluster.status?.state ?? 'not reconciled'}'`,
    `${String(pods.length - waiting.length)} of ${String(pods.length)} pods run`,
    ...new Set([...reasons, ...warnings, ...kubelet.blockedIn(namespace)].slice(0, 8)),
  ].join('; ');
}
