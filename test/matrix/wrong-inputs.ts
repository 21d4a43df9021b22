import { describeLocated } from '../../lib/config';
import { planInfrastructure } from '../../lib/infrastructure';
import { PROBLEM_AREAS, pathText } from '../../lib/problems';
import type { ProblemId } from '../../lib/problems';
import { renderProject } from '../support/render-project';
import { COMBINED_FAULTS } from './combined-faults';
import { bases } from './documents';
import type { Data } from './documents';
import type { Tally } from './tally';
import type { Changes, Document, WrongInput } from './wrong-input';

/** Problems that no pair of documents can have; each has its own test elsewhere. */
const ELSEWHERE: ReadonlySet<string> = new Set<ProblemId>([
  // A package without the sources of a kind, or with ones that are too long.
  'TRAINER_KIND_WITHOUT_SOURCES',
  'TRAINER_SOURCES_SIZE',
  // Two files, or what a directory holds.
  'RUN_NAME_TAKEN',
  'FILE_UNREADABLE',
  'FILE_LINK',
  'PROJECT_DIRECTORY',
  'RUNS_FOLDER',
  'RUNS_EMPTY',
  'RUN_FILE_NAME',
  'OUTPUT_GAP',
  'OUTPUT_OBJECT',
  'PLAN_FILE',
  // Hashes of hundreds of runs, two of which meet.
  'NODE_POOL_NAME_TAKEN',
  // The schema refuses it first, or holds no such rule; TypeScript reaches it.
  'MESH_AXIS',
  'VALUE_SCHEMA',
  'CONSTRUCT_INVALID',
  'WHOLE_NUMBER',
  // Always replaced by what the union says of itself.
  'VALUE_FORM',
]);

/** Wrong values for fields of a type, and what a message about it says. */
const WRONG_TYPES: Readonly<Record<string, { readonly values: readonly Data[]; readonly says: RegExp }>> = {
  text: { values: [7, true, ['a'], { a: 1 }, null], says: /text|string|one of|reference/ },
  number: { values: ['seven', true, [1], { a: 1 }, null], says: /number/ },
  boolean: { values: ['yes', 1, [true], null], says: /true or false|boolean/ },
  list: { values: ['a', 1, { a: 1 }, null], says: /list/ },
  object: { values: ['a', 1, ['a'], null], says: /map|object|keys/ },
};

const RUN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: [
    'name',
    'image',
    'imagePullPolicy',
    'runId',
    'tpu.generation',
    'tpu.topology',
    'ray.version',
    'ray.authTokenSecret',
    'trainer.model',
    'trainer.baseOutputDirectory',
    'trainer.runName',
    'trainer.weightDtype',
    'trainer.compilationCache',
    'trainer.startDeadline',
    'trainer.stepTimeout',
    'submitter.startDeadline',
    'submitter.runDeadline',
    'submitter.onActiveRun',
    'submitter.onTermination',
    'resources.head.cpu',
    'resources.worker.memory',
    'resources.worker.sharedMemory',
  ],
  number: [
    'trainer.steps',
    'trainer.perDeviceBatchSize',
    'trainer.maxTargetLength',
    'trainer.maxFailures',
    'submitter.backoffLimit',
    'user.uid',
    'user.gid',
    'trainer.mesh.ici.fsdp',
    'trainer.checkpointing.period',
  ],
  boolean: ['tpu.shareNodePools', 'trainer.checkpointing.enabled'],
  list: ['volumes', 'trainer.arguments'],
  object: [
    'tpu',
    'ray',
    'trainer',
    'resources',
    'resources.head',
    'env',
    'user',
    'submitter',
    'trainer.mesh',
    'trainer.checkpointing',
  ],
};

const PLATFORM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: [
    'project',
    'region',
    'zone',
    'cluster.name',
    'cluster.mode',
    'cluster.version',
    'kubeRayVersion',
    'namespace',
    'serviceAccount.name',
    'bucket.name',
    'bucket.location',
    'imageRepository.name',
    'gitOps',
  ],
  boolean: ['multiHostIndexing', 'serviceAccount.create', 'bucket.hierarchicalNamespace', 'network.create'],
  list: ['network.ranges'],
  object: ['cluster', 'serviceAccount', 'bucket', 'imageRepository', 'network'],
};

/** A run or platform with each of several hundred wrong things is refused, with a message that names the place and what is allowed. */
export function checkWrongInputs(tally: Tally, progress: (text: string) => void): void {
  const inputs = [
    ...wrongTypes('run', RUN_FIELDS),
    ...wrongTypes('platform', PLATFORM_FIELDS),
    ...missing('run', [
      'name',
      'tpu',
      'trainer',
      'tpu.generation',
      'tpu.topology',
      'trainer.kind',
      'trainer.model',
      'trainer.steps',
      'trainer.baseOutputDirectory',
    ]),
    ...missing('platform', [
      'project',
      'region',
      'zone',
      'cluster',
      'cluster.name',
      'cluster.mode',
      'cluster.version',
    ]),
    ...unknownKeys(),
    ...wrongChoices(),
    ...WRONG_VALUES,
    ...COMBINED_FAULTS,
  ];
  const met = new Set<string>();
  for (const input of inputs) tally.check(`${input.document}: ${input.what}`, faultsOf(input, met));
  for (const [what, text, says] of WRONG_TEXTS) tally.check(`run text: ${what}`, textFaults(text, says, met));
  const { 'Rendered objects': _, ...ofDocuments } = PROBLEM_AREAS;
  for (const id of Object.values(ofDocuments).flatMap((table) => Object.keys(table))) {
    if (ELSEWHERE.has(id)) continue;
    tally.check(`problem ${id}`, met.has(id) ? [] : ['no wrong input has it']);
  }
  progress(`${inputs.length + WRONG_TEXTS.length} wrong inputs`);
}

function wrongTypes(document: Document, fields: Readonly<Record<string, readonly string[]>>): WrongInput[] {
  return Object.entries(fields).flatMap(([type, paths]) => {
    const wrong = WRONG_TYPES[type];
    if (wrong === undefined) throw new Error(`no wrong values for type ${type}`);
    return paths.flatMap((path) =>
      wrong.values.map((value) => ({
        what: `${path} is ${JSON.stringify(value)}`,
        document,
        changes: { [path]: value },
        says: wrong.says,
      })),
    );
  });
}

function missing(document: Document, paths: readonly string[]): WrongInput[] {
  return paths.map((path) => ({
    what: `${path} is missing`,
    document,
    changes: { [path]: undefined },
    says: /required|must|needs|is missing|has a/,
  }));
}

function unknownKeys(): WrongInput[] {
  const keys: readonly (readonly [Document, string, string])[] = [
    ['run', 'images', 'image'],
    ['run', 'Tpu', 'tpu'],
    ['run', 'tpu.topologie', 'topology'],
    ['run', 'tpu.slice', 'slices'],
    ['run', 'tpu.capacity.knd', 'kind'],
    ['run', 'trainer.step', 'steps'],
    ['run', 'trainer.base_output_directory', 'baseOutputDirectory'],
    ['run', 'trainer.mesh.icii', 'ici'],
    ['run', 'trainer.mesh.ici.fsdpp', 'fsdp'],
    ['run', 'ray.versions', 'version'],
    ['run', 'resources.workers', 'worker'],
    ['run', 'resources.head.mem', 'memory'],
    ['run', 'submitter.onFinished', 'onFinish'],
    ['run', 'user.id', 'uid'],
    ['platform', 'projects', 'project'],
    ['platform', 'cluster.versions', 'version'],
    ['platform', 'kuberayVersion', 'kubeRayVersion'],
    ['platform', 'bucket.nam', 'name'],
    ['platform', 'network.range', 'ranges'],
    ['platform', 'serviceAccount.names', 'name'],
  ];
  return keys.map(([document, path, nearest]) => ({
    what: `${path} is no key`,
    document,
    changes: { [path]: 'x' },
    says: new RegExp(`did you mean ${nearest}\\?|\\b${nearest}\\b`),
  }));
}

function wrongChoices(): WrongInput[] {
  const choices: readonly (readonly [Document, string, readonly string[]])[] = [
    ['run', 'imagePullPolicy', ['IfNotPresent', 'Always', 'Never']],
    ['run', 'trainer.kind', ['maxtext']],
    ['run', 'trainer.weightDtype', ['float32', 'bfloat16']],
    ['run', 'trainer.muDtype', ['float32', 'bfloat16']],
    ['run', 'trainer.datasetType', ['synthetic', 'hf', 'grain']],
    ['run', 'tpu.capacity.kind', ['on-demand', 'spot', 'flex-start', 'queued', 'reservation']],
    ['run', 'tpu.generation', ['v4', 'v5e', 'v5p', 'v6e', 'tpu7x']],
    ['run', 'submitter.onActiveRun', ['fail', 'wait', 'replace']],
    ['run', 'submitter.onFinish', ['keep', 'deleteCluster']],
    ['run', 'submitter.onTermination', ['detach', 'stop']],
    ['run', 'volumes[0].kind', ['gcs-fuse', 'empty-dir', 'claim']],
    ['run', 'volumes[0].form', ['ephemeral', 'persistent-volume']],
    ['run', 'volumes[0].fileCache.medium', ['memory', 'disk']],
    ['platform', 'cluster.mode', ['standard', 'autopilot']],
    ['platform', 'gitOps', ['argo-cd', 'flux']],
    ['platform', 'network.profile', ['auto', 'explicit']],
    ['platform', 'kubeRayVersion', ['1.4.0', '1.5.0', '1.6.0', '1.7.0']],
  ];
  return choices.flatMap(([document, path, allowed]) =>
    ['none', 'STANDARD'].map((value) => ({
      what: `${path} is ${value}`,
      document,
      changes: { [path]: value },
      says: new RegExp(allowed.map((choice) => `(?=[\\s\\S]*${choice.replaceAll('.', '\\.')})`).join('')),
    })),
  );
}

const run = (what: string, changes: Changes, says: RegExp, at?: string): WrongInput => ({
  what,
  document: 'run',
  changes,
  says,
  ...(at === undefined ? {} : { at }),
});

const platform = (what: string, changes: Changes, says: RegExp, at?: string): WrongInput => ({
  ...run(what, changes, says, at),
  document: 'platform',
});

/** What a schema cannot see. */
const WRONG_VALUES: readonly WrongInput[] = [
  ...[
    '3x3',
    '4x5',
    '2x8',
    '8x4',
    '16x8',
    '32x32',
    '4x4x4',
    '2x2x2',
    '0x4',
    '-4x4',
    '4*4',
    '4 x 4',
    '4x',
    '1x2',
    '16x32',
  ].map((topology) => run(`v6e ${topology}`, { 'tpu.topology': topology }, /4x4/, 'tpu.topology')),
  ...['8x4x4', '6x6x6', '4x4', '3x2x1', '4x2x2', '2x2', '1x1x1', '4x4x2'].map((topology) =>
    run(
      `v5p ${topology}`,
      { 'tpu.generation': 'v5p', 'tpu.topology': topology },
      /2x2x1|2x2x2|multiple/,
      'tpu.topology',
    ),
  ),
  ...['trillium', 'v6', 'v6e-8', 'tpu-v6e-slice', 'ironwood', 'v7x', 'V6E', 'v3'].map((generation) =>
    run(
      `generation ${generation}`,
      { 'tpu.generation': generation },
      /v4.*v5e.*v5p.*v6e.*tpu7x/,
      'tpu.generation',
    ),
  ),
  ...[
    'ct6e-standard-8t',
    'ct6e-standard-1t',
    'ct5p-hightpu-4t',
    'n2-standard-8',
    'ct6e-standard-16t',
    '',
  ].map((machineType) =>
    run(`4x4 on ${machineType}`, { 'tpu.machineType': machineType }, /ct6e-standard-4t/, 'tpu.machineType'),
  ),
  run(
    'an ambiguous 2x4',
    { 'tpu.topology': '2x4' },
    /ct6e-standard-4t.*ct6e-standard-8t|ct6e-standard-8t.*ct6e-standard-4t/,
    'tpu.machineType',
  ),
  ...[
    '8b-run',
    'Llama',
    'llama_8b',
    'llama.8b',
    '-a',
    'a-',
    '',
    'a'.repeat(42),
    'ä',
    'a b',
    '../x',
    'a\n',
  ].map((name) => run(`the name ${JSON.stringify(name)}`, { name }, /lower-case|41 characters|name/, 'name')),
  ...[
    'gs://my-bucket',
    'my-bucket/ckpt',
    'My_Bucket',
    'ab',
    'goog-x',
    '-a-b',
    'my..bucket',
    '192.168.0.1',
    'x'.repeat(64),
  ].map((name) => platform(`the bucket ${name}`, { 'bucket.name': name }, /bucket/, 'bucket.name')),
  ...['1.35', 'latest', '1.35.2', 'v1.35.2-gke.1842000', '1.35.2-gke', '1.35.x-gke.1'].map((version) =>
    platform(
      `the GKE version ${version}`,
      { 'cluster.version': version },
      /1\.35\.2-gke\.1842000/,
      'cluster.version',
    ),
  ),
  platform(
    'a GKE without v6e',
    { 'cluster.version': '1.30.0-gke.1' },
    /v6e.* needs GKE 1\.31\.2-gke\.1115000/,
    'cluster.version',
  ),
  ...['Train', 'a.b', '-x', 'n'.repeat(64), 'kube-system', 'a_b'].map((namespace) =>
    platform(`the namespace ${namespace}`, { namespace }, /./, 'namespace'),
  ),
  ...['us-east5', 'europe-west4-a', 'us east5-b', ''].map((zone) =>
    platform(`the zone ${zone}`, { zone }, /zone/, 'zone'),
  ),
  ...['Trainer', 'a_b', '-x', ''].map((name) =>
    platform(`the service account ${name}`, { 'serviceAccount.name': name }, /name/, 'serviceAccount.name'),
  ),
  platform(
    'an operator older than the gate',
    { kubeRayVersion: '1.4.0', multiHostIndexing: true },
    /1\.5/,
    'multiHostIndexing',
  ),
  platform(
    'ownNamespace of default',
    { namespace: 'default', ownNamespace: true },
    /default/,
    'ownNamespace',
  ),
  ...['10.50.0.0', '10.50.0.0/33', '300.0.0.0/16', 'a/b', '10.50.0.1/16'].map((range) =>
    platform(
      `the range ${range}`,
      { 'network.ranges': [range, '10.60.0.0/16'] },
      /range|as in/,
      'network.ranges[0]',
    ),
  ),
  ...[0, -1, 1.5, 'two', { min: 2, max: 1 }, { min: 0, max: 2 }, { min: 1 } as Data].map((slices) =>
    run(`slices ${JSON.stringify(slices)}`, { 'tpu.slices': slices }, /slices|at least 1|min|whole number/),
  ),
  run('slices of single hosts', { 'tpu.topology': '2x2', 'tpu.slices': 2 }, /multi-host/, 'tpu.slices'),
  run(
    'a reservation by path',
    { 'tpu.capacity': { kind: 'reservation', name: 'projects/p/reservations/r' } },
    /write name: r and project: p/,
    'tpu.capacity.name',
  ),
  run('a reservation without name', { 'tpu.capacity': { kind: 'reservation' } }, /name/),
  run('a name on spot', { 'tpu.capacity': { kind: 'spot', name: 'r' } }, /kind/),
  run('a network of one slice', { network: { mode: 'dranet' } }, /one slice has no network/, 'network'),
  run('a mesh that is too small', { 'trainer.mesh': { ici: { fsdp: 4, tensor: 2 } } }, /16/),
  run('a mesh that is too large', { 'trainer.mesh': { ici: { fsdp: 8, tensor: 4 } } }, /16/),
  run('two free axes', { 'trainer.mesh': { ici: { fsdp: -1, tensor: -1 } } }, /-1/),
  run('an axis of 0', { 'trainer.mesh': { ici: { fsdp: 0 } } }, /./),
  run('a dcn axis on one slice', { 'trainer.mesh': { ici: { fsdp: 16 }, dcn: { data: 2 } } }, /slice|1/),
  run(
    'a mesh that is no product of slices',
    { 'tpu.slices': 3, 'trainer.mesh': { ici: { fsdp: 16 }, dcn: { data: 2 } } },
    /3/,
    'trainer.mesh.dcn',
  ),
  run(
    'an elastic range with a fixed dcn axis',
    { 'tpu.slices': { min: 1, max: 2 }, 'trainer.mesh': { ici: { fsdp: 16 }, dcn: { data: 2 } } },
    /-1|automatic|every size/,
    'trainer.mesh.dcn',
  ),
  ...['llama-8b', 'llama3', 'Llama3-8b', 'gpt4', ''].map((model) =>
    run(`the model ${model}`, { 'trainer.model': model }, /llama3-8b|did you mean|known/, 'trainer.model'),
  ),
  run(
    'an elastic run without checkpoints',
    { 'tpu.slices': { min: 1, max: 2 }, 'trainer.checkpointing': { enabled: false } },
    /elastic run needs checkpoints/,
    'trainer.checkpointing.enabled',
  ),
  run('an unchecked key that is not given', { 'trainer.unchecked': ['my_key'] }, /keys that this run gives/),
  run('a key MaxText lacks', { 'trainer.arguments': ['lerning_rate=1'] }, /has no key lerning_rate/),
  run('a value MaxText does not take', { 'trainer.arguments': ['packing=yess'] }, /true or false/),
  run('an option without its package', { 'trainer.arguments': ['enable_wandb=true'] }, /package wandb/),
  run('a key of the model’s file', { 'trainer.arguments': ['rope_max_timescale=7'] }, /in its file/),
  run('a model MaxText refuses', { 'trainer.model': 'deepseek-custom' }, /refuses it/),
  run('a model that needs an argument', { 'trainer.model': 'gemma4-e2b' }, /only with scan_layers=false/),
  run('a model without a file', { 'trainer.model': 'deepseek3-671b-lineage' }, /no file for it/),
  run('hf without a path', { 'trainer.datasetType': 'hf' }, /needs hf_path/),
  run('a variable that sets an option', { 'env.M_STEPS': '5' }, /sets steps of MaxText/),
  run('a variable that sets nothing', { 'env.M_LERNING_RATE': '5' }, /has no key lerning_rate/),
  run('405B parameters on 16 chips', { 'trainer.model': 'llama3.1-405b' }, /device|memory|HBM|GB|GiB/),
  run(
    '70B parameters in 32 bits on 16 chips',
    { 'trainer.model': 'llama3-70b', 'trainer.weightDtype': 'float32' },
    /device|memory|HBM|GB|GiB/,
  ),
  ...[0, -5, 1.5].map((steps) =>
    run(`${steps} steps`, { 'trainer.steps': steps }, /at least 1|whole number/, 'trainer.steps'),
  ),
  ...['/tmp/x', '/data2/x', 'data', 'gs://', 's3://b/x', '/data/../etc', ''].map((path) =>
    run(
      `output to ${path}`,
      { 'trainer.baseOutputDirectory': path },
      /gs:\/\/|mount|\.\./,
      'trainer.baseOutputDirectory',
    ),
  ),
  ...['steps', '=1', 'a b=1', '--steps=1', 'steps=1', 'model_name=x', 'ici_fsdp_parallelism=2'].map(
    (argument) =>
      run(`the argument ${argument}`, { 'trainer.arguments': [argument] }, /./, 'trainer.arguments[0]'),
  ),
  ...[
    'MEGASCALE_NUM_SLICES',
    'MEGASCALE_SLICE_ID',
    'TPU_WORKER_ID',
    'TPU_WORKER_HOSTNAMES',
    'TPU_NAME',
    'TPU_TOPOLOGY',
    'RAY_ADDRESS',
    'TPU_VISIBLE_CHIPS',
    'RAY_TPU_RESOURCE_PER_CHIP',
    'WORLD_SIZE',
  ].map((name) => run(`the variable ${name}`, { [`env.${name}`]: '2' }, /set/, `env.${name}`)),
  ...['8BIT', 'A-B', 'A B'].map((name) =>
    run(
      `the variable ${name}`,
      { [`env["${name}"]`]: 'x' },
      /letters, digits and underscores/,
      pathText(['env', name]),
    ),
  ),
  ...['HF_TOKEN', 'API_KEY', 'DB_PASSWORD', 'AWS_SECRET_ACCESS_KEY'].map((name) =>
    run(`a literal ${name}`, { [`env.${name}`]: 'abc' }, /Secret/, `env.${name}`),
  ),
  run('a token in the environment', { 'env.NOTE': `hf_${'a1'.repeat(16)}` }, /Secret/, 'env.NOTE'),
  run(
    'a password in a URL',
    { 'trainer.arguments': ['hf_path=https://user:password@host/x'] },
    /Secret/,
    'trainer.arguments[0]',
  ),
  run(
    'credentials in the image',
    { image: 'https://user:password@host/image' },
    /credentials|reference/,
    'image',
  ),
  run(
    'a Secret of no name',
    { 'env.HF_TOKEN': { secretName: 'Hugging_Face', key: 'token' } },
    /name/,
    'env.HF_TOKEN.secretName',
  ),
  ...['', ' ', 'a b', '-x', '"x"', '$(x)'].map((image) =>
    run(`the image ${JSON.stringify(image)}`, { image }, /image|text/, 'image'),
  ),
  run(
    'a Ray that differs from its image',
    { image: 'rayproject/ray:2.55.0', 'ray.version': '2.59.0' },
    /2\.55\.0/,
    'ray.version',
  ),
  ...['2.60', 'nightly', 'v2.60.0', ''].map((version) =>
    run(`Ray ${version}`, { 'ray.version': version }, /2\.60\.0/, 'ray.version'),
  ),
  run(
    'several slices on an old Ray',
    { 'ray.version': '2.50.0', 'tpu.slices': 2, 'trainer.mesh': { ici: { fsdp: 16 }, dcn: { data: 2 } } },
    /Ray 2\.5\d/,
    'ray.version',
  ),
  platform('token authentication on KubeRay 1.5', { kubeRayVersion: '1.5.0' }, /1\.6/, 'ray.authTokenSecret'),
  ...['data', '', '/data/', '/data/../x'].map((mountPath) =>
    run(`the mount path ${mountPath}`, { 'volumes[1].mountPath': mountPath }, /path/, 'volumes[1].mountPath'),
  ),
  run('two mounts on one path', { 'volumes[1].mountPath': '/data' }, /\/data|path/, 'volumes[1].mountPath'),
  run('a mount on /dev/shm', { 'volumes[1].mountPath': '/dev/shm' }, /shm|path/, 'volumes[1].mountPath'),
  run(
    'a folder with a leading slash',
    { 'volumes[0].onlyDir': '/runs' },
    /slash|folder/,
    'volumes[0].onlyDir',
  ),
  run('a bucket by URL', { 'volumes[0].bucket': 'gs://other' }, /bucket/, 'volumes[0].bucket'),
  run(
    'one bucket twice',
    { 'volumes[1]': { kind: 'gcs-fuse', mountPath: '/again', onlyDir: 'runs' } },
    /bucket|mount/,
  ),
  run(
    'a profile without a claim',
    { 'volumes[0].profile': 'training', 'volumes[0].fileCache': undefined },
    /persistent-volume/,
    'volumes[0].profile',
  ),
  run(
    'a mount option of another spelling',
    { 'volumes[0].mountOptions': ['implicit_dirs'] },
    /implicit-dirs/,
    'volumes[0].mountOptions[0]',
  ),
  run('an empty-dir of no size', { 'volumes[1].size': 'large' }, /quantity/, 'volumes[1].size'),
  run('a claim of no name', { 'volumes[2].claimName': 'My_Claim' }, /name/, 'volumes[2].claimName'),
  ...['lots', '4 cpus', '-1', '1.2.3'].map((cpu) =>
    run(`cpu ${cpu}`, { 'resources.head.cpu': cpu }, /quantity/, 'resources.head.cpu'),
  ),
  run(
    'more memory than a host has',
    { 'resources.worker.memory': '900Gi' },
    /Gi|host|machine/,
    'resources.worker.memory',
  ),
  run(
    'more CPUs than a host has',
    { 'resources.worker.cpu': '400' },
    /host|machine|cpu/i,
    'resources.worker.cpu',
  ),
  run(
    'shared memory beyond memory',
    { 'resources.worker.sharedMemory': '301Gi' },
    /memory/,
    'resources.worker.sharedMemory',
  ),
  run('a user of 0', { 'user.uid': 0 }, /at least 1|root|above 0/, 'user.uid'),
  ...['90', '1.5h', '-1h', '0m', 'soon'].map((deadline) =>
    run(
      `the deadline ${deadline}`,
      { 'submitter.startDeadline': deadline },
      /90m|12h/,
      'submitter.startDeadline',
    ),
  ),
  run('a negative back-off', { 'submitter.backoffLimit': -1 }, /at least 0/, 'submitter.backoffLimit'),
];

/** Texts that are no run, with what the message says. */
const WRONG_TEXTS: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ['empty', '', /one YAML document/],
  ['only a comment', '# nothing\n', /one YAML document/],
  ['a list', '- a\n', /map|object|keys/],
  ['a word', 'run\n', /map|object|keys/],
  ['a tab for indentation', 'name: x\ntpu:\n\tgeneration: v6e\n', /[Tt]ab|YAML/],
  ['a key twice', 'name: a\nname: b\n', /unique|YAML/],
  ['an open bracket', 'name: [a\n', /YAML/],
  ['two documents', 'name: a\n---\nname: b\n', /one YAML document/],
  ['an unknown alias', 'name: *a\n', /alias|YAML/i],
  ['an unknown tag', 'name: !secret a\n', /tag|YAML/i],
  ['an unset variable', 'name: ${NO_SUCH_VARIABLE}\n', /NO_SUCH_VARIABLE/],
  [
    'aliases that multiply',
    `a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n`,
    /alias|copies|key/i,
  ],
  ['a list as a key', '? [a, b]\n: c\n', /a key is text/],
  ['far too long', `name: ${'a'.repeat(2 ** 20)}\n`, /at most \d+ characters/],
  ['brackets without end', '['.repeat(20_000), /deep|YAML/],
];

function faultsOf(
  { document, changes, beside, base: index, at, says }: WrongInput,
  met: Set<string>,
): string[] {
  const base = bases()[index ?? 0];
  if (base === undefined) return ['there is no base document'];
  for (const [path, value] of Object.entries(changes)) setField(base[document], path, value);
  const other = document === 'run' ? 'platform' : 'run';
  for (const [path, value] of Object.entries(beside ?? {})) setField(base[other], path, value);
  const runName =
    typeof base.run['name'] === 'string' && base.run['name'] !== '' ? base.run['name'] : 'llama3-8b';
  const files = {
    [document === 'run' && 'name' in changes ? 'llama3-8b' : runName]: JSON.stringify(base.run),
  };
  try {
    const project = renderProject(JSON.stringify(base.platform), files);
    const infrastructure =
      project.platform === undefined ? [] : planInfrastructure(project.platform, project.runs).problems;
    const problems = [
      ...project.problems,
      ...infrastructure.map((problem) => ({ file: 'platform.yaml', ...problem })),
    ];
    for (const { id } of problems) met.add(id);
    return expectProblem(problems, at ?? Object.keys(changes)[0] ?? '', says);
  } catch (error) {
    return [`it throws: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
}

function textFaults(text: string, says: RegExp, met: Set<string>): string[] {
  const [base] = bases();
  try {
    const { problems } = renderProject(JSON.stringify(base?.platform), { run: text });
    for (const { id } of problems) met.add(id);
    return problems.some(({ rule, fix }) => says.test(`${rule}\n${fix}`))
      ? []
      : [`no Problem says ${String(says)}:`, ...problems.map(describeLocated)];
  } catch (error) {
    return [`it throws: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
}

function expectProblem(
  problems: ReturnType<typeof renderProject>['problems'],
  at: string,
  says: RegExp,
): string[] {
  if (problems.length === 0) return ['it is accepted'];
  const there = problems.filter((problem) => {
    const path = pathText(problem.path);
    return path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`) || at.startsWith(`${path}.`);
  });
  const found = there.some(({ rule, fix }) => says.test(`${rule}\n${fix}`));
  return found ? [] : [`no Problem at ${at} says ${String(says)}:`, ...problems.map(describeLocated)];
}

/** Paths are `a.b[0]["c d"]`; parents are made. */
function setField(root: { [key: string]: Data }, path: string, value: Data | undefined): void {
  const keys = path.match(/(?<=\[")[^"]+(?="\])|[^.[\]"]+/g) ?? [];
  const last = keys[keys.length - 1] ?? '';
  let holder: { [key: string]: Data } = root;
  for (const key of keys.slice(0, -1)) {
    const next = holder[key];
    if (typeof next !== 'object' || next === null) holder[key] = {};
    holder = holder[key] as { [key: string]: Data };
  }
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
}
