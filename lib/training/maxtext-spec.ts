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
   */
  readonly steps: number;
  /** Where checkpoints and metrics go (base_output_directory): gs://… or a path beneath a shared mount. */
  readonly baseOutputDirectory: string;
  /** Folder beneath baseOutputDirectory (run_name); the run's name when left out. */
  readonly runName?: string;
  /**
   * Examples per device (per_device_batch_size); fractions are allowed.
   * @default 1
   */
  readonly perDeviceBatchSize?: number;
  /**
   * Tokens per example (max_target_length).
   * @asType integer
   * @minimum 1
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
  readonly rematPolicy?: string;
  /** Checkpoints. */
  readonly checkpointing?: MaxTextCheckpointing;
  /** Weights to start from (load_parameters_path): gs://… or a path beneath a shared mount. */
  readonly loadParametersPath?: string;
  /** Persistent compilation cache (jax_cache_dir): gs://… or a path in the pod. */
  readonly compilationCache?: string;
  /** Dump XLA's programs into this folder of every worker; slow and large, for debugging. */
  readonly xlaDumpDirectory?: string;
  /** Environment of the training processes, on top of the pods'. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further MaxText options as key=value. */
  readonly arguments?: readonly string[];
  /**
   * How often training starts again after a worker was lost.
   * @default 3
   * @asType integer
   * @minimum 0
   */
  readonly maxFailures?: number;
  /**
   * How long workers may take to start before the run fails.
   * @default "60m"
   */
  readonly startDeadline?: string;
  /**
   * How long a step may take before the run fails; the first also compiles.
   * @default "30m"
   */
  readonly stepTimeout?: string;
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
   */
  readonly period?: number;
  /**
   * Checkpoints to keep (max_num_checkpoints_to_keep).
   * @asType integer
   * @minimum 1
   */
  readonly keep?: number;
}
