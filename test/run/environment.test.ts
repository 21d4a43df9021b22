import { literalSecrets } from '../../lib/manifest-rules/literal-secrets';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { problemsOf } from '../support/manifest-rule';
import { renderProject } from '../support/render-project';
import { pathText } from '../../lib/problems';
import { PLATFORM, RUN, TORCH, runProblems, trainingRun } from '../support/training-run';

const OWNERS = {
  Ray: 'Ray sets it while there is more than one slice; a stale value hangs the survivors',
  webhook: 'the TPU webhook and GKE set it for each host',
  torch: 'the TPU webhook sets it for each host',
  derived: 'it follows from the generation and the trainer kind',
  KubeRay: 'KubeRay sets it',
  train: 'Ray Train sets it for each worker',
} as const;

test.each([
  ['MEGASCALE_NUM_SLICES', OWNERS.Ray],
  ['MEGASCALE_SLICE_ID', OWNERS.Ray],
  ['MEGASCALE_COORDINATOR_ADDRESS', OWNERS.Ray],
  ['MEGASCALE_PORT', OWNERS.Ray],
  ['TPU_WORKER_ID', OWNERS.webhook],
  ['TPU_WORKER_HOSTNAMES', OWNERS.webhook],
  ['TPU_NAME', OWNERS.webhook],
  ['TPU_TOPOLOGY', OWNERS.webhook],
  ['TPU_ACCELERATOR_TYPE', OWNERS.webhook],
  ['TPU_PROCESS_ADDRESSES', OWNERS.webhook],
  ['TPU_SKIP_MDS_QUERY', OWNERS.webhook],
  ['TPU_DEVICE_PLUGIN_HOST_IP', OWNERS.webhook],
  ['TORCH_TPU_ANYTHING', OWNERS.torch],
  ['TPU_VISIBLE_CHIPS', OWNERS.derived],
  ['RAY_TPU_RESOURCE_PER_CHIP', OWNERS.derived],
  ['RAY_ADDRESS', OWNERS.KubeRay],
  ['KUBERAY_GEN_RAY_START_CMD', OWNERS.KubeRay],
  ['REDIS_PASSWORD', OWNERS.KubeRay],
  ['RAY_AUTH_TOKEN', OWNERS.KubeRay],
  ['MASTER_ADDR', OWNERS.train],
  ['WORLD_SIZE', OWNERS.train],
])('field report 28: fails for %s in env and in trainer.env', (name, owner) => {
  const expected = (path: string): string =>
    `${path}.${name}: 'x': ${name} is not a user's to set: ${owner}; remove it`;
  expect(runProblems({ ...RUN, env: { [name]: 'x' } })[0]).toBe(expected('env'));
  expect(runProblems({ ...RUN, trainer: { ...RUN.trainer, env: { [name]: 'x' } } })[0]).toBe(
    expected('trainer.env'),
  );
});

test.each([
  'LIBTPU_INIT_ARGS',
  'TPU_STDERR_LOG_LEVEL',
  'TPU_MIN_LOG_LEVEL',
  'RAY_DEDUP_LOGS',
  'XLA_FLAGS',
  'HF_HOME',
  'TOKENIZERS_PARALLELISM',
])('%s is the user’s', (name) => {
  expect(trainingRun({ ...RUN, env: { [name]: 'x' } }).environment).toEqual({ [name]: 'x' });
});

test.each(['cpu', '', 'cuda,cpu', 'TPU'])("fails for JAX_PLATFORMS '%s', which has no tpu", (value) => {
  const line = (path: string): string =>
    `${path}.JAX_PLATFORMS: '${value}': JAX_PLATFORMS of a run on TPUs is a list of platforms with tpu among them, as in tpu,cpu: without it Ray leaves jax.distributed out, and every host trains by itself; remove it, for the trainer sets it, or add tpu`;
  const env = { JAX_PLATFORMS: value };
  expect(runProblems({ ...RUN, env })).toEqual([line('env')]);
  expect(runProblems({ ...RUN, trainer: { ...RUN.trainer, env } })).toEqual([line('trainer.env')]);
});

test('JAX_PLATFORMS with tpu passes, and TorchTPU has no use for it', () => {
  for (const value of ['tpu', 'tpu,cpu']) {
    expect(runProblems({ ...RUN, env: { JAX_PLATFORMS: value } })).toEqual([]);
  }
  expect(runProblems({ ...TORCH, env: { JAX_PLATFORMS: 'cpu' } })).toEqual([]);
});

test.each([
  ['0o755', 'a text is read from the manifest as it was written: kubectl would read this text as a number'],
  ['${X:-y}', 'only ${NAME} is filled in, and ${X:-y} would stand in the manifest as it is'],
  [
    'a\u0085',
    'a text is read from the manifest as it was written: the character U+0085 does not survive YAML',
  ],
  [
    '\u2028',
    'a text is read from the manifest as it was written: the character U+2028 does not survive YAML',
  ],
])('fails for the value %j, which a manifest cannot carry', (value, rule) => {
  expect(runProblems({ ...RUN, env: { FOO: value } })).toEqual([expect.stringContaining(rule)]);
});

test('a script of several lines may use ${…}, and a part of a longer text may look like a number', () => {
  expect(runProblems({ ...RUN, env: { FOO: 'a\necho ${X:-y}\n' } })).toEqual([]);
  expect(runProblems({ ...RUN, trainer: { ...RUN.trainer, env: { UMASK: '0o755' } } })).toEqual([]);
});

test.each(['1A', 'A-B', 'A B', '', 'A.B', 'É'])("fails for the name '%s'", (name) => {
  expect(runProblems({ ...RUN, env: { [name]: 'x' } })).toEqual([
    `${pathText(['env', name])}: '${name}': an environment variable is named with letters, digits and underscores and does not begin with a digit; rename it`,
  ]);
});

describe('field report 11: credentials', () => {
  const RULE = 'must not stand in a manifest, where anyone who can read it can use it';

  test('fail as literal values, by name or by form, and are not shown', () => {
    expect(runProblems({ ...RUN, env: { HF_TOKEN: 'anything', PROXY: 'http://me:secret@proxy' } })).toEqual([
      `env.HF_TOKEN: (not shown): what looks like a credential ${RULE}; put it into a Secret and write {secretName: …, key: …}; if it is none, write {value: …, notSecret: true}`,
      `env.PROXY: (not shown): a URL with a password ${RULE}; put it into a Secret and write {secretName: …, key: …}; if it is none, write {value: …, notSecret: true}`,
    ]);
  });

  test('fail in the trainer’s environment, which the dashboard shows', () => {
    expect(runProblems({ ...RUN, trainer: { ...RUN.trainer, env: { API_KEY: 'anything' } } })).toEqual([
      `trainer.env.API_KEY: (not shown): what looks like a credential ${RULE}; put it into a Secret and reference that in the run’s env; if it is none, write it there as {value: …, notSecret: true}`,
    ]);
  });

  test('pass as references, and when they are empty', () => {
    const env = { HF_TOKEN: { secretName: 'hf', key: 'token' }, WANDB_API_KEY: '' };
    expect(trainingRun({ ...RUN, env }, PLATFORM).environment).toEqual(env);
  });

  const TOKEN = 'a1B2c3D4'.repeat(5);

  test.each([
    ['GOOGLE_APPLICATION_CREDENTIALS', '/var/secrets/google/key.json'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/path'],
    ['HF_HUB_DISABLE_IMPLICIT_TOKEN', '1'],
    ['PAD_TOKEN', 'pad'],
    ['EOS_TOKEN', '</s>'],
    ['MAX_TOKEN_LEN', '512'],
    ['SPECIAL_TOKEN', '[MASK]'],
    ['HF_TOKEN', '$(OTHER)'],
    ['USE_AUTH_TOKEN', 'true'],
    ['PWD', '/home/ray'],
    ['BYPASS', 'cache'],
    ['SORT_KEY', 'name'],
  ])('C4: %s=%s is no credential', (name, value) => {
    expect(runProblems({ ...RUN, env: { [name]: value } })).toEqual([]);
  });

  test.each([
    ['PGPASSWORD', 'hunter2'],
    ['DB_PASS', '123456'],
    ['MYSQL_PWD', 'x'],
    ['WANDB_KEY', TOKEN],
    ['WANDB_APIKEY', TOKEN],
    ['HF_TOKEN', `/${TOKEN}`],
    ['X', `github_pat_${TOKEN}`],
    ['X', ['xoxb', '123456789012', TOKEN].join('-')],
    ['X', `AKIA${'A1B2'.repeat(4)}`],
    ['X', ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', TOKEN].join('.')],
    ['HEADER', `Authorization: Bearer ${TOKEN}`],
    ['HEADER', `Authorization: Basic ${TOKEN}`],
    ['PAD_TOKEN', `hf_${TOKEN}`],
    ['CACHE_URL', `redis://:${TOKEN}@cache`],
  ])('C5: %s=%s is one, and is not shown', (name, value) => {
    const [problem = '', ...others] = runProblems({ ...RUN, env: { [name]: value } });
    expect(others).toEqual([]);
    expect(problem).toContain(`env.${name}: (not shown): `);
    expect(problem).not.toContain(value);
  });

  test('C4: what looks like one and is none may be declared, and synth says so', () => {
    const run = trainingRun({ ...RUN, env: { DEMO_TOKEN: { value: 'a demo', notSecret: true } } });
    expect(run.environment).toEqual({ DEMO_TOKEN: 'a demo' });
    expect(run.warnings).toContainEqual({
      path: ['env', 'DEMO_TOKEN'],
      message:
        'it stands in the manifest for everyone who can read that, since notSecret says that it is no credential',
    });
  });

  test('C4: a declared value passes the rules over the manifests, and only where it is declared', () => {
    const env = (value: string): string =>
      edited(RUN_YAML, ['volumes:', `env:\n  DEMO_TOKEN: ${value}\nvolumes:`]);
    const rendered = renderProject(PLATFORM_YAML, { train: env('{value: a demo, notSecret: true}') });
    expect(rendered.problems).toEqual([]);
    expect(problemsOf(literalSecrets, rendered.objects)).toHaveLength(2);
    expect(problemsOf(literalSecrets, rendered.objects, { notSecret: ['DEMO_TOKEN'] })).toEqual([]);
    expect(renderProject(PLATFORM_YAML, { train: env('{value: a demo}') }).problems).not.toEqual([]);
    expect(
      renderProject(PLATFORM_YAML, { train: env('{value: a demo, notSecret: false}') }).problems,
    ).not.toEqual([]);
  });
});
