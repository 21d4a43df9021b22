import type { InfrastructurePlan } from '../infrastructure';
import type { SecretReference } from '../run';
import type { CapacitySpec } from '../tpu';
import type { ResolvedMesh, StateMemory } from '../training';

/** Version of the form of plan.json. Version 1 had no `fitKey`. */
export const PLAN_SCHEMA_VERSION = 2;

/** `plan.json`: every derived number of a project. docs/interfaces.md describes the file. */
export interface PlannedProject {
  readonly schemaVersion: typeof PLAN_SCHEMA_VERSION;
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
  /** Environment of head and workers as the run file has it; absent when it has none. */
  readonly env?: Readonly<Record<string, string | SecretReference>>;
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
  /** Key of the compile check's verdict on the run as it is; MaxText only. */
  readonly fitKey?: string;
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
