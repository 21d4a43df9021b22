import { RUN_YAML, edited, placesOfProblems, printed, problemsOfProject } from '../support/config-project';

const AUTOPILOT = `project: my-project
region: us-east5
zone: us-east5-b
cluster:
  name: tpu-ray
  mode: autopilot
  version: 1.35.2-gke.1842000
bucket:
  name: gs://my-bucket/data
bukcet: x
`;

const TWO_MACHINES = edited(
  RUN_YAML,
  ['name: train', 'name: machine'],
  ['topology: 4x4', 'topology: 4x4\n  machineType: ct6e-standard-8t'],
);

const MESH = edited(RUN_YAML, ['name: train', 'name: mesh'], ['fsdp: 16', 'fsdp: 12']);

const MODEL = edited(RUN_YAML, ['name: train', 'name: model'], ['model: llama3-8b', 'model: llama3.1-405b']);

const LONG_NAME = edited(RUN_YAML, ['name: train', `name: ${'long-'.repeat(9)}name`]);

const ENVIRONMENT = `${edited(RUN_YAML, ['name: train', 'name: environment'])}env:
  HF_TOKEN: hf_abcdefghijklmnopqrstuvwxyz
  MEGASCALE_NUM_SLICES: "2"
  STEPS: 100
`;

const STANDARD_ONLY = edited(
  RUN_YAML,
  ['name: train', 'name: standard'],
  [
    'topology: 4x4',
    'topology: 4x4\n  slices: 2\n  capacity:\n    kind: queued\nnetwork:\n  mode: host-network',
  ],
);

const PROBLEMS = problemsOfProject(AUTOPILOT, {
  topology: edited(
    RUN_YAML,
    ['name: train', 'name: topology'],
    ['topology: 4x4', 'topology: 2x3'],
    ['steps:', 'stpes:'],
  ),
  machine: TWO_MACHINES,
  mesh: MESH,
  model: MODEL,
  [`${'long-'.repeat(9)}name`]: LONG_NAME,
  environment: ENVIRONMENT,
  standard: STANDARD_ONLY,
  twin: edited(RUN_YAML, ['name: train', 'name: mesh']),
});

test('every mistake of every file is told at once, with its place', () => {
  expect(placesOfProblems(PROBLEMS)).toEqual([
    'platform.yaml:9:9 bucket.name',
    'platform.yaml:10:9 bukcet',
    'runs/environment.yaml:18:13 env.HF_TOKEN',
    'runs/environment.yaml:19:25 env.MEGASCALE_NUM_SLICES',
    'runs/environment.yaml:20:10 env.STEPS',
    `runs/${'long-'.repeat(9)}name.yaml:1:7 name`,
    'runs/machine.yaml:5:16 tpu.machineType',
    'runs/mesh.yaml:12:5 trainer.mesh.ici',
    'runs/model.yaml:8:10 trainer.model',
    'runs/standard.yaml:7:11 tpu.capacity.kind',
    'runs/standard.yaml:9:9 network.mode',
    'runs/topology.yaml:4:13 tpu.topology',
    'runs/topology.yaml:9:10 trainer.stpes',
    'runs/twin.yaml:1:7 name',
  ]);
});

test('what is printed', () => {
  expect(printed(PROBLEMS)).toMatchSnapshot();
});

test('no credential is printed', () => {
  expect(printed(PROBLEMS)).not.toContain('hf_abc');
});
