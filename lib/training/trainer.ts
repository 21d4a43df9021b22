import type { TpuSlice } from '../tpu';
import type { ResolvedMesh } from './mesh';
import type { StateMemory } from './memory';
import type { SharedMount } from './shared-path';

/** The trainer kinds, as written in a run file. */
export const TRAINER_KINDS = ['maxtext', 'torchtpu-collectives', 'torchtpu-finetune'] as const;

/** A trainer kind. */
export type TrainerKind = (typeof TRAINER_KINDS)[number];

/** Python module that Ray runs, by trainer kind. */
export const TRAINER_MODULES: Readonly<Record<TrainerKind, string>> = {
  maxtext: 'tpu_trainers.maxtext',
  'torchtpu-collectives': 'tpu_trainers.torchtpu_collectives',
  'torchtpu-finetune': 'tpu_trainers.torchtpu_finetune',
};

/** Fewest and most slices of a run; equal unless the run is elastic. */
export interface SliceRange {
  readonly min: number;
  readonly max: number;
}

/** What a trainer must know about the run it is part of. */
export interface TrainerContext {
  readonly runName: string;
  readonly slice: TpuSlice;
  readonly slices: SliceRange;
  readonly rayVersion: string;
  /** Folders that the head and every worker share. */
  readonly mounts: readonly SharedMount[];
  /** Mount paths whose bucket has no hierarchical namespace, so that folders cannot be renamed atomically. */
  readonly flatBucketMounts: readonly string[];
}

/** How Ray spreads the trainer's processes. */
export interface WorkerLayout {
  readonly perSlice: number;
  /** Logical TPU resources of one Ray Train worker. */
  readonly tpuPerWorker: number;
  readonly min: number;
  readonly max: number;
}

/** Memory of one device at one number of slices. */
export interface MemoryAtSize {
  readonly slices: number;
  readonly state: StateMemory;
}

/** Everything that follows from a trainer's options. */
export interface TrainerPlan {
  readonly kind: TrainerKind;
  readonly module: string;
  /** The command Ray runs inside the uploaded sources. */
  readonly command: readonly string[];
  readonly workers: WorkerLayout;
  /** Logical TPU resources per chip: more than 1 needs RAY_TPU_RESOURCE_PER_CHIP on head and workers. */
  readonly tpuResourcePerChip: number;
  /** Environment of worker pods that the trainer kind needs. */
  readonly workerEnvironment: Readonly<Record<string, string>>;
  /** Logical CPUs the head offers: 0 keeps tasks off it; undefined leaves it to Ray. */
  readonly headCpus?: number;
  readonly maxtext?: MaxTextFacts;
  /** Things that work but cost something, as sentences. */
  readonly warnings: readonly TrainerWarning[];
}

/** What only MaxText runs have. */
export interface MaxTextFacts {
  readonly model: string;
  readonly arguments: readonly string[];
  readonly parameters: number | undefined;
  /** Meshes by number of slices, smallest first. */
  readonly meshes: readonly { readonly slices: number; readonly mesh: ResolvedMesh }[];
  /** Why axes that were not given are what they are; empty when all were given. */
  readonly meshReasons: readonly string[];
  readonly memory: readonly MemoryAtSize[];
  readonly globalBatch: { readonly min: number; readonly max: number };
}

/** A remark on an option: `path` is relative to the trainer. */
export interface TrainerWarning {
  readonly path: string;
  readonly message: string;
}

/** The command line that starts a trainer module in Ray's working directory. */
export function pythonModule(module: string, argv: readonly string[]): string[] {
  return ['python3', '-m', module, ...argv];
}

/** `--env NAME=VALUE` for each variable, in the order of names, so that equal environments give equal commands. */
export function environmentFlags(environment: Readonly<Record<string, string>> | undefined): string[] {
  return Object.entries(environment ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}
