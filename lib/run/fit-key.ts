import { COMPILER, splitArgument } from '../training';
import { digestOf } from './identity';

/** What the compiler's verdict on a run depends on. */
export interface FitFacts {
  readonly generation: string;
  readonly topology: string;
  readonly slices: { readonly min: number; readonly max: number };
  /** MaxText's arguments (`key=value`) of the run. */
  readonly maxtextArguments: readonly string[];
  /** Flags for libtpu in the run's environment (LIBTPU_INIT_ARGS). */
  readonly libtpuInitArgs?: readonly string[];
}

/**
 * MaxText arguments that leave the compiled step as it is: names, places, and what happens between steps. The compile
 * check leaves them out, so that it touches no storage.
 */
const OUTSIDE_THE_STEP: ReadonlySet<string> = new Set([
  'async_checkpointing',
  'base_output_directory',
  'checkpoint_period',
  'checkpoint_storage_concurrent_gb',
  'checkpoint_storage_use_ocdbt',
  'checkpoint_storage_use_zarr3',
  'dataset_name',
  'dataset_path',
  'enable_checkpointing',
  'enable_goodput_recording',
  'enable_single_replica_ckpt_restoring',
  'enable_tensorboard',
  'eval_interval',
  'eval_steps',
  'gcs_metrics',
  'hf_access_token',
  'hf_data_dir',
  'hf_path',
  'hf_train_files',
  'jax_cache_dir',
  'load_full_state_path',
  'load_parameters_path',
  'log_period',
  'max_num_checkpoints_to_keep',
  'monitor_goodput',
  'profiler',
  'profiler_steps',
  'run_name',
  'save_checkpoint_on_completion',
  'skip_first_n_steps_for_profiler',
  'skip_jax_distributed_system',
  'steps',
  'tensorboard_dir',
  'upload_all_profiler_results',
]);

/** The arguments that decide what is compiled. */
export function compiledArguments(maxtextArguments: readonly string[]): string[] {
  return maxtextArguments.filter((text) => !OUTSIDE_THE_STEP.has(splitArgument(text)[0]));
}

/** A hash of everything the compiler's verdict depends on, the compiler's version included. */
export function fitKey(facts: FitFacts): string {
  const { generation, topology, slices } = facts;
  return digestOf({
    compiler: COMPILER,
    generation,
    topology,
    slices: { min: slices.min, max: slices.max },
    arguments: compiledArguments(facts.maxtextArguments).sort(),
    libtpuInitArgs: [...(facts.libtpuInitArgs ?? [])].sort(),
  });
}
