import type { InfrastructurePlan } from '../infrastructure';
import type { Platform, TrainingRun } from '../run';
import { trainerKind } from '../training';
import { PLAN_SCHEMA_VERSION } from './planned-project';
import type { PlannedProject, PlannedRun } from './planned-project';

/** The plan of a project; `jobs` has the name of each run's Job. */
export function planProject(
  platform: Platform,
  runs: readonly TrainingRun[],
  infrastructure: InfrastructurePlan,
  jobs: ReadonlyMap<string, string>,
): PlannedProject {
  const { name, mode, location, version } = platform.cluster;
  return {
    schemaVersion: PLAN_SCHEMA_VERSION,
    platform: {
      project: platform.project,
      region: platform.region,
      zone: platform.zone,
      cluster: { name, mode, location, version },
      kubeRayVersion: platform.kubeRayVersion,
      namespace: platform.namespace,
      serviceAccount: platform.serviceAccount.name,
      ...(platform.bucket === undefined ? {} : { bucket: platform.bucket.name }),
    },
    runs: runs.map((run) => planRun(run, infrastructure, jobs.get(run.name) ?? '')),
    infrastructure,
  };
}

function planRun(run: TrainingRun, infrastructure: InfrastructurePlan, job: string): PlannedRun {
  const { slice, trainer } = run;
  const { document, compiled } = trainerKind(trainer.kind);
  const own = document(trainer);
  return {
    name: run.name,
    manifest: `${run.name}.k8s.yaml`,
    rayCluster: run.rayClusterName,
    job,
    submissionId: run.submissionId,
    image: run.image,
    ...(Object.keys(run.environment).length === 0 ? {} : { env: run.environment }),
    rayVersion: run.rayVersion,
    tpu: {
      generation: slice.generation,
      accelerator: slice.acceleratorLabel,
      machineType: slice.machineType,
      topology: slice.topology,
      slices: run.slices,
      chipsPerSlice: slice.chips,
      hostsPerSlice: slice.hosts,
      chipsPerHost: slice.chipsPerHost,
      devicesPerChip: slice.devicesPerChip,
      devicesPerSlice: slice.devices,
      devicesPerHost: slice.devicesPerHost,
      hbmBytesPerDevice: slice.hbmBytesPerDevice,
      rayPodType: slice.rayPodType,
      rayAcceleratorType: slice.rayAcceleratorType,
    },
    workers: trainer.workers,
    wait: run.wait,
    trainer: {
      kind: trainer.kind,
      module: trainer.module,
      command: trainer.command,
      ...own.trainer,
      ...(compiled !== undefined && run.compilerFlags.length > 0
        ? { libtpuInitArgs: run.compilerFlags }
        : {}),
    },
    ...own.run,
    ...(run.fitKey === undefined ? {} : { fitKey: run.fitKey }),
    network: run.network.mode,
    capacity: run.capacity,
    nodePools: infrastructure.nodePools
      .filter(({ role, runs }) => role === 'tpu' && runs.includes(run.name))
      .map((pool) => pool.name),
  };
}

/** The text of plan.json: keys in the order of the types, two spaces of indent. */
export function formatPlan(plan: PlannedProject): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}
