import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * Times the app command (without npm) for projects of 1, 10, 100 and 1,000 runs, beside what a user would use instead:
 * the floor (node that loads cdk8s and prints one object), ts-node running the same main, and `helm template` of the
 * same objects where a helm binary is at hand (HELM=…). Medians of several runs, warm. Reports, never asserts.
 *
 * usage: tsx scripts/bench.ts [--repeat N] [--runs 1,10,100,1000] [--no-ts-node]
 */

const ROOT = join(__dirname, '..');
const BIN = join(ROOT, 'bin/cdk8s-tpu-ray.cjs');

interface Sample {
  readonly seconds: number;
  readonly megabytes: number;
}

interface Row {
  readonly what: string;
  readonly samples: readonly Sample[];
}

/** Loaded into every measured node process: writes its largest resident size when it ends. */
const MEMORY_HOOK = `process.on('exit', () => require('fs').writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)));`;

function option(name: string, fallback: string): string {
  const index = process.argv.indexOf(name);
  return (index < 0 ? undefined : process.argv[index + 1]) ?? fallback;
}

function measure(scratch: string, command: string, args: readonly string[], input: { cwd: string }): Sample {
  const memory = join(scratch, 'memory');
  const hook = join(scratch, 'hook.cjs');
  writeFileSync(hook, MEMORY_HOOK);
  writeFileSync(memory, '0');
  const started = process.hrtime.bigint();
  const { status, stderr } = spawnSync(command, args, {
    cwd: input.cwd,
    env: { ...process.env, BENCH_MEMORY: memory, NODE_OPTIONS: `--require ${hook}`, CDK8S_OUTDIR: undefined },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${String(status)}: ${stderr.slice(-2000)}`);
  return { seconds, megabytes: Number(readFileSync(memory, 'utf8')) / 1024 };
}

/** A project with copies of the quick start's run. */
function makeProject(folder: string, runs: number): void {
  mkdirSync(join(folder, 'runs'), { recursive: true });
  writeFileSync(join(folder, 'platform.yaml'), readFileSync(join(ROOT, 'platform.yaml')));
  const text = readFileSync(join(ROOT, 'runs/llama3-8b.yaml'), 'utf8');
  for (let index = 0; index < runs; index++) {
    const name = `run-${String(index).padStart(4, '0')}`;
    writeFileSync(join(folder, `runs/${name}.yaml`), text.replace(/^name: .*$/m, `name: ${name}`));
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A chart of the same objects: helm renders what synth wrote, with one value put in. */
function makeHelmChart(folder: string, dist: string): void {
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: bench\nversion: 0.1.0\n');
  writeFileSync(join(folder, 'values.yaml'), 'managedBy: cdk8s-tpu-ray\n');
  for (const name of readdirSync(dist)) {
    const text = readFileSync(join(dist, name), 'utf8').replaceAll('{{', "{{ '{{' }}");
    const filled = text.replaceAll('managed-by: cdk8s-tpu-ray', 'managed-by: {{ .Values.managedBy }}');
    writeFileSync(join(folder, 'templates', name), filled);
  }
}

function print(rows: readonly Row[], floor: number): void {
  process.stdout.write(
    '| what | median s | min s | max s | times the floor | MiB |\n|---|---|---|---|---|---|\n',
  );
  for (const { what, samples } of rows) {
    const seconds = samples.map((sample) => sample.seconds);
    const middle = median(seconds);
    const memory = median(samples.map((sample) => sample.megabytes));
    const cells = [
      what,
      middle.toFixed(2),
      Math.min(...seconds).toFixed(2),
      Math.max(...seconds).toFixed(2),
      (middle / floor).toFixed(1),
      memory === 0 ? 'not measured' : memory.toFixed(0),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}

function main(): void {
  const repeat = Number(option('--repeat', '5'));
  const sizes = option('--runs', '1,10,100,1000').split(',').map(Number);
  const scratch = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-bench-'));
  const rows: Row[] = [];
  const record = (
    what: string,
    times: number,
    command: string,
    args: readonly string[],
    cwd: string,
  ): Row => {
    measure(scratch, command, args, { cwd });
    const samples = Array.from({ length: times }, () => measure(scratch, command, args, { cwd }));
    const row = { what, samples };
    rows.push(row);
    return row;
  };
  try {
    const floorScript = join(scratch, 'floor.cjs');
    writeFileSync(
      floorScript,
      `const { App, Chart, ApiObject, Yaml } = require(${JSON.stringify(join(ROOT, 'node_modules/cdk8s'))});
const chart = new Chart(new App({ outdir: 'unused' }), 'floor');
console.log(Yaml.stringify(new ApiObject(chart, 'one', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }).toJson()));`,
    );
    const floorRow = record(
      'floor: node loads cdk8s and prints one object',
      repeat,
      process.execPath,
      [floorScript],
      scratch,
    );
    const floor = median(floorRow.samples.map((sample) => sample.seconds));
    for (const size of sizes) {
      const project = join(scratch, `project-${String(size)}`);
      makeProject(project, size);
      record(
        `synth, ${String(size)} run${size === 1 ? '' : 's'}`,
        repeat,
        process.execPath,
        [BIN, 'synth', project],
        scratch,
      );
    }
    const [smallest = 1] = sizes;
    const first = join(scratch, `project-${String(smallest)}`);
    if (!process.argv.includes('--no-ts-node')) {
      const tsNode = join(ROOT, 'node_modules/ts-node/dist/bin.js');
      record(
        `ts-node main.ts, ${String(smallest)} run`,
        Math.min(repeat, 3),
        process.execPath,
        [tsNode, '--project', join(ROOT, 'tsconfig.json'), join(ROOT, 'main.ts'), 'synth', first],
        ROOT,
      );
    }
    const helm = process.env['HELM'];
    if (helm !== undefined && existsSync(helm)) {
      for (const size of sizes) {
        const chart = join(scratch, `chart-${String(size)}`);
        makeHelmChart(chart, join(scratch, `project-${String(size)}`, 'dist'));
        record(
          `helm template, ${String(size)} run${size === 1 ? '' : 's'}`,
          repeat,
          helm,
          ['template', chart],
          scratch,
        );
      }
    }
    process.stdout.write(
      `node ${process.version}, ${String(cpus().length)} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB; ${String(repeat)} runs each after one to warm up\n\n`,
    );
    print(rows, floor);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

main();
