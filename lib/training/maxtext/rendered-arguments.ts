import type { TrainerContext } from '../kind';
import type { ChosenMesh } from './default-mesh';
import { DEFAULT_BATCH, DEFAULT_LENGTH } from './defaults';
import type { PlacedArgument } from './judge';
import { maxtextMeshArguments } from './mesh';
import { splitArgument } from './model';
import { knownModel } from './options';
import { OWNED_ARGUMENTS } from './owned-arguments';
import type { MaxTextTrainerSpec } from './spec';

/**
 * MaxText's arguments with the option that each comes from: typed options first, in a fixed order, then `arguments`. Where the run file
 * leaves an option out, the model's file has its way.
 */
export function renderArguments(
  spec: MaxTextTrainerSpec,
  context: Pick<TrainerContext, 'runName'>,
  chosen: Pick<ChosenMesh, 'mesh'>,
): PlacedArgument[] {
  const { checkpointing } = spec;
  const sets = knownModel(spec.model)?.sets ?? {};
  const typed: [string, string | number | boolean | undefined][] = [
    ['base_output_directory', spec.baseOutputDirectory],
    ['dataset_type', spec.datasetType ?? unlessSet(sets, 'dataset_type', 'synthetic')],
    [
      'per_device_batch_size',
      spec.perDeviceBatchSize ?? unlessSet(sets, 'per_device_batch_size', DEFAULT_BATCH),
    ],
    ['max_target_length', spec.maxTargetLength ?? unlessSet(sets, 'max_target_length', DEFAULT_LENGTH)],
    ['model_name', spec.model],
    ['steps', spec.steps],
    ...maxtextMeshArguments(chosen.mesh).map(splitArgument),
    ['run_name', spec.runName ?? context.runName],
    ['weight_dtype', spec.weightDtype],
    ['mu_dtype', spec.muDtype],
    ['remat_policy', spec.rematPolicy],
    ['enable_checkpointing', checkpointing?.enabled],
    ['checkpoint_period', checkpointing?.period],
    ['max_num_checkpoints_to_keep', checkpointing?.keep],
    ['load_parameters_path', spec.loadParametersPath],
    ['jax_cache_dir', spec.compilationCache],
  ];
  return [
    ...typed.flatMap(([key, given]): PlacedArgument[] =>
      given === undefined
        ? []
        : [{ key, value: String(given), path: (OWNED_ARGUMENTS.get(key) ?? key).split('.'), given }],
    ),
    ...(spec.arguments ?? []).map((given, index): PlacedArgument => {
      const [key, value] = splitArgument(given);
      return { key, value, path: ['arguments', index], given };
    }),
  ];
}

/** A default of this project, where the model's file does not set the key. */
function unlessSet<T>(sets: Readonly<Record<string, unknown>>, key: string, value: T): T | undefined {
  return Object.hasOwn(sets, key) ? undefined : value;
}
