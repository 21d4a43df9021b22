import type { InfrastructurePlan } from '../infrastructure';
import type { Problem } from '../problem';
import type { CapacitySpec } from '../run';
import type { ResolvedMesh, StateMemory } from '../training';

/** `plan.json`: every derived number of a project, see docs/interfaces.md. */
export interface PlannedProject {
  readonly schemaVersion: 1;
  readonly platform: PlannedPlatform;
  readonly runs: readonly PlannedRun[];
  readonly infrastructure: InfrastructurePlan;
}

/** The platform of a plan. */
export interface PlannedPlatform {
  readonly project: string;
  readonly region: string;
  readonly zone: string;
  readonly cluster: {
    readonly name: string;
    readonly mode: 'standard' | 'autopilot';
    readonly location: string;
    readonly version: string;
  };
  readonly kubeRayVersion: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly bucket?: string;
}

/** Fewest and most of something. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** A run of a plan. Sizes are bytes. */
export interface PlannedRun {
  readonly name: string;
  /** File of dist/ with the run's objects. */
  readonly manifest: string;
  readonly rayCluster: string;
  readonly job: string;
  readonly submissionId: string;
  readonly image: string;
  readonly rayVersion: string;
  readonly tpu: PlannedSlice;
  readonly workers: Range & { readonly perSlice: number; readonly tpuPerWorker: number };
  readonly wait: { readonly slices: number; readonly hosts: number };
  readonly trainer: PlannedTrainer;
  /** Trained parameters; null when the model is not in the catalogue, absent without MaxText. */
  readonly parameters?: number | null;
  /** At the largest size; the meshes of an elastic range are in `memory`. */
  readonly mesh?: ResolvedMesh;
  readonly memory?: readonly PlannedMemory[];
  readonly network: 'none' | 'dranet' | 'host-network' | 'pod-network';
  readonly capacity: CapacitySpec;
  readonly nodePools: readonly string[];
}

/** The slices of a run. */
export interface PlannedSlice {
  readonly generation: string;
  readonly accelerator: string;
  readonly machineType: string;
  readonly topology: string;
  readonly slices: Range;
  readonly chipsPerSlice: number;
  readonly hostsPerSlice: number;
  readonly chipsPerHost: number;
  readonly devicesPerChip: number;
  readonly devicesPerSlice: number;
  readonly devicesPerHost: number;
  readonly hbmBytesPerDevice: number;
  readonly rayPodType: string;
  readonly rayAcceleratorType: string;
}

/** The trainer of a run; what follows `command` is there for MaxText only. */
export interface PlannedTrainer {
  readonly kind: string;
  readonly module: string;
  readonly command: readonly string[];
  readonly model?: string;
  readonly maxtextArguments?: readonly string[];
  /** Examples a step. */
  readonly globalBatch?: Range;
  readonly libtpuInitArgs?: readonly string[];
}

/** Memory of a device at a number of slices. */
export interface PlannedMemory {
  readonly slices: number;
  readonly mesh: ResolvedMesh;
  /** Null where no estimate exists. */
  readonly state: StateMemory | null;
}

const RULE = 'plan.json is what npm run synth writes, of schema version 1';
const FIX = 'run npm run synth there with this release, and commit what it writes';

/** The plan in a file's text, or why it is none. Paths are relative to the document. */
export function parsePlannedProject(text: string): PlannedProject | readonly Problem[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [{ path: '', value: (error as Error).message, rule: RULE, fix: FIX }];
  }
  const missing = EXPECTED.filter(([path, isExpected]) => !isExpected(at(value, path)));
  return missing.length === 0
    ? (value as PlannedProject)
    : missing.map(([path]) => ({ path, value: at(value, path), rule: RULE, fix: FIX }));
}

/** True when `parsePlannedProject` gave Problems. */
export function isPlanProblems(result: PlannedProject | readonly Problem[]): result is readonly Problem[] {
  return Array.isArray(result);
}

const RUN_FIELDS: readonly (readonly [string, 'string' | 'number'])[] = [
  ['name', 'string'],
  ['rayCluster', 'string'],
  ['job', 'string'],
  ['image', 'string'],
  ['tpu.generation', 'string'],
  ['tpu.topology', 'string'],
  ['tpu.slices.max', 'number'],
  ['tpu.chipsPerSlice', 'number'],
  ['trainer.kind', 'string'],
  ['capacity.kind', 'string'],
];

/** What is looked at before a text is taken for a plan. */
const EXPECTED: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['schemaVersion', (value) => value === 1],
  ...[
    'platform.project',
    'platform.cluster.name',
    'platform.cluster.mode',
    'platform.cluster.location',
    'platform.namespace',
    'infrastructure.cluster.name',
    'infrastructure.namespace.name',
    'infrastructure.serviceAccount.name',
  ].map((path) => [path, (value: unknown): boolean => typeof value === 'string'] as const),
  ...['apis', 'networks', 'placementPolicies', 'nodePools', 'bucketRoles', 'images', 'secrets'].map(
    (list) => [`infrastructure.${list}`, Array.isArray] as const,
  ),
  [
    'runs',
    (value) =>
      Array.isArray(value) &&
      value.every((run) => RUN_FIELDS.every(([path, type]) => typeof at(run, path) === type)),
  ],
];

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (place, key) =>
        typeof place === 'object' && place !== null ? (place as Record<string, unknown>)[key] : undefined,
      value,
    );
}
