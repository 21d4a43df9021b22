import type { RunSpec } from '../../lib/run';
import type { Cluster } from './cluster';
import type { Pod } from './kubernetes-object';
import { nameOf } from './kubernetes-object';
import { baseRun } from './life-cycle';
import type { Project } from './project';
import { isOfRayCluster, isWithoutNode, untilRunning } from './scenario';
import { platformOf } from './shapes';
import { Stage } from './stage';
import { synthesizeProject } from './synthesized-project';
import type { Tally } from './tally';
import type { PlannedProject, PlannedRun } from '../../lib/plan';

const NAME = 'pools';

/** How long the scheduler may take to say of every worker that no node fits. */
const REFUSED_SECONDS = 90;

const POOL_LABEL = 'cloud.google.com/gke-nodepool';

/** Runs of one shape, each with node pools that are not for the others. */
const TPU_BY_RUN: Readonly<Record<string, Partial<RunSpec['tpu']>>> = {
  'on-demand': {},
  spot: { capacity: { kind: 'spot' } },
  reservation: { capacity: { kind: 'reservation', name: 'my-reservation' } },
  'own-pools': { shareNodePools: false },
};

/**
 * Node pools of one shape on one control plane: with all pools there, every worker lies on a pool of its own run; with
 * the pools of the other runs alone, all of them free, none of a run's workers finds a node.
 */
export async function isolatePools(
  cluster: Cluster,
  selected: (named: { name: string }) => boolean,
  tally: Tally,
): Promise<void> {
  if (!selected({ name: NAME })) return;
  tally.record('pools: every run on its own', await allTogether(cluster));
  for (const name of Object.keys(TPU_BY_RUN)) {
    tally.record(`pools: ${name} stays off those of the others`, await onOthersPools(cluster, name));
  }
}

function projectIn(namespace: string): Project {
  const runs = Object.entries(TPU_BY_RUN).map(([name, tpu]): RunSpec => {
    const run = baseRun(name);
    return { ...run, tpu: { ...run.tpu, ...tpu } };
  });
  return synthesizeProject(platformOf(namespace), runs);
}

async function allTogether(cluster: Cluster): Promise<string[]> {
  const project = projectIn(NAME);
  const { runs, infrastructure } = project.plan;
  const runsOfPool = new Map(infrastructure.nodePools.map((pool) => [pool.name, pool.runs]));
  return onStage(cluster, NAME, project.plan, async () => {
    await applyAll(cluster, project);
    for (const run of runs) await untilRunning(cluster, NAME, run, 1 + workersOf(run));
    return runs.flatMap((run) =>
      workerPods(cluster, NAME, run).flatMap((pod) => {
        const node = cluster.caches.nodes.get('', pod.spec.nodeName ?? '');
        const pool = node?.metadata.labels?.[POOL_LABEL] ?? '?';
        const owners = runsOfPool.get(pool) ?? [];
        return owners.length === 1 && owners[0] === run.name
          ? []
          : [`${nameOf(pod)} of ${run.name} lies on ${pool}, which is for: ${owners.join(', ')}`];
      }),
    );
  });
}

async function onOthersPools(cluster: Cluster, name: string): Promise<string[]> {
  const namespace = `${NAME}-${name}`;
  const project = projectIn(namespace);
  const { plan } = project;
  const run = plan.runs.find((planned) => planned.name === name);
  if (run === undefined) return [`the plan has no run ${name}`];
  const { infrastructure } = plan;
  const nodePools = infrastructure.nodePools.filter(
    ({ role, runs }) => role === 'cpu' || !runs.includes(name),
  );
  const others = { ...plan, infrastructure: { ...infrastructure, nodePools } };
  return onStage(cluster, namespace, others, async () => {
    await applyAll(cluster, project, run);
    const decided = (): Pod[] =>
      workerPods(cluster, namespace, run).filter(
        (pod) => isWithoutNode(pod) || pod.spec.nodeName !== undefined,
      );
    await cluster.changes.until(
      () => {
        cluster.check();
        return decided().length === workersOf(run);
      },
      REFUSED_SECONDS,
      () => `the scheduler has looked at ${String(decided().length)} of ${String(workersOf(run))} workers`,
    );
    return decided()
      .filter((pod) => !isWithoutNode(pod))
      .map((pod) => `${nameOf(pod)} lies on ${pod.spec.nodeName ?? '?'}, a node of another run's pool`);
  });
}

function workersOf({ tpu }: PlannedRun): number {
  return tpu.slices.max * tpu.hostsPerSlice;
}

function workerPods({ caches }: Cluster, namespace: string, run: PlannedRun): Pod[] {
  return caches.pods
    .in(namespace)
    .filter(
      (pod) => isOfRayCluster(pod, run.rayCluster) && pod.metadata.labels?.['ray.io/node-type'] === 'worker',
    );
}

/** Applies what runs share, and every run or one of them. */
async function applyAll(
  { controlPlane }: Cluster,
  { plan, files }: Project,
  one?: PlannedRun,
): Promise<void> {
  const left = new Set(
    plan.runs.filter((run) => one !== undefined && run !== one).map(({ manifest }) => manifest),
  );
  for (const [file, objects] of files) {
    if (left.has(file)) continue;
    for (const object of objects) await controlPlane.client.apply(object);
  }
}

async function onStage(
  cluster: Cluster,
  name: string,
  plan: PlannedProject,
  look: () => Promise<string[]>,
): Promise<string[]> {
  const stage = await Stage.set(cluster, name, plan, 'baseline');
  try {
    return await look();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await stage.clear();
  }
}
