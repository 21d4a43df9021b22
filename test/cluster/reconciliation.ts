import { join } from 'node:path';
import type { Cluster } from './cluster';
import type { Example } from './examples';
import { KubectlApplier } from './kubectl-applier';
import { objectsOf } from './project';
import { reconcileProject } from './scenario';
import type { Appliers, RunResult } from './scenario';
import { ServerSideApplier } from './server-side-applier';
import type { ShapeCase } from './shapes';
import { platformOf } from './shapes';
import { inParallel } from './stage';
import { synthesizeProject } from './synthesized-project';
import { renderTable } from './table';
import type { Tally } from './tally';

/** Scenarios that run at the same time. */
const SCENARIOS_AT_ONCE = 4;

/** Reconciles every run of every example and every case, and prints one table of them. */
export async function reconcileAll(
  cluster: Cluster,
  examples: readonly Example[],
  cases: readonly ShapeCase[],
  tally: Tally,
): Promise<void> {
  const rows: string[][] = [];
  const add = (name: string, { run, slices, pods, seconds, problems }: RunResult): void => {
    rows.push([
      name,
      `${run.tpu.generation} ${run.tpu.topology}`,
      String(slices),
      run.network,
      String(pods),
      seconds.toFixed(1),
      problems.length === 0 ? 'pass' : 'FAIL',
    ]);
    tally.record(`reconcile ${name}`, problems);
  };
  const lanes = [...laneOfExamples(cluster, examples, add), ...lanesOfCases(cluster, cases, add)];
  await inParallel(
    lanes,
    async (lane) => {
      await lane();
    },
    SCENARIOS_AT_ONCE,
  );
  rows.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  console.log(
    `\n${renderTable(['run', 'shape', 'slices', 'network', 'pods', 'seconds', 'verdict'], rows)}\n`,
  );
}

type Add = (name: string, result: RunResult) => void;

/** Examples of one namespace follow each other. */
function laneOfExamples(cluster: Cluster, examples: readonly Example[], add: Add): (() => Promise<void>)[] {
  const byNamespace = new Map<string, Example[]>();
  for (const example of examples) {
    const { namespace } = example.project.plan.platform;
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), example]);
  }
  return [...byNamespace.values()].map((group) => async () => {
    for (const example of group) {
      const appliers: Appliers = (files) =>
        new KubectlApplier(
          cluster,
          files.map((file) => join(example.dist, file)),
        );
      const results = await reconcileProject(cluster, `example-${example.name}`, example.project, appliers);
      for (const result of results) add(`${example.name}/${result.run.name}`, result);
    }
  });
}

/** The largest first, so that no large one is left alone at the end. */
function lanesOfCases(cluster: Cluster, cases: readonly ShapeCase[], add: Add): (() => Promise<void>)[] {
  const largestFirst = [...cases].sort((a, b) => b.hosts * b.slices - a.hosts * a.slices);
  return largestFirst.map((shape) => async () => {
    const project = synthesizeProject(platformOf(shape.name), [shape.run]);
    const appliers: Appliers = (files) =>
      new ServerSideApplier(cluster.controlPlane.client, objectsOf(project, files));
    for (const result of await reconcileProject(cluster, shape.name, project, appliers))
      add(shape.name, result);
  });
}
