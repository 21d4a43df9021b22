import type { ProblemTable } from './problem-table';

/** Problems of trainers. */
export const TRAINING_PROBLEMS = {
  ARGUMENT_FORM: {
    rule: 'an argument is written as key=value on one line',
    fix: 'write it as in dtype=bfloat16',
  },
  ARGUMENT_OWNED: {
    rule: '<key> follows from <owner>',
    fix: 'set <owner> instead',
  },
  ARGUMENT_TWICE: {
    rule: '<key> is given already by entry <earlier>',
    fix: 'keep one of them',
  },
  TRAINER_DURATION: {
    rule: '<reason>',
    fix: 'write it as in 60m',
  },
  RESIZE_INTERVAL: {
    rule: 'only an elastic run looks for more slices',
    fix: 'remove it, or write tpu.slices as {min, max}',
  },
  CHECKPOINT_ON_PREEMPTION: {
    rule: 'without checkpoints there is none to save before a host is taken away',
    fix: 'remove it, or checkpointing.enabled: false',
  },
  MAXTEXT_RUN_NAME: {
    rule: 'a folder of letters, digits, dashes, underscores and dots, at most 128 characters',
    fix: 'leave it out for the name of the run',
  },
  XLA_DUMP_DIRECTORY: {
    rule: 'an absolute path in the pod',
    fix: 'write it as in /tmp/xla_dump',
  },
  BATCH_UNEVEN: {
    rule: "a step's examples are divided evenly over the mesh axes data, fsdp, fsdp_transpose and expert, and <value> x <devices> devices = <globalBatch> examples are not a multiple of <parts>",
    fix: '<advice>',
  },
  MEMORY_STATE: {
    rule: 'state and gradients need <leastBytes> per device<size>, and a <generation> device has <hbm> for a program: <explainState>',
    fix: '<advice>',
  },
  MESH_DIVISION: {
    rule: '<size> <title> divide evenly over the devices that share them, here <parts>',
    fix: 'make these axes smaller and fsdp larger',
  },
  MESH_PRODUCT: {
    rule: 'the <family> axes multiply to the number of <unit>: <target>, not <product>',
    fix: 'change an axis, or set one of them to -1 so that MaxText fills it in',
  },
  MESH_DIVISOR: {
    rule: 'the fixed <family> axes multiply to a divisor of <target> <unit>, not to <product>, so that <open> (-1) can be filled in',
    fix: 'use sizes that divide <target>: <divisors>',
  },
  MESH_AXIS: {
    rule: 'a mesh axis is one of <meshAxes><ignored>',
    fix: '<advice>',
  },
  MESH_AXIS_SIZE: {
    rule: 'an axis is a whole number of at least 1, or -1 to be filled in',
    fix: 'leave the axis out for MaxText’s default',
  },
  MESH_AUTOMATIC: {
    rule: 'at most one <family> axis is -1, not <automatic><text>',
    fix: '<advice>',
  },
  MESH_ELASTIC: {
    rule: 'an elastic run leaves exactly one dcn axis automatic (-1), so that the mesh still multiplies out after a slice is lost',
    fix: 'leave dcn.data out, or set it to 1 and another dcn axis to -1',
  },
  MODEL_UNKNOWN: {
    rule: 'a model is one that MaxText <maxtext> knows by name, or default with its sizes in arguments',
    fix: '<advice>',
  },
  MODEL_SIZE: {
    rule: '<key> is a whole number of at least 1',
    fix: 'leave <key> out for the model’s own',
  },
  MODEL_OVERRIDE: {
    rule: '<name> has <key>=<own>, and MaxText refuses another value',
    fix: 'leave <key> out, or add override_model_config=true',
  },
  MESH_PHYSICAL: {
    rule: 'each ici axis covers whole dimensions of <torus>, and nothing of it is left for <axis>',
    fix: 'use other sizes, or add allow_split_physical_axes=true to the arguments (slower links)',
  },
  SHARED_PATH_DOTS: {
    rule: 'a path says where it is without ..',
    fix: 'write the folder itself',
  },
  SHARED_PATH_BUCKET: {
    rule: 'gs:// and the name of a bucket: <rule>',
    fix: '<advice>',
  },
  SHARED_PATH: {
    rule: 'head and workers must all <text> it: gs://BUCKET/… or a path beneath a mounted bucket or claim, and the run mounts <listed>',
    fix: '<advice>',
  },
  OPTION_FORM: {
    rule: 'an option is written as --name=value on one line',
    fix: 'write it as in --seed=7',
  },
  OPTION_OWNED: {
    rule: '--<name> follows from <owner>',
    fix: 'remove it, and set <owner> instead',
  },
  OPTION_UNKNOWN: {
    rule: 'an option of <kind>: <names>',
    fix: '<advice>',
  },
  OPTION_TWICE: {
    rule: 'an option is given once',
    fix: 'keep one of the --<name>',
  },
  OPTION_VALUE: {
    rule: '--<name> is <rule>',
    fix: 'write such a value',
  },
  MATRIX_SIZE: {
    rule: 'the <columns> x matrixSize columns are divided over the <devices> devices of the slice',
    fix: 'use a multiple of <unit>',
  },
  TORCHTPU_SLICES: {
    rule: "TorchTPU runs are of one slice: Ray's TorchTrainer coordinates several only from <minimum> on (the run says <rayVersion>), and this trainer shards the model over the devices of one",
    fix: 'set tpu.slices: 1 with a larger topology, or use the trainer kind maxtext',
  },
  CHECKPOINTS_ELASTIC: {
    rule: 'an elastic run needs checkpoints: every change of size is a restart, which without one begins again at step 0',
    fix: 'remove it, or write tpu.slices as one number',
  },
  UNCHECKED_IDLE: {
    rule: 'unchecked lists keys that this run gives to MaxText, each as MaxText names it',
    fix: 'remove it, or write the key that is meant',
  },
  MAXTEXT_KEY: {
    rule: 'MaxText <maxtext> has no key <key>',
    fix: '<advice>',
  },
  MAXTEXT_VALUE: {
    rule: '<key> of MaxText <maxtext> is <rule>',
    fix: 'write such a value',
  },
  MAXTEXT_PACKAGE: {
    rule: '<key> imports the Python package <extra>, which the image of images/maxtext does not hold',
    fix: 'add <extra> to an image of yours, and <key> to trainer.unchecked',
  },
  MODEL_FILE: {
    rule: '<model> has <key>=<text> in its file, and MaxText refuses another value',
    fix: 'leave <key> out, or add override_model_config=true to the arguments',
  },
  MODEL_REFUSED: {
    rule: 'MaxText <maxtext> refuses it: <refused>',
    fix: 'use another model',
  },
  MODEL_NEEDS: {
    rule: 'MaxText <maxtext> trains it only with <needs>',
    fix: 'add <first> to the arguments',
  },
  MAXTEXT_VARIABLE: {
    rule: '<name> sets <key> of MaxText, which the run file has a place for',
    fix: '<advice>',
  },
  MAXTEXT_VARIABLE_UNKNOWN: {
    rule: 'MaxText reads M_KEY for each of its keys and ignores what it does not know, and it has no key <key>',
    fix: 'write <near>=… in trainer.arguments if that is meant',
  },
  MODEL_WITHOUT_FILE: {
    rule: 'MaxText <maxtext> has the name and no file for it, and would train its default model',
    fix: '<advice>',
  },
  MAXTEXT_DATA: {
    rule: '<reason>',
    fix: '<advice>',
  },
} as const satisfies ProblemTable;
