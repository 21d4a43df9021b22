import { MESH_AXES, meshArgument } from './mesh';

/** MaxText argument -> the option that sets it. `arguments` may not repeat one. */
export const OWNED_ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['model_name', 'model'],
  ['steps', 'steps'],
  ['base_output_directory', 'baseOutputDirectory'],
  ['run_name', 'runName'],
  ['per_device_batch_size', 'perDeviceBatchSize'],
  ['max_target_length', 'maxTargetLength'],
  ['dataset_type', 'datasetType'],
  ['weight_dtype', 'weightDtype'],
  ['mu_dtype', 'muDtype'],
  ['remat_policy', 'rematPolicy'],
  ['enable_checkpointing', 'checkpointing.enabled'],
  ['checkpoint_period', 'checkpointing.period'],
  ['max_num_checkpoints_to_keep', 'checkpointing.keep'],
  ['load_parameters_path', 'loadParametersPath'],
  ['enable_autocheckpoint', 'checkpointing.onPreemption'],
  ['jax_cache_dir', 'compilationCache'],
  ['profiler', 'profile'],
  ['profiler_steps', 'profile.steps'],
  ['skip_first_n_steps_for_profiler', 'profile.skip'],
  ['compile_topology', 'tpu'],
  ['compile_topology_num_slices', 'tpu.slices'],
  ['hardware', 'the trainer kind'],
  ['skip_jax_distributed_system', 'Ray, which starts jax.distributed itself'],
  ...(['ici', 'dcn'] as const).flatMap((family) =>
    MESH_AXES.map((axis): [string, string] => [meshArgument(family, axis), `mesh.${family}.${axis}`]),
  ),
]);
