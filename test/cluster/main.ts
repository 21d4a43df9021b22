import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { admitProject } from './admission';
import { buildControlPlane } from './build';
import { Cluster } from './cluster';
import { exampleFolders, synthesizeExample } from './examples';
import type { Example } from './examples';
import { reconcileAll } from './reconciliation';
import { MOST_HOSTS_RECONCILED, multisliceCases, platformOf, singleSliceCases } from './shapes';
import { synthesizeProject } from './synthesized-project';
import { Tally } from './tally';
import { isGoRequired, missingToolchain } from './toolchain';

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
    examples.push(synthesizeExample(name, folder, join(cluster.controlPlane.folder, 'examples')));
  }
  say(`${String(examples.length)} examples synthesized`);

  const single = singleSliceCases().filter(selected);
  const shapes = synthesizeProject(
    platformOf('admission'),
    single.map(({ run }) => run),
  );
  tally.record(`admission of ${String(single.length)} shapes`, await admitProject(cluster, shapes));
  for (const { name, project } of examples)
    tally.record(`admission of ${name}`, await admitProject(cluster, project));
  say(`${String(single.length)} shapes and ${String(examples.length)} examples admitted`);

  const cases = [
    ...single.filter(({ hosts }) => hosts <= MOST_HOSTS_RECONCILED),
    ...multisliceCases().filter(selected),
  ];
  await reconcileAll(cluster, examples, cases, tally);
  say(`${String(cases.length)} shapes and ${String(examples.length)} examples reconciled`);
}

async function main(): Promise<void> {
  const missing = missingToolchain();
  if (missing !== undefined) {
    console.log(missing);
    console.log(isGoRequired() ? '0 passed, 1 failed' : '0 passed, 0 failed, 1 skipped');
    process.exitCode = isGoRequired() ? 1 : 0;
    return;
  }
  const binaries = buildControlPlane(say);
  const cluster = await Cluster.start(binaries);
  const interrupt = (): void => {
    void cluster.stop().then(() => process.exit(130));
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  say(`Kubernetes ${binaries.kubernetesVersion} with KubeRay ${binaries.kubeRayVersion} is up`);
  const tally = new Tally();
  try {
    await runAll(cluster, tally);
    cluster.check();
  } finally {
    await cluster.stop();
  }
  say('control plane stopped');
  console.log(tally.summary());
  process.exitCode = tally.hasFailed ? 1 : 0;
}

main().catch((error: unknown) => {
  console.log(error instanceof Error ? error.message : String(error));
  console.log('0 passed, 1 failed');
  process.exit(1);
});
