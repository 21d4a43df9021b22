import { checkManifests, manifestProblemText } from '../../lib/manifest-rules';
import type { BrokenManifest } from './broken-manifests';
import { BASES, BROKEN_MANIFESTS } from './broken-manifests';
import { CHECKS } from './checks';
import type { Cluster } from './cluster';
import { edited } from './edits';
import type { KubernetesObject, Pod, RayCluster } from './kubernetes-object';
import { nameOf } from './kubernetes-object';
import { only } from './project';
import type { Project } from './project';
import { describeStuck, observeRun, renderedSlices, untilRunning } from './scenario';
import { offeredShapes, platformOf, shapeCase } from './shapes';
import { Stage, inParallel, isRefusal } from './stage';
import { synthesizeProject } from './synthesized-project';
import { renderTable } from './table';
import type { Tally } from './tally';

/** Scenarios that run at the same time. */
const SCENARIOS_AT_ONCE = 4;

/** How long the cluster may take to find a break. */
const CAUGHT_SECONDS = 90;

/** Breaks a good manifest in every known way, and prints where each break is caught. */
export async function breakAll(
  cluster: Cluster,
  selected: (named: { name: string }) => boolean,
  tally: Tally,
): Promise<void> {
  const rows: string[][] = [];
  const cases = BROKEN_MANIFESTS.filter(selected);
  await inParallel(
    [...cases.entries()],
    async ([index, broken]) => {
      const { refusedBySynth, problems } = await breakOne(cluster, `broken-${String(index)}`, broken);
      tally.record(`broken: ${broken.name}`, problems);
      const verdict = problems.length === 0 ? 'pass' : 'FAIL';
      rows.push([broken.name, refusedBySynth ? 'yes' : 'no', broken.catcher, verdict]);
    },
    SCENARIOS_AT_ONCE,
  );
  const place = (row: readonly string[]): number => cases.findIndex(({ name }) => name === row[0]);
  rows.sort((a, b) => place(a) - place(b));
  console.log(
    `\n${renderTable(['broken manifest', 'refused by synth', 'caught in the cluster by', 'verdict'], rows)}\n`,
  );
}

interface Outcome {
  readonly refusedBySynth: boolean;
  readonly problems: readonly string[];
}

async function breakOne(cluster: Cluster, name: string, broken: BrokenManifest): Promise<Outcome> {
  const project = baseProject(name, broken);
  const good = [...project.files.values()].flat();
  const bad = edited(good, broken.edits);
  const refusals = ruleRefusals(bad);
  return {
    refusedBySynth: refusals.length > 0,
    problems: [
      ...ruleRefusals(good).map((text) => `synth refuses the good manifest: ${text}`),
      ...(broken.synth && refusals.length === 0 ? ['synth: no rule refuses it'] : []),
      ...(await clusterProblems(cluster, name, broken, project, bad)),
    ],
  };
}

function ruleRefusals(objects: readonly KubernetesObject[]): string[] {
  return checkManifests(objects, { kubeRayVersion: '1.5.0' }).map(manifestProblemText);
}

function baseProject(namespace: string, { base }: BrokenManifest): Project {
  const { generation, topology, slices, network } = BASES[base];
  const shape = offeredShapes().find(
    (offered) => offered.generation === generation && offered.topology === topology,
  );
  if (shape === undefined) throw new Error(`${generation} ${topology} is not offered`);
  return synthesizeProject(platformOf(namespace), [shapeCase(shape, slices, network).run]);
}

async function clusterProblems(
  cluster: Cluster,
  name: string,
  broken: BrokenManifest,
  project: Project,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const stage = await Stage.set(cluster, name, project.plan, 'baseline');
  try {
    const refusal = await applyAll(cluster, objects);
    if (broken.catcher === 'schema' || broken.catcher === 'webhook') return refusalProblems(broken, refusal);
    if (refusal !== undefined) return [`refused when it was applied: ${refusal}`];
    return broken.catcher === 'nothing'
      ? await silentProblems(cluster, stage, broken, project, objects)
      : await caughtProblems(cluster, stage, broken, objects);
  } finally {
    await stage.clear();
  }
}

/** Applies in order; gives why the API server refuses an object. */
async function applyAll(cluster: Cluster, objects: readonly KubernetesObject[]): Promise<string | undefined> {
  for (const object of objects) {
    try {
      await cluster.controlPlane.client.apply(object);
    } catch (error) {
      if (isRefusal(error)) return error.message;
      throw error;
    }
  }
  return undefined;
}

function refusalProblems({ catcher, says }: BrokenManifest, refusal: string | undefined): string[] {
  if (refusal === undefined) return ['the API server took it'];
  const byWebhook = refusal.includes('admission webhook');
  if (byWebhook !== (catcher === 'webhook'))
    return [`refused by ${byWebhook ? 'the webhook' : 'the schema'}: ${refusal}`];
  return says.test(refusal) ? [] : [`refused with other words: ${refusal}`];
}

/** Waits until operator, scheduler or kubelet says what is expected. */
async function caughtProblems(
  cluster: Cluster,
  stage: Stage,
  { catcher, says }: BrokenManifest,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const { caches, kubelet, changes } = cluster;
  const texts = (): string[] => {
    switch (catcher) {
      case 'operator':
        return caches.events
          .in(stage.namespace)
          .filter(isOperatorWarning)
          .map(({ message }) => message ?? '');
      case 'scheduler':
        return caches.pods.in(stage.namespace).flatMap(schedulingMessages);
      default:
        return kubelet.blockedIn(stage.namespace);
    }
  };
  try {
    await changes.until(
      () => texts().some((text) => says.test(text)),
      CAUGHT_SECONDS,
      () =>
        `the ${catcher} does not say ${String(says)}, but: ${texts().join('; ')}; ${describeStuck(cluster, stage.namespace, namesOf(objects))}`,
    );
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function isOperatorWarning({
  type,
  involvedObject,
}: {
  type?: string;
  involvedObject?: { kind?: string };
}): boolean {
  return type === 'Warning' && involvedObject?.kind === 'RayCluster';
}

function schedulingMessages(pod: Pod): string[] {
  return (pod.status?.conditions ?? [])
    .filter(({ type, status }) => type === 'PodScheduled' && status === 'False')
    .map(({ message }) => message ?? '');
}

function namesOf(objects: readonly KubernetesObject[]): { rayCluster: string; job: string } {
  return { rayCluster: nameOf(only(objects, 'RayCluster')), job: nameOf(only(objects, 'Job')) };
}

/** It runs without a word: the checks of a run must object. */
async function silentProblems(
  cluster: Cluster,
  stage: Stage,
  { says }: BrokenManifest,
  project: Project,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const [planned] = project.plan.runs;
  if (planned === undefined) return ['the plan has no run'];
  const run = { ...planned, ...namesOf(objects) };
  const slices = renderedSlices(only<RayCluster>(objects, 'RayCluster'));
  try {
    await untilRunning(cluster, stage.namespace, run, 1 + slices * run.tpu.hostsPerSlice);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  const observation = observeRun(cluster, stage.namespace, run, slices, new Set());
  const found = CHECKS.flatMap((check) => check(observation));
  return found.some((text) => says.test(text))
    ? []
    : [`no check says ${String(says)}, but: ${found.join('; ')}`];
}
