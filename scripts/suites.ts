import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs test suites one after another and ends with one line `N passed, N failed[, N skipped]` over all of them.
 *
 * usage: tsx scripts/suites.ts [--nightly] SUITE…
 *
 * With --nightly, suites also run what takes too long for a pull request (they see NIGHTLY=1).
 */

const ROOT = join(__dirname, '..');

interface Suite {
  readonly name: string;
  readonly title: string;
  readonly command: readonly string[];
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Suites that are a script of their own, by folder of test/. */
const SCRIPT_SUITES: Readonly<Record<string, string>> = {
  python: 'submitter and trainers without Ray or Torch',
  scripts: 'gcloud scripts as dry runs',
  images: 'requirements of the images',
  package: 'the packed package on a clean directory',
  browser: 'the plan’s page and the pictures of the documentation in a browser',
  matrix: 'the cross product of shapes, and fuzzed files',
  gcloud: 'gcloud scripts with the real gcloud and a fake cloud',
  cluster: 'manifests on a real control plane',
  ray: 'submitter, trainer and rehearsal on a real Ray',
  torch: 'TorchTPU trainers with a real Torch on CPUs',
  compile: 'the TPU compiler on a small model',
  maxtext: 'synth and MaxText’s own configuration code agree',
};

function suiteOf(name: string): Suite {
  if (name === 'types')
    return { name, title: 'type check', command: ['npx', 'tsc', '--noEmit', '-p', 'tsconfig.json'] };
  if (name === 'unit') return { name, title: 'jest', command: ['npx', 'jest', '--ci', '--silent'] };
  const title = SCRIPT_SUITES[name];
  const script = `test/${name}/run.sh`;
  if (title === undefined || !existsSync(join(ROOT, script))) {
    const known = ['types', 'unit', ...Object.keys(SCRIPT_SUITES)].join(', ');
    throw new Error(`suite '${name}' does not exist: suites are ${known}`);
  }
  return { name, title, command: ['bash', script] };
}

/** Reads a suite's counts: our own closing line, jest's, or pytest's. A suite without any counts by its exit code. */
function countsOf(suite: Suite, output: string, exitCode: number): Counts {
  if (suite.name === 'types')
    return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
  const own = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  const jest =
    /^Tests:\s+(?:(\d+) failed, )?(?:(\d+) skipped, )?(?:(\d+) todo, )?(?:(\d+) passed, )?\d+ total$/m.exec(
      output,
    );
  const counts =
    suite.name === 'unit' && jest !== null
      ? { passed: Number(jest[4] ?? 0), failed: Number(jest[1] ?? 0), skipped: Number(jest[2] ?? 0) }
      : own === undefined
        ? undefined
        : { passed: Number(own[1]), failed: Number(own[2]), skipped: Number(own[3] ?? 0) };
  // A suite that died without a verdict, or says it is well and ends badly, has failed.
  if (counts === undefined) return { passed: 0, failed: 1, skipped: 0 };
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function run(suite: Suite): Promise<Counts> {
  const started = Date.now();
  process.stdout.write(`\n== ${suite.name}: ${suite.title}\n`);
  const [command = '', ...args] = suite.command;
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: process.env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      // The closing line is near the end; a suite may print megabytes before it.
      output = (output + chunk.toString()).slice(-200_000);
    });
  }
  const stop = (): void => {
    child.kill('SIGINT');
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', () => {
      resolve(127);
    });
    child.once('close', (code, signal) => {
      resolve(code ?? (signal === null ? 1 : 130));
    });
  });
  process.removeListener('SIGINT', stop);
  process.removeListener('SIGTERM', stop);
  const counts = countsOf(suite, output, exitCode);
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  process.stdout.write(`-- ${suite.name}: ${describe(counts)} in ${seconds} s\n`);
  return counts;
}

function describe({ passed, failed, skipped }: Counts): string {
  return `${String(passed)} passed, ${String(failed)} failed${skipped > 0 ? `, ${String(skipped)} skipped` : ''}`;
}

async function main(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => word !== '--nightly');
  if (names.length < words.length) process.env['NIGHTLY'] = '1';
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of names.map(suiteOf)) {
    const counts = await run(suite);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  process.stdout.write(`\n${describe(total)}\n`);
  return total.failed === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
