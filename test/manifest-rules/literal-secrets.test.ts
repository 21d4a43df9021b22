import { checkManifests, manifestProblemText } from '../../lib/manifest-rules';
import { literalSecrets } from '../../lib/manifest-rules/literal-secrets';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { HEAD, JOB_POD, sampleWith, WORKERS } from '../support/sample-objects';

const HUGGING_FACE = `hf_${'x1'.repeat(16)}`;

test('references to Secrets, paths of token files and token counts pass', () => {
  expect(problemsOf(literalSecrets)).toEqual([]);
  const command = [
    'train',
    'tokenizer_path=assets/tokenizer',
    'max_target_length=4096',
    '--token',
    '$(HF_TOKEN)',
    'hf_access_token=',
  ];
  expect(placesOf(literalSecrets, 'Job', { [`${JOB_POD}.spec.containers[0].command`]: command })).toEqual([]);
});

test('field report 11: a credential by name with a literal value is refused in the environment', () => {
  const env = [{ name: 'HF_TOKEN', value: 'plain' }];
  const problems = problemsOf(
    literalSecrets,
    sampleWith('RayCluster', { [`${WORKERS}.spec.containers[0].env`]: env }),
  );
  expect(problems).toEqual([
    {
      object: RAY_CLUSTER,
      path: `${WORKERS}.spec.containers[0].env[0].value`,
      value: '(hidden)',
      rule: 'HF_TOKEN looks like a credential and carries a literal value',
      fix: 'put it into a Secret made outside of this repository, and refer to it with valueFrom.secretKeyRef',
    },
  ]);
});

test.each([
  [['hf_access_token=abc'], 0],
  [['--api-key=abc'], 0],
  [['--password', 'abc'], 1],
  [['run', '--url=https://user:t0ken@host/x'], 1],
])('field report 11: a credential in the arguments %p is refused', (args, index) => {
  expect(placesOf(literalSecrets, 'Job', { [`${JOB_POD}.spec.containers[0].args`]: args })).toEqual([
    `${JOB}: ${JOB_POD}.spec.containers[0].args[${index}]`,
  ]);
});

test('a credential by its form is refused anywhere, once', () => {
  expect(placesOf(literalSecrets, 'ConfigMap', { data: { 'run.sh': `export T=${HUGGING_FACE}\n` } })).toEqual(
    ['ConfigMap train/sources: data["run.sh"]'],
  );
  expect(
    placesOf(literalSecrets, 'RayCluster', {
      [`${HEAD}.spec.containers[0].env`]: [{ name: 'HF_TOKEN', value: HUGGING_FACE }],
    }),
  ).toEqual([`${RAY_CLUSTER}: ${HEAD}.spec.containers[0].env[0].value`]);
});

test('a Secret with data is refused, one without passes', () => {
  const secret = { kind: 'Secret', metadata: { name: 's', namespace: 'train' } };
  expect(problemsOf(literalSecrets, [secret])).toEqual([]);
  expect(problemsOf(literalSecrets, [{ ...secret, stringData: { token: 'abc' } }])).toHaveLength(1);
});

test('no message of any rule shows the secret', () => {
  const changes = {
    [`${HEAD}.spec.containers[0].env`]: [{ name: 'HF_TOKEN', value: HUGGING_FACE }],
    [`${HEAD}.spec.containers[0].args`]: [`--token=${HUGGING_FACE}`],
    'metadata.annotations': { note: HUGGING_FACE },
  };
  const text = checkManifests(sampleWith('RayCluster', changes), { kubeRayVersion: '1.7.0' })
    .map(manifestProblemText)
    .join('\n');
  expect(text).toContain('(hidden)');
  expect(text).not.toContain(HUGGING_FACE);
});
