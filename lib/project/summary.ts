import { pathText } from '../problems';
import type { LocatedWarning } from '../config';
import type { InfrastructurePlan } from '../infrastructure';
import { capacityText, count } from '../review';
import { describeFit, gib, rangeText, trainerKind } from '../training';
import type { Fit } from '../training';
import type { TrainingRun } from '../run';

/** Above this many runs the summary shows one line a run. */
const MOST_DETAILED_RUNS = 10;

/** What `npm run synth` prints: the derived numbers of every run, the node pools, and remarks. */
export function summarize(
  runs: readonly TrainingRun[],
  infrastructure: InfrastructurePlan,
  warnings: readonly LocatedWarning[],
  fits: ReadonlyMap<string, Fit>,
  jobNameOf: (run: TrainingRun) => string,
): string {
  const detailed = runs.length <= MOST_DETAILED_RUNS;
  const sections = runs.map((run) =>
    detailed ? detail(run, infrastructure, fits.get(run.name), jobNameOf(run)) : [oneLine(run)],
  );
  const remarks = warnings.map(
    ({ file, line, path, message }) =>
      `warning  ${[file, line].filter((part) => part !== undefined).join(':')}  ${pathText(path)}: ${message}`,
  );
  return [...sections.flat(), ...remarks].join('\n');
}

function detail(
  run: TrainingRun,
  infrastructure: InfrastructurePlan,
  fit: Fit | undefined,
  jobName: string,
): string[] {
  const pools = infrastructure.nodePools.filter(
    ({ role, runs }) => role === 'tpu' && runs.includes(run.name),
  );
  const { workers } = run.trainer;
  return [
    run.name,
    field('tpu', oneSlice(run)),
    field('slices', `${rangeText(run.slices)}, wait for ${count(run.wait.hosts, 'host')} before submitting`),
    field(
      'workers',
      `${rangeText(workers)} Ray workers, ${String(workers.perSlice)} a slice, TPU ${String(workers.tpuPerWorker)} each, ${run.slice.rayAcceleratorType} ${run.slice.topology}`,
    ),
    ...trainerKind(run.trainer.kind)
      .summary(run.trainer, run.slice)
      .map(({ name, text }) => field(name, text)),
    ...(fit === undefined ? [] : [field('compile', describeFit(fit, run.fitKey ?? ''))]),
    ...(run.network.mode === 'none' ? [] : [field('network', `${run.network.mode} (${run.network.reason})`)]),
    field('capacity', capacityText(run.capacity)),
    ...(pools.length === 0
      ? []
      : [
          field(
            'node pools',
            pools.map((pool) => `${pool.name} (${String(run.slice.hosts)} x ${pool.machineType})`).join(', '),
          ),
        ]),
    field('job', jobName),
  ];
}

function oneLine(run: TrainingRun): string {
  return `${run.name}  ${run.slice.generation} ${run.slice.topology} x ${rangeText(run.slices)}  ${run.trainer.kind}`;
}

function oneSlice({ slice }: TrainingRun): string {
  const devices = slice.devicesPerChip > 1 ? `, ${String(slice.devices)} devices` : '';
  return `${slice.generation} ${slice.topology}: ${count(slice.chips, 'chip')}${devices}, ${count(slice.hosts, 'host')} of ${slice.machineType}, ${gib(slice.hbmBytesPerDevice)} HBM per device`;
}

function field(name: string, text: string): string {
  return `  ${name.padEnd(12)} ${text}`;
}
