import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunSpec } from '../../lib/run';
import { collectionPath } from './api-paths';
import type { Cluster } from './cluster';
import type { KubernetesObject, Pod, RayCluster } from './kubernetes-object';
import { nameOf } from './kubernetes-object';
import { only } from './project';
import type { Project } from './project';
import { isOfRayCluster, isRunning, isWithoutNode, renderedSlices, untilRunning } from './scenario';
import { offeredShapes, platformOf, shapeCase } from './shapes';
import { Stage, inParallel, isRefusal } from './stage';
import { synthesizeProject } from './synthesized-project';
import { renderTable } from './table';
import type { Tally } from './tally';

/** What a change does to an object or to pods. */
type Effect =
  | 'unchanged'
  | 'updated'
  | 'ignored'
  | 'recreated'
  | 'added'
  | 'pending'
  | 'removed'
  | 'attaches'
  | 'rejected';

/** A change of a run that is up, and what comes of it. */
interface LifeCycleCase {
  readonly name: string;
  /** What the run is like before; as it stands in `baseRun` when left out. */
  readonly from?: (run: RunSpec) => RunSpec;
  readonly change: (run: RunSpec) => RunSpec;
  readonly rayCluster: Effect;
  readonly pods: Effect;
  readonly job: Effect;
}

/** How long the operator may take to act on a change. */
const ACTED_SECONDS = 90;

/** How often one looks into the operator's log. */
const LOOK_EVERY_MS = 200;

/** Every known change of a run; the review of a change promises the same effects. */
export const LIFE_CYCLE_CASES: readonly LifeCycleCase[] = [
  {
    name: 'nothing',
    change: (run) => run,
    rayCluster: 'unchanged',
    pods: 'unchanged',
    job: 'unchanged',
  },
  {
    name: 'image',
    change: (run) => ({ ...run, image: `${run.image}-next` }),
    rayCluster: 'updated',
    pods: 'ignored',
    job: 'recreated',
  },
  {
    name: 'slices 2 -> 3',
    change: (run) => withSlices(run, 3),
    rayCluster: 'updated',
    pods: 'added',
    job: 'recreated',
  },
  {
    name: 'slices 2 -> 1',
    change: (run) => {
      const { network: _network, ...rest } = withSlices(run, 1);
      return rest;
    },
    rayCluster: 'updated',
    pods: 'removed',
    job: 'recreated',
  },
  {
    name: 'topology',
    change: (run) => ({ ...run, tpu: { ...run.tpu, topology: '2x2x4' }, trainer: withMesh(run, 16) }),
    rayCluster: 'updated',
    // KubeRay makes up the number of hosts, but the new ones belong to slices whose old hosts lie in another pool.
    pods: 'pending',
    job: 'recreated',
  },
  {
    name: 'name',
    change: (run) => ({ ...run, name: `${run.name}-b` }),
    rayCluster: 'recreated',
    // The plan lets runs of one shape take turns on the same node pools.
    pods: 'pending',
    job: 'recreated',
  },
  {
    name: "a trainer's argument",
    change: (run) => ({ ...run, trainer: { ...run.trainer, steps: 20 } as RunSpec['trainer'] }),
    rayCluster: 'unchanged',
    pods: 'unchanged',
    job: 'recreated',
  },
  {
    name: "the submitter's deadline",
    change: (run) => ({ ...run, submitter: { startDeadline: '2h' } }),
    rayCluster: 'unchanged',
    pods: 'unchanged',
    job: 'attaches',
  },
  {
    name: 'CPUs of the head',
    change: (run) => ({ ...run, resources: { head: { cpu: '12' } } }),
    rayCluster: 'updated',
    pods: 'ignored',
    job: 'unchanged',
  },
  {
    name: 'autoscaler on',
    change: withAutoscaler,
    rayCluster: 'updated',
    pods: 'ignored',
    job: 'unchanged',
  },
  {
    name: 'autoscaler off',
    from: withAutoscaler,
    change: ({ ray: _ray, ...run }) => run,
    rayCluster: 'updated',
    pods: 'ignored',
    job: 'unchanged',
  },
];

const GENERATION = 'v5p';
const TOPOLOGY = '2x2x2';

/** Changes a run that is up in every known way, and compares what comes of it with the table of the documentation. */
export async function changeAll(
  cluster: Cluster,
  selected: (named: { name: string }) => boolean,
  tally: Tally,
): Promise<void> {
  const cases = LIFE_CYCLE_CASES.filter(selected);
  await inParallel(
    [...cases.entries()],
    async ([index, change]) => {
      tally.record(`life cycle: ${change.name}`, await changeOne(cluster, `life-${String(index)}`, change));
    },
    2,
  );
  const table = lifeCycleTable();
  console.log(`\n${table}\n`);
  const page = readFileSync(join(__dirname, '../../docs/verification.md'), 'utf8');
  tally.record(
    'life cycle: docs/verification.md has the table',
    page.includes(table) ? [] : ['it does not: copy the table above'],
  );
}

/** The table of the documentation. */
export function lifeCycleTable(): string {
  const rows = LIFE_CYCLE_CASES.map(({ name, rayCluster, pods, job }) => [name, rayCluster, pods, job]);
  return renderTable(['change', 'RayCluster', 'pods of Ray', 'submitter Job'], rows);
}

async function changeOne(
  cluster: Cluster,
  name: string,
  { from = (run) => run, change, ...expected }: LifeCycleCase,
): Promise<string[]> {
  const spec = from(baseRun(name));
  const before = synthesizeProject(platformOf(name), [spec]);
  const after = synthesizeProject(platformOf(name), [change(spec)]);
  const stage = await Stage.set(cluster, name, bothPlans(before, after), 'baseline');
  try {
    await applyAll(cluster, before);
    await untilUp(cluster, stage, before);
    const was = stateOf(cluster, stage, before);
    const looks = looksOf(cluster, stage);
    const refusals = await applyAll(cluster, after);
    if (await isChanged(cluster, stage, after, was)) await untilLookedAt(cluster, stage, looks);
    await untilActed(cluster, stage, after);
    const is = stateOf(cluster, stage, after);
    const seen = {
      rayCluster: rayClusterEffect(was, is),
      pods: podsEffect(was, is),
      job: jobEffect(was, is, refusals),
    };
    return (['rayCluster', 'pods', 'job'] as const)
      .filter((part) => seen[part] !== expected[part])
      .map((part) => `${part} is ${seen[part]}, ${expected[part]} expected`);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await stage.clear();
  }
}

/** The run that the changes start from. */
export function baseRun(name: string): RunSpec {
  const shape = offeredShapes().find(
    ({ generation, topology }) => generation === GENERATION && topology === TOPOLOGY,
  );
  if (shape === undefined) throw new Error(`${GENERATION} ${TOPOLOGY} is not offered`);
  return { ...shapeCase(shape, 2, 'pod-network').run, name };
}

function withSlices(run: RunSpec, slices: number): RunSpec {
  const { trainer } = run;
  if (trainer.kind !== 'maxtext') return run;
  const { dcn: _dcn, ...mesh } = trainer.mesh ?? {};
  return {
    ...run,
    tpu: { ...run.tpu, slices },
    trainer: { ...trainer, mesh: slices === 1 ? mesh : { ...mesh, dcn: { data: slices } } },
  };
}

function withAutoscaler(run: RunSpec): RunSpec {
  return { ...run, ray: { autoscaler: true } };
}

function withMesh(run: RunSpec, devices: number): RunSpec['trainer'] {
  const { trainer } = run;
  return trainer.kind === 'maxtext'
    ? { ...trainer, mesh: { ...trainer.mesh, ici: { fsdp: devices } } }
    : trainer;
}

/** Nodes for both, since people make node pools before they change a run. */
function bothPlans(before: Project, after: Project): Project['plan'] {
  const pools = [...after.plan.infrastructure.nodePools, ...before.plan.infrastructure.nodePools];
  const nodePools = pools.filter(
    (pool, index) => pools.findIndex(({ name }) => name === pool.name) === index,
  );
  return { ...before.plan, infrastructure: { ...before.plan.infrastructure, nodePools } };
}

/** Applies a whole project and gives what the API server refuses. */
async function applyAll(cluster: Cluster, project: Project): Promise<string[]> {
  const refusals: string[] = [];
  for (const object of [...project.files.values()].flat()) {
    try {
      await cluster.controlPlane.client.apply(object);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(`${object.kind}: ${error.message}`);
    }
  }
  return refusals;
}

interface State {
  readonly rayCluster: RayCluster | undefined;
  readonly pods: readonly Pod[];
  /** UID and Ray submission id, by name. */
  readonly jobs: ReadonlyMap<string, { readonly uid: string; readonly submission: string }>;
}

function stateOf({ caches }: Cluster, { namespace }: Stage, project: Project): State {
  const pods = caches.pods
    .in(namespace)
    .filter(
      ({ metadata }) =>
        metadata.labels?.['ray.io/cluster'] !== undefined && metadata.deletionTimestamp === undefined,
    );
  return {
    rayCluster: caches.rayClusters.get(namespace, namesOf(project).rayCluster),
    pods,
    jobs: new Map(
      caches.jobs
        .in(namespace)
        .map((job) => [nameOf(job), { uid: job.metadata.uid ?? '', submission: submissionOf(job) }]),
    ),
  };
}

function namesOf(project: Project): { rayCluster: string; job: string; pods: number } {
  const objects: KubernetesObject[] = [...project.files.values()].flat();
  const rayCluster = only<RayCluster>(objects, 'RayCluster');
  const hosts = rayCluster.spec.workerGroupSpecs?.[0]?.numOfHosts ?? 1;
  return {
    rayCluster: nameOf(rayCluster),
    job: nameOf(only(objects, 'Job')),
    pods: 1 + renderedSlices(rayCluster) * hosts,
  };
}

async function untilUp(cluster: Cluster, stage: Stage, project: Project): Promise<void> {
  const { pods, ...names } = namesOf(project);
  await untilRunning(cluster, stage.namespace, names, pods);
}

async function isChanged(
  cluster: Cluster,
  { namespace }: Stage,
  project: Project,
  was: State,
): Promise<boolean> {
  const path = `${collectionPath('ray.io/v1 RayCluster', namespace)}/${namesOf(project).rayCluster}`;
  const { metadata } = await cluster.controlPlane.client.get<RayCluster>(path);
  return (
    metadata.uid !== was.rayCluster?.metadata.uid ||
    metadata.generation !== was.rayCluster?.metadata.generation
  );
}

/**
 * How often the operator has compared pods with a spec of the namespace. Its log says so; the status does not, since
 * KubeRay 1.5 writes it only when something else in it changes.
 */
function looksOf({ controlPlane }: Cluster, { namespace }: Stage): number {
  return controlPlane
    .log('operator')
    .split('\n')
    .filter((line) => line.includes(`"namespace":"${namespace}"`) && line.includes('desired workerReplicas'))
    .length;
}

async function untilLookedAt(cluster: Cluster, stage: Stage, looks: number): Promise<void> {
  const end = Date.now() + ACTED_SECONDS * 1000;
  while (looksOf(cluster, stage) <= looks) {
    if (Date.now() > end)
      throw new Error(`after ${String(ACTED_SECONDS)} s the operator has not looked at the change`);
    await delay(LOOK_EVERY_MS);
  }
}

/** Waits until the operator has looked at the new spec, and as many pods as it asks for run, or are known not to. */
async function untilActed(cluster: Cluster, stage: Stage, project: Project): Promise<void> {
  const { caches, changes } = cluster;
  const names = namesOf(project);
  const current = (): { rayCluster: RayCluster | undefined; pods: Pod[] } => ({
    rayCluster: caches.rayClusters.get(stage.namespace, names.rayCluster),
    pods: caches.pods.in(stage.namespace).filter((pod) => isOfRayCluster(pod, names.rayCluster)),
  });
  await changes.until(
    () => {
      cluster.check();
      const { rayCluster, pods } = current();
      return (
        (rayCluster?.status?.state === 'ready' || pods.some(isWithoutNode)) &&
        caches.jobs.get(stage.namespace, names.job) !== undefined &&
        pods.length === names.pods &&
        pods.every((pod) => isRunning(pod) || isWithoutNode(pod))
      );
    },
    ACTED_SECONDS,
    () => {
      const { rayCluster, pods } = current();
      return `generation ${String(rayCluster?.metadata.generation)}, '${rayCluster?.status?.state ?? ''}', ${String(pods.filter(isRunning).length)} of ${String(names.pods)} pods run`;
    },
  );
}

function rayClusterEffect(was: State, is: State): Effect {
  if (is.rayCluster?.metadata.uid !== was.rayCluster?.metadata.uid) return 'recreated';
  return is.rayCluster?.metadata.generation === was.rayCluster?.metadata.generation ? 'unchanged' : 'updated';
}

function podsEffect(was: State, is: State): Effect {
  const before = new Set(was.pods.map(({ metadata }) => metadata.uid));
  const kept = is.pods.filter(({ metadata }) => before.has(metadata.uid)).length;
  if (kept < before.size) return is.pods.length > kept ? 'recreated' : 'removed';
  if (is.pods.length > kept) return is.pods.some(isWithoutNode) ? 'pending' : 'added';
  return rayClusterEffect(was, is) === 'unchanged' ? 'unchanged' : 'ignored';
}

function jobEffect(was: State, is: State, refusals: readonly string[]): Effect {
  if (refusals.some((refusal) => refusal.startsWith('Job:'))) return 'rejected';
  const others = [...is.jobs].filter(([name, { uid }]) => was.jobs.get(name)?.uid !== uid);
  if (others.length === 0) return 'unchanged';
  const known = new Set([...was.jobs.values()].map(({ submission }) => submission));
  return others.every(([, { submission }]) => known.has(submission)) ? 'attaches' : 'recreated';
}

/** The id under which a submitter Job submits its run, or attaches to it. */
function submissionOf(job: KubernetesObject): string {
  const { spec } = job as unknown as { spec: { template: { spec: { containers: { args: string[] }[] } } } };
  const args = spec.template.spec.containers[0]?.args ?? [];
  return args[args.indexOf('--submission-id') + 1] ?? '';
}
