import type { PlatformSpec, RunSpec } from '../../lib/run';
import { RUN, TWO_SLICES } from '../support/training-run';

/** What a change does to the submitter Job of a run that stays. */
export type IdentityEffect = 'nothing' | 'new Job that attaches' | 'new run';

/** A field of platform.yaml or of a run file, and two values of it. */
export interface IdentityCase {
  readonly file: 'run' | 'platform';
  readonly field: string;
  readonly effect: IdentityEffect;
  readonly from?: RunSpec;
  readonly run?: RunSpec;
  readonly platform?: Partial<PlatformSpec>;
}

const run = (field: string, effect: IdentityEffect, change: Partial<RunSpec>): IdentityCase => ({
  file: 'run',
  field,
  effect,
  run: { ...RUN, ...change },
});

const submitter = (field: string, effect: IdentityEffect, value: unknown): IdentityCase =>
  run(`submitter.${field}`, effect, { submitter: { [field]: value } });

const resources = (pod: 'head' | 'worker' | 'submitter', effect: IdentityEffect): IdentityCase[] =>
  [
    { cpu: '7' },
    { cpuLimit: '95' },
    { memory: '90Gi' },
    ...(pod === 'submitter' ? [] : [{ sharedMemory: '1Gi' }]),
  ].map((change) =>
    run(`resources.${pod}.${Object.keys(change)[0]!}`, effect, { resources: { [pod]: change } }),
  );

const platform = (field: string, effect: IdentityEffect, change: Partial<PlatformSpec>): IdentityCase => ({
  file: 'platform',
  field,
  effect,
  platform: change,
});

const CLUSTER: PlatformSpec['cluster'] = { name: 'tpu-ray', mode: 'standard', version: '1.35.2-gke.1842000' };
const BUCKET = { name: 'my-bucket' };

/** Every field, trainers and volumes as a whole. */
export const IDENTITY_CASES: readonly IdentityCase[] = [
  run('tpu.generation', 'new run', { tpu: { generation: 'v5p', topology: '2x2x4' } }),
  run('tpu.topology', 'new run', {
    tpu: { generation: 'v6e', topology: '4x8' },
    trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 32 } } },
  }),
  { file: 'run', field: 'tpu.slices', effect: 'new run', run: TWO_SLICES },
  {
    ...run('tpu.machineType', 'new run', {
      tpu: { generation: 'v6e', topology: '2x4', machineType: 'ct6e-standard-4t' },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 8 } } },
    }),
    from: {
      ...RUN,
      tpu: { generation: 'v6e', topology: '2x4', machineType: 'ct6e-standard-8t' },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 8 } } },
    },
  },
  run('tpu.capacity', 'nothing', { tpu: { ...RUN.tpu, capacity: { kind: 'spot' } } }),
  run('tpu.shareNodePools', 'nothing', { tpu: { ...RUN.tpu, shareNodePools: false } }),
  run('ray.version', 'nothing', { ray: { version: '2.59.0' } }),
  run('ray.autoscaler', 'nothing', { ray: { autoscaler: true } }),
  run('ray.recreateOnChange', 'nothing', { ray: { recreateOnChange: true } }),
  run('ray.authTokenSecret', 'new Job that attaches', { ray: { authTokenSecret: 'ray-token' } }),
  run('image', 'new run', { image: 'registry.example/maxtext:2' }),
  run('imagePullPolicy', 'new Job that attaches', { imagePullPolicy: 'Always' }),
  run('trainer', 'new run', { trainer: { ...RUN.trainer, steps: 101 } }),
  run('volumes', 'nothing', {
    volumes: [...RUN.volumes, { kind: 'empty-dir', mountPath: '/scratch', size: '10Gi' }],
  }),
  {
    file: 'run',
    field: 'network.mode',
    effect: 'nothing',
    from: { ...TWO_SLICES, network: { mode: 'host-network' } },
    run: { ...TWO_SLICES, network: { mode: 'pod-network' } },
  },
  {
    file: 'run',
    field: 'network.libtpuInitArgs',
    effect: 'nothing',
    from: { ...TWO_SLICES, network: { mode: 'host-network' } },
    run: { ...TWO_SLICES, network: { mode: 'host-network', libtpuInitArgs: ['--xla_tpu_x=1'] } },
  },
  ...resources('head', 'nothing'),
  ...resources('worker', 'nothing'),
  ...resources('submitter', 'new Job that attaches'),
  run('env', 'new run', { env: { A: 'b' } }),
  run('user', 'nothing', { user: { uid: 2000, gid: 2000 } }),
  submitter('startDeadline', 'new Job that attaches', '1h'),
  submitter('runDeadline', 'new Job that attaches', '1d'),
  submitter('onActiveRun', 'new Job that attaches', 'replace'),
  submitter('onFinish', 'new Job that attaches', 'deleteCluster'),
  submitter('repairSlices', 'new Job that attaches', true),
  submitter('onTermination', 'new Job that attaches', 'stop'),
  submitter('backoffLimit', 'nothing', 7),
  submitter('nodeSelector', 'new Job that attaches', { pool: 'cpu' }),
  run('monitoring', 'nothing', { monitoring: true }),
  run('runId', 'new run', { runId: 'again' }),
  platform('cluster.version', 'nothing', { cluster: { ...CLUSTER, version: '1.36.0-gke.1' } }),
  platform('cluster.name', 'nothing', { cluster: { ...CLUSTER, name: 'other' } }),
  platform('kubeRayVersion', 'nothing', { kubeRayVersion: '1.5.0' }),
  platform('serviceAccount.name', 'new Job that attaches', { serviceAccount: { name: 'other' } }),
  platform('bucket.name', 'nothing', { bucket: { name: 'other-bucket' } }),
  platform('bucket.hierarchicalNamespace', 'nothing', {
    bucket: { ...BUCKET, hierarchicalNamespace: false },
  }),
  platform('gitOps', 'nothing', { gitOps: 'flux' }),
];

/** Fields of the run file that the cases name as a whole, with all that is below. */
export const WHOLE_FIELDS = ['tpu.slices', 'tpu.capacity', 'trainer', 'volumes', 'env', 'user'] as const;
