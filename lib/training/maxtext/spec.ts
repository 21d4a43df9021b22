import type { MeshSpec } from './mesh';

/** Options of the MaxText trainer. Names in brackets are MaxText's. */
export interface MaxTextTrainerSpec {
  readonly kind: 'maxtext';
  /** Model (model_name), as in llama3-8b. */
  readonly model: string;
  /**
   * Training steps (steps).
   * @asType integer
   * @minimum 1
   * @maximum 1000000000
   */
  readonly steps: number;
  /** Where checkpoints and metrics go (base_output_directory): gs://… or a path beneath a shared mount. */
  readonly baseOutputDirectory: string;
  /** Folder beneath baseOutputDirectory (run_name); the run's name when left out. */
  readonly runName?: string;
  /**
   * Examples per device (per_device_batch_size); fractions are allowed.
   * @exclusiveMinimum 0
   * @maximum 1000000
   * @default 1
   */
  readonly perDeviceBatchSize?: number;
  /**
   * Tokens per example (max_target_length).
   * @asType integer
   * @minimum 1
   * @maximum 16777216
   * @default 2048
   */
  readonly maxTargetLength?: number;
  /**
   * Where examples come from (dataset_type).
   * @default "synthetic"
   */
  readonly datasetType?: 'synthetic' | 'hf' | 'grain' | 'tfds' | 'c4_mlperf';
  /** Sizes of the mesh axes; -1 lets MaxText fill one in. */
  readonly mesh?: MeshSpec;
  /**
   * Type of the weights (weight_dtype).
   * @default "float32"
   */
  readonly weightDtype?: 'float32' | 'bfloat16';
  /** Type of the optimizer's first moment (mu_dtype); the weights' when left out. */
  readonly muDtype?: 'float32' | 'bfloat16';
  /** Which activations are computed again in the backward pass (remat_policy). */
  readonly rematPolicy?: RematPolicy;
  /** Checkpoints. */
  readonly checkpointing?: MaxTextCheckpointing;
  /** Weights to start from (load_parameters_path): gs://… or a path beneath a shared mount. */
  readonly loadParametersPath?: string;
  /** Persistent compilation cache (jax_cache_dir): gs://… or a path in the pod. */
  readonly compilationCache?: string;
  /** Capture a profile after each start, into baseOutputDirectory/runName/tensorboard (profiler: xplane). */
  readonly profile?: MaxTextProfile;
  /** Dump XLA's programs into this folder of every worker; slow and large, for debugging. */
  readonly xlaDumpDirectory?: string;
  /** Environment of the training processes, on top of the pods'. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further MaxText options as key=value. */
  readonly arguments?: readonly string[];
  /**
   * Keys whose values synth passes on without a check against MaxText 0.2.5, as MaxText names them, as in model_name: for an image with
   * another MaxText, model files or packages of its own.
   */
  readonly unchecked?: readonly string[];
  /**
   * How often training starts again after a worker was lost.
   * @default 3
   * @asType integer
   * @minimum 0
   * @maximum 1000000
   */
  readonly maxFailures?: number;
  /**
   * Longest time from a start or restart to its first completed step, before the run fails: reading a checkpoint and compilation included.
   * @default "60m"
   */
  readonly startDeadline?: string;
  /**
   * Longest time from one completed step to the next, before the run fails: a checkpoint between them included.
   * @default "30m"
   */
  readonly stepTimeout?: string;
  /**
   * Longest attempt of Ray to start the workers; after a loss an elastic run asks for its old size so long.
   * @default "2m"
   */
  readonly groupStartTimeout?: string;
  /**
   * How often an elastic run looks for more slices.
   * @default "1m"
   */
  readonly resizeInterval?: string;
}

/** Names of MaxText 0.2.5. A test compares them with the table made from it. */
export type RematPolicy =
  | 'custom'
  | 'full'
  | 'minimal'
  | 'minimal_flash'
  | 'minimal_offloaded'
  | 'minimal_with_context'
  | 'minimal_with_context_and_quantization'
  | 'minimal_with_quantization'
  | 'none'
  | 'qkv_proj_offloaded'
  | 'save_dot_except_mlp'
  | 'save_dot_except_mlpwi'
  | 'save_dot_with_context_except_mlp'
  | 'save_out_proj'
  | 'save_qkv_proj';

/** Steps to capture in a profile, counted from each start. */
export interface MaxTextProfile {
  /**
   * Steps before the first captured one (skip_first_n_steps_for_profiler): the first compiles.
   * @asType integer
   * @minimum 0
   * @maximum 1000000000
   */
  readonly skip: number;
  /**
   * Steps to capture (profiler_steps).
   * @asType integer
   * @minimum 1
   * @maximum 1000000000
   */
  readonly steps: number;
}

/** Checkpoints of a MaxText run. */
export interface MaxTextCheckpointing {
  /**
   * Write checkpoints (enable_checkpointing).
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Steps between checkpoints (checkpoint_period); MaxText's own default is 10000.
   * @asType integer
   * @minimum 1
   * @maximum 1000000000
   */
  readonly period?: number;
  /**
   * Checkpoints to keep (max_num_checkpoints_to_keep).
   * @asType integer
   * @minimum 1
   * @maximum 1000000
   */
  readonly keep?: number;
  /**
   * Save one more checkpoint when Ray announces that a host will be taken away (enable_autocheckpoint).
   * @default false
   */
  readonly onPreemption?: boolean;
}
