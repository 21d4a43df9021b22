import { durationSeconds } from '../kubernetes/duration';
import type { Path, Problem } from '../problems';
import type { TpuSlice } from '../tpu';
import type { ResolvedMesh } from './maxtext/mesh';
import type { StateMemory } from './maxtext/memory';
import type { SharedMount } from './shared-path';

/**
 * A trainer kind: everything that the rest of the project has to know about one. Each kind is a folder (or file) of this room
 * that exports one of these; registry.ts lists them, and nothing outside asks for a kind by its name.
 */
export interface TrainerKindModule<Spec extends TrainerSpecBase, Plan extends TrainerPlanBase> {
  /** The kind, as written in a run file. */
  readonly kind: Spec['kind'] & Plan['kind'];
  /** Python module that Ray runs. */
  readonly module: string;
  /** The image that the scripts build for the kind; undefined for a kind whose image is the user's own. */
  readonly image?: TrainerImage;
  /** Numeric user of the kind's images; undefined where none is known, so that a pod runs as its image says. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Options of the program's own parser (without `--`) that `plan` may write. A test compares them with the parser's. */
  readonly programOptions: readonly string[];
  /** Problems of the pods' or the trainer's environment, which the programs of this kind read; paths are relative to the map. */
  readonly checkEnvironment: (environment: Readonly<Record<string, unknown>>) => Problem[];
  /** Everything that follows from the kind's options, or every Problem; paths are relative to the trainer. */
  readonly plan: (spec: Spec, context: TrainerContext) => Plan | Problem[];
  /** What only this kind has to say in the summary of a run, as rows. */
  readonly summary: (plan: Plan, slice: TpuSlice) => readonly SummaryRow[];
  /** What only this kind adds to a run of plan.json. */
  readonly document: (plan: Plan) => TrainerDocument;
  /** What the compile check compiles of a run; undefined for a kind that it cannot compile. */
  readonly compiled: ((plan: Plan) => CompiledTrainer) | undefined;
}

/** An image that the scripts build. */
export interface TrainerImage {
  /** Folder of images/ with its Dockerfile; also the image's name in the repository. */
  readonly folder: string;
  /** Tag of what the folder holds; another one whenever the folder changes, since a tag that exists is not built again. */
  readonly tag: string;
}

/** What the options of every kind have. */
export interface TrainerSpecBase {
  readonly kind: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
}

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

/** What follows from the options of every kind; a kind's own plan adds to it. */
export interface TrainerPlanBase {
  readonly kind: string;
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
  /** Things that work but cost something, as sentences. */
  readonly warnings: readonly TrainerWarning[];
}

/** A remark on an option: `path` is relative to the trainer. */
export interface TrainerWarning {
  readonly path: Path;
  readonly message: string;
}

/** A row of a run's summary. */
export interface SummaryRow {
  /** At most 12 characters. */
  readonly name: string;
  readonly text: string;
}

/** What the compile check needs of a trainer. */
export interface CompiledTrainer {
  /** MaxText's arguments (`key=value`). */
  readonly maxtextArguments: readonly string[];
}

/** What a kind adds to its run of plan.json; members that it has nothing to say about are left out. */
export interface TrainerDocument {
  readonly trainer: {
    readonly model?: string;
    readonly maxtextArguments?: readonly string[];
    /** Examples per step. */
    readonly globalBatch?: SliceRange;
  };
  readonly run: {
    /** Trained parameters; null when the model is not counted. */
    readonly parameters?: number | null;
    /** At the largest size. */
    readonly mesh?: ResolvedMesh;
    readonly memory?: readonly {
      readonly slices: number;
      readonly mesh: ResolvedMesh;
      /** Bytes; null where no estimate exists. */
      readonly state: StateMemory | null;
    }[];
  };
}

/** How long a trainer waits for its workers where the run file does not say. */
const START_DEADLINE = '60m';

/** The command line that starts a trainer module in Ray's working directory: what every program is told of its run, then the kind's own. */
export function trainerCommand(
  module: string,
  { runName, slice }: TrainerContext,
  argv: readonly string[],
): string[] {
  const run = [
    '--run',
    runName,
    '--topology',
    slice.topology,
    '--accelerator-type',
    slice.rayAcceleratorType,
  ];
  return ['python3', '-m', module, ...run, ...argv];
}

/** `--start-deadline SECONDS`, which every program takes. */
export function startDeadlineFlags(deadline: string | undefined): string[] {
  return ['--start-deadline', durationSeconds(deadline ?? START_DEADLINE)];
}

/** `--env NAME=VALUE` for each variable, in the order of names, so that equal environments give equal commands. */
export function environmentFlags(environment: Readonly<Record<string, string>> | undefined): string[] {
  return Object.entries(environment ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}
