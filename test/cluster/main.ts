import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { admitProject } from './admission';
import { buildControlPlane } from './build';
import { Cluster } from './cluster';
import { examineWithDoctor } from './doctor';
import { exampleFolders, synthesizeExample } from './examples';
import type { Example } from './examples';
import { changeAll } from './life-cycle';
import { breakAll } from './negative';
import { isolatePools } from './pool-isolation';
import { reconcileAll } from './reconciliation';
import { upgradeSchema } from './schema-upgrade';
import { MOST_HOSTS_RECONCILED, multisliceCases, platformOf, singleSliceCases } from './shapes';
import type { ShapeCase } from './shapes';
import { synthesizeProject } from './synthesized-project';
import type { Project } from './project';
import { Tally } from './tally';
import { isGoRequired, missingToolchain } from './toolchain';

/** How long all scenarios together may take, on a loaded machine. */
const DEADLINE_MINUTES = 20;

const began = Date.now();

function say(message: string): void {
  console.log(`[${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s] ${message}`);
}

const { values: options } = parseArgs({
  options: {
    // Runs only the scenarios whose names match.
    only: { type: 'string', default: '' },
  },
});

async function runAll(cluster: Cluster, tally: Tally): Promise<void> {
  const selected = ({ name }: { readonly name: string }): boolean => new RegExp(options.only).test(name);

  const examples: Example[] = [];
  for (const { name, folder } of exampleFolders().filter(selected)) {
    examples.push(await synthesizeExample(name, folder, join(cluster.controlPlane.folder, 'examples')));
  }
  say(`${String(examples.length)} examples synthesized`);

  const single = singleSliceCases().filter(selected);
  const projects = new Map(examples.map(({ name, project }): [string, Project] => [name, project]));
  if (single.length > 0) projects.set(`${String(single.length)} shapes`, projectOf(single));
  for (const [name, project] of projects) {
    tally.record(`admission of ${name}`, await admitProject(cluster, project));
  }
  say(`${String(single.length)} shapes and ${String(examples.length)} examples admitted`);

  const cases = [
    ...single.filter(({ hosts }) => hosts <= MOST_HOSTS_RECONCILED),
    ...multisliceCases().filter(selected),
  ];
  await reconcileAll(cluster, examples, cases, tally);
  say(`${String(cases.length)} shapes and ${String(examples.length)} examples reconciled`);

  await breakAll(cluster, selected, tally);
  say('broken manifests caught');

  await changeAll(cluster, selected, tally);
  say('life cycle shown');

  await isolatePools(cluster, selected, tally);
  say('node pools told apart');

  await examineWithDoctor(cluster, selected, tally);
  say('doctor asked');

  await upgradeSchema(cluster, projects, tally);
  say('schema replaced');
}

/** One project with a run of every shape. */
function projectOf(cases: readonly ShapeCase[]): Project {
  return synthesizeProject(
    platformOf('admission'),
    cases.map(({ run }) => run),
  );
}

async function main(): Promise<void> {
  const missing = missingToolchain();
  if (missing !== undefined) {
    console.log(missing);
    console.log(isGoRequired() ? '0 passed, 1 failed' : '0 passed, 0 failed, 1 skipped');
    process.exitCode = isGoRequired() ? 1 : 0;
    return;
  }
  const binaries = await buildControlPlane(say);
  const cluster = await Cluster.start(binaries);
  const interrupt = (): void => {
    void cluster.stop().then(() => process.exit(130));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  say(`Kubernetes ${binaries.kubernetesVersion} with KubeRay ${binaries.kubeRayVersion} is up`);
  const tally = new Tally();
  try {
    await withinDeadline(runAll(cluster, tally));
    cluster.check();
  } catch (error) {
    tally.record('the run as a whole', [
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    ]);
  } finally {
    await cluster.stop();
  }
  say('control plane stopped');
  console.log(tally.summary());
  process.exit(tally.hasFailed ? 1 : 0);
}

/** A suite that hangs must say so, not its caller. */
async function withinDeadline(work: Promise<void>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`not finished after ${String(DEADLINE_MINUTES)} minutes`));
    }, DEADLINE_MINUTES * 60_000);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

main().catch((error: unknown) => {
  console.log(error instanceof Error ? error.message : String(error));
  console.log('0 passed, 1 failed');
  process.exit(1);
});
