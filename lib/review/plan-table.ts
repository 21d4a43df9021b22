import { describeAxes, gib } from '../training';
import { memoryBars } from './memory-bar';
import type { MemoryBar } from './memory-bar';
import type { PlannedRun } from '../plan';
import { workerOf } from './reviewed-project';
import type { ReviewedPod, ReviewedProject } from './reviewed-project';
import { capacityText, count, rangeText } from './words';

/** One derived thing of a run: what it is, what it comes to, and where it goes. */
export interface PlanRow {
  readonly derived: string;
  readonly value: string;
  readonly usedIn: string;
}

/** A run as a reviewer reads it. */
export interface RunReview {
  readonly name: string;
  readonly rows: readonly PlanRow[];
  readonly memory: readonly MemoryBar[];
}

/** Everything that follows from a run's topology, in the order in which one follows from another. */
export function reviewRun(project: ReviewedProject, run: PlannedRun): RunReview {
  const memory = memoryBars(run, project.fits.get(run.name));
  const worker = workerOf(project, run);
  return {
    name: run.name,
    rows: [
      ...sliceRows(run),
      ...(worker === undefined ? [] : workerRows(worker)),
      ...rayRows(run),
      ...trainerRows(run),
      ...memory.map((bar) => memoryRow(run, bar)),
      ...infrastructureRows(project, run, worker),
      { derived: 'Job', value: run.job, usedIn: 'submitter' },
      {
        derived: 'submission id',
        value: `${run.submissionId}: another one is another run`,
        usedIn: "Ray's job",
      },
    ],
    memory,
  };
}

function sliceRows({ tpu }: PlannedRun): PlanRow[] {
  const devices =
    tpu.devicesPerChip > 1
      ? `, ${String(tpu.devicesPerSlice)} devices (${String(tpu.devicesPerChip)} a chip)`
      : '';
  const total = tpu.chipsPerSlice * tpu.slices.max;
  const all = tpu.slices.max === 1 ? '' : `; ${String(total)} chips in ${String(tpu.slices.max)} slices`;
  return [
    {
      derived: 'slice',
      value: `${tpu.generation} ${tpu.topology}: ${count(tpu.chipsPerSlice, 'chip')}${devices}${all}`,
      usedIn: 'everything below',
    },
    {
      derived: 'hosts',
      value: `${count(tpu.hostsPerSlice, 'host')} a slice, ${tpu.machineType} with ${count(tpu.chipsPerHost, 'chip')}`,
      usedIn: 'RayCluster numOfHosts',
    },
    {
      derived: 'slices',
      value: rangeText(tpu.slices),
      usedIn: 'RayCluster replicas, minReplicas, maxReplicas',
    },
  ];
}

function workerRows(worker: ReviewedPod): PlanRow[] {
  const selectors = Object.entries(worker.nodeSelector).map(([key, value]) => `${key}=${value}`);
  const { 'google.com/tpu': chips, ...limits } = worker.resources;
  const resources = Object.entries(limits).map(([name, amount]) => `${name} ${amount}`);
  return [
    { derived: 'node selectors', value: selectors.join('\n'), usedIn: 'worker pods' },
    {
      derived: 'worker limits',
      value: [`google.com/tpu ${chips ?? '0'}`, ...resources].join(', '),
      usedIn: 'worker pods',
    },
  ];
}

function rayRows(run: PlannedRun): PlanRow[] {
  const { workers, tpu, wait } = run;
  return [
    {
      derived: 'Ray workers',
      value: `${rangeText(workers)}, ${String(workers.perSlice)} a slice, TPU ${String(workers.tpuPerWorker)} each`,
      usedIn: "trainer's command line",
    },
    {
      derived: 'Ray resources',
      value: `TPU-${tpu.rayPodType}-head once a slice; accelerator type ${tpu.rayAcceleratorType}`,
      usedIn: 'placement of the slice',
    },
    {
      derived: 'wait for',
      value: `${count(wait.hosts, 'host')} of ${count(wait.slices, 'slice')}`,
      usedIn: 'submitter',
    },
  ];
}

function trainerRows(run: PlannedRun): PlanRow[] {
  const { trainer, parameters } = run;
  const rows: PlanRow[] = [
    {
      derived: 'trainer',
      value: `${trainer.kind}${trainer.model === undefined ? '' : `, ${trainer.model}`}${
        typeof parameters === 'number' ? `, ${(parameters / 1e9).toFixed(2)}B parameters` : ''
      }`,
      usedIn: "trainer's command line",
    },
  ];
  if (trainer.globalBatch !== undefined) {
    rows.push({
      derived: 'batch',
      value: `${rangeText(trainer.globalBatch)} examples a step`,
      usedIn: 'per_device_batch_size x devices',
    });
  }
  for (const { slices, mesh } of run.memory ?? []) {
    rows.push({
      derived: (run.memory ?? []).length > 1 ? `mesh at ${count(slices, 'slice')}` : 'mesh',
      value: `ici ${describeAxes(mesh.ici)} in a slice, dcn ${describeAxes(mesh.dcn)} across slices`,
      usedIn: 'MaxText ici_*, dcn_*',
    });
  }
  return rows;
}

function memoryRow(run: PlannedRun, bar: MemoryBar): PlanRow {
  const size = (run.memory ?? []).length > 1 ? ` at ${count(bar.slices, 'slice')}` : '';
  const stale = bar.isStale ? '; the run has changed since: run the compile check again' : '';
  const parts = bar.parts.map(({ part, bytes }) => `${part} ${gib(bytes)}`).join(' + ');
  const verdict = bar.fits ? '' : ', does not fit';
  return {
    derived: `memory ${bar.source}${size}`,
    value: `${gib(bar.totalBytes)} of ${gib(bar.usableBytes)} per device${verdict}: ${parts}${
      bar.source === 'estimate' ? '; activations not counted' : ''
    }${stale}`,
    usedIn: bar.source === 'estimate' ? 'refused when it cannot fit' : 'npm run compile-check',
  };
}

function infrastructureRows(
  project: ReviewedProject,
  run: PlannedRun,
  worker: ReviewedPod | undefined,
): PlanRow[] {
  const { infrastructure } = project.plan;
  const pools = infrastructure.nodePools.filter(({ name }) => run.nodePools.includes(name));
  const storage = (worker?.mounts ?? []).filter(({ isStorage }) => isStorage);
  return [
    ...(run.network === 'none'
      ? []
      : [
          {
            derived: 'network',
            value: networkText(project, run),
            usedIn: 'claims, LIBTPU_INIT_ARGS, node pools',
          },
        ]),
    ...storage.map(({ path, source }) => ({
      derived: 'storage',
      value: `${path} is ${source}`,
      usedIn: 'head and workers',
    })),
    ...bucketPaths(run).map((path) => ({ derived: 'storage', value: path, usedIn: "trainer's own client" })),
    { derived: 'capacity', value: capacityText(run.capacity), usedIn: 'node pools, worker pods' },
    ...(pools.length === 0
      ? []
      : [
          {
            derived: 'node pools',
            value: pools
              .map(({ name, nodes, machineType, autoscaling }) =>
                autoscaling === undefined
                  ? `${name}: ${String(nodes)} x ${machineType}`
                  : `${name}: ${String(autoscaling.minNodes)} to ${String(autoscaling.maxNodes)} x ${machineType}`,
              )
              .join('\n'),
            usedIn: 'scripts/gcloud/node-pools.sh',
          },
        ]),
  ];
}

/** How the slices of a run reach each other, with the networks by name. */
export function networkText({ plan }: ReviewedProject, run: PlannedRun): string {
  if (run.network !== 'dranet') return run.network;
  const pool = plan.infrastructure.nodePools.find(({ name }) => run.nodePools.includes(name));
  const networks = pool?.additionalNetworks.map(({ network }) => network) ?? [];
  const cards = pool === undefined ? '' : `, ${count(pool.networkCards, 'card')} a host`;
  return networks.length === 0 ? `dranet${cards}` : `dranet${cards}: ${networks.join(', ')}`;
}

/** gs:// paths of the trainer's command line, each once. */
export function bucketPaths({ trainer }: PlannedRun): string[] {
  const paths = trainer.command.flatMap((argument) => /gs:\/\/[^\s,]+/.exec(argument)?.[0] ?? []);
  return [...new Set(paths)];
}
