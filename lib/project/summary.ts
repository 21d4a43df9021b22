import type { LocatedWarning } from '../config';
import type { InfrastructurePlan } from '../infrastructure';
import { capacityText, count, rangeText } from '../review';
import { describeAxes, describeFit, gib, usableHbmBytes } from '../training';
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
      `warning  ${[file, line].filter((part) => part !== undefined).join(':')}  ${path}: ${message}`,
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
    ...maxtextLines(run),
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

function maxtextLines(run: TrainingRun): string[] {
  const { maxtext } = run.trainer;
  if (maxtext === undefined) return [];
  const parameters =
    maxtext.parameters === undefined ? '' : `, ${(maxtext.parameters / 1e9).toFixed(2)}B parameters`;
  return [
    field('model', `${maxtext.model}${parameters}, ${rangeText(maxtext.globalBatch)} examples a step`),
    ...maxtext.meshes.map(({ slices, mesh }) => {
      const memory = maxtext.memory.find((size) => size.slices === slices)?.state;
      const state =
        memory === undefined
          ? 'memory not estimated'
          : `state ${gib(memory.stateBytes)} + gradients ${gib(memory.gradientBytes)} of ${gib(usableHbmBytes(run.slice))} per device; activations not counted`;
      return field(
        maxtext.meshes.length > 1 ? `mesh at ${String(slices)}` : 'mesh',
        `ici ${describeAxes(mesh.ici)}, dcn ${describeAxes(mesh.dcn)}; ${state}`,
      );
    }),
    ...(maxtext.meshReasons.length === 0 ? [] : [field('mesh default', maxtext.meshReasons.join('; '))]),
  ];
}

function field(name: string, text: string): string {
  return `  ${name.padEnd(12)} ${text}`;
}
