import { TrainingRun, describeProblem, resolvePlatform } from '../../lib/run';
import { nestProblems } from '../../lib/problems';
import type { Problem } from '../../lib/problems';
import type { PlatformSpec, RunSpec } from '../../lib/run';

/** A platform without Problems: a Standard cluster. */
export const PLATFORM: PlatformSpec = {
  project: 'my-project',
  region: 'us-east5',
  zone: 'us-east5-b',
  cluster: { name: 'tpu-ray', mode: 'standard', version: '1.35.2-gke.1842000' },
  kubeRayVersion: '1.5.0',
  bucket: { name: 'my-bucket' },
};

/** The same as an Autopilot cluster. */
export const AUTOPILOT: PlatformSpec = { ...PLATFORM, cluster: { ...PLATFORM.cluster, mode: 'autopilot' } };

/** A run without Problems: Llama 3 8B on one v6e 4x4 slice. */
export const RUN = {
  name: 'train',
  tpu: { generation: 'v6e', topology: '4x4' },
  image: 'registry.example/maxtext:1',
  trainer: {
    kind: 'maxtext',
    model: 'llama3-8b',
    steps: 100,
    baseOutputDirectory: '/data',
    mesh: { ici: { fsdp: 16 } },
  },
  volumes: [{ kind: 'gcs-fuse', mountPath: '/data' }],
} as const satisfies RunSpec;

/** The run on two slices, whose mesh spans both. */
export const TWO_SLICES = {
  ...RUN,
  tpu: { ...RUN.tpu, slices: 2 },
  trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 16 }, dcn: { data: 2 } } },
} as const satisfies RunSpec;

/** TorchTPU's collectives check on a tpu7x slice of two hosts. */
export const TORCH = {
  name: 'torch',
  tpu: { generation: 'tpu7x', topology: '2x2x2' },
  image: 'registry.example/torchtpu:1',
  trainer: { kind: 'torchtpu-collectives' },
} as const satisfies RunSpec;

/** The run that platform and spec describe; throws when they have Problems. */
export function trainingRun(spec: RunSpec = RUN, platform: PlatformSpec = PLATFORM): TrainingRun {
  return TrainingRun.of(platform, spec);
}

/** Problems of a run as lines: where, what was found, what is allowed, what to do; ids have a test of their own. */
export function runProblems(spec: RunSpec, platform: PlatformSpec = PLATFORM): string[] {
  const resolved = resolvePlatform(platform);
  const { problems } = TrainingRun.check(resolved.platform, spec);
  return [...nestProblems(['platform'], resolved.problems), ...problems].map(problemLine);
}

/** A Problem as a line without its id. */
export function problemLine(problem: Problem): string {
  return describeProblem(problem).replace(/ \[\w+\]$/, '');
}
