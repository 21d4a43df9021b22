import { PLATFORM_YAML, RUN_YAML, edited, problemsOfProject, readProject } from '../support/config-project';
import { maxTextOf } from '../support/maxtext-facts';

const WITH_NAMES = edited(
  RUN_YAML,
  ['registry.example/maxtext:1', '${REGISTRY}/maxtext:${TAG}'],
  ['steps: 100', 'steps: ${STEPS}'],
);

const ENVIRONMENT = { REGISTRY: 'registry.example', TAG: '1', STEPS: '250' };

test('field report 82: ${NAME} is filled from the environment', () => {
  const { runs, problems } = readProject(PLATFORM_YAML, { train: WITH_NAMES }, ENVIRONMENT);
  expect(problems).toEqual([]);
  expect(runs[0]?.image).toBe('registry.example/maxtext:1');
});

test('an unquoted ${NAME} can be a number, a quoted one is text', () => {
  const { runs } = readProject(PLATFORM_YAML, { train: WITH_NAMES }, ENVIRONMENT);
  expect(maxTextOf(runs[0]?.trainer).arguments).toContain('steps=250');
  const quoted = edited(WITH_NAMES, ['steps: ${STEPS}', 'steps: "${STEPS}"']);
  expect(problemsOfProject(PLATFORM_YAML, { train: quoted }, ENVIRONMENT)).toMatchObject([
    {
      id: 'VALUE_TYPE',
      path: ['trainer', 'steps'],
      value: '250',
      rule: 'it is a whole number',
      fix: 'write it without quotes',
    },
  ]);
});

test.each(['[1, 2]', '{a: 1}', '1\nname: other', '#', "'", '&a', '!!int 1'])(
  'a value of the environment cannot become structure: %s',
  (value) => {
    const { runs } = readProject(PLATFORM_YAML, { train: `${RUN_YAML}runId: \${ID}\n` }, { ID: value });
    const { runs: plain } = readProject(PLATFORM_YAML, { train: RUN_YAML });
    expect(runs).toHaveLength(1);
    expect(runs[0]?.name).toBe('train');
    expect(runs[0]?.submissionId).not.toBe(plain[0]?.submissionId);
  },
);

test('field report 82: every missing variable of every file is listed', () => {
  const platform = edited(PLATFORM_YAML, ['my-project', '${PROJECT}']);
  expect(problemsOfProject(platform, { train: WITH_NAMES }, { TAG: '1' })).toEqual([
    {
      id: 'PLACEHOLDER_UNSET',
      file: 'platform.yaml',
      line: 1,
      column: 10,
      path: [],
      value: '${PROJECT}',
      rule: '${PROJECT} is filled from the environment variable PROJECT, which is not set',
      fix: 'export PROJECT=… first, or write the value itself',
    },
    {
      id: 'PLACEHOLDER_UNSET',
      file: 'runs/train.yaml',
      line: 5,
      column: 8,
      path: [],
      value: '${REGISTRY}/maxtext:${TAG}',
      rule: '${REGISTRY} is filled from the environment variable REGISTRY, which is not set',
      fix: 'export REGISTRY=… first, or write the value itself',
    },
    {
      id: 'PLACEHOLDER_UNSET',
      file: 'runs/train.yaml',
      line: 9,
      column: 10,
      path: [],
      value: '${STEPS}',
      rule: '${STEPS} is filled from the environment variable STEPS, which is not set',
      fix: 'export STEPS=… first, or write the value itself',
    },
  ]);
});

test('a variable that is set to nothing is filled with nothing, and the rules speak', () => {
  expect(
    problemsOfProject(PLATFORM_YAML, { train: WITH_NAMES }, { ...ENVIRONMENT, STEPS: '' }),
  ).toMatchObject([
    { id: 'VALUE_TYPE', path: ['trainer', 'steps'], value: '', rule: 'it is a whole number' },
  ]);
});

test('names of JavaScript objects are no variables', () => {
  const run = edited(RUN_YAML, ['maxtext:1', '${constructor}']);
  expect(problemsOfProject(PLATFORM_YAML, { train: run }, {})).toMatchObject([{ line: 5 }]);
});

test('a credential from the environment is refused like a written one, and not shown', () => {
  const run = `${RUN_YAML}env:\n  HF_TOKEN: \${HF_TOKEN}\n`;
  expect(problemsOfProject(PLATFORM_YAML, { train: run }, { HF_TOKEN: 'secret' })).toMatchObject([
    { path: ['env', 'HF_TOKEN'], value: '(not shown)' },
  ]);
});

test('keys and comments are left alone', () => {
  expect(readProject(PLATFORM_YAML, { train: `# \${NOT_SET}\n${RUN_YAML}` }).problems).toEqual([]);
  expect(problemsOfProject(PLATFORM_YAML, { train: `${RUN_YAML}\${KEY}: a\n` })).toMatchObject([
    { path: ['${KEY}'], fix: 'remove it' },
  ]);
});
