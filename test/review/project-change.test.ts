import { CONDITIONS, FIELD_RULES, changeMarkdown, changeText, compareProjects } from '../../lib/review';
import { ruleOf } from '../../lib/review/field-rules';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { reviewedProject } from '../support/reviewed-project';

const change = (...edits: readonly (readonly [string, string])[]) =>
  compareProjects(reviewedProject(), reviewedProject({ train: edited(RUN_YAML, ...edits) }));

const conditions = ({ findings }: ReturnType<typeof compareProjects>): string[] =>
  [...new Set(findings.map(({ condition }) => condition))].sort();

test('equal projects have no change', () => {
  const same = change();
  expect(same).toMatchObject({ objects: [], infrastructure: [], findings: [] });
  expect(changeText(same)).toMatch(/^nothing changes\n/);
});

test('a trainer’s argument makes the run train again, and touches no pod of Ray', () => {
  const { runs, findings } = change(['steps: 100', 'steps: 200']);
  expect(runs[0]).toMatchObject({
    presence: 'kept',
    rayCluster: { effect: 'unchanged' },
    pods: { effect: 'unchanged' },
    job: { effect: 'recreated', why: ['argument steps: 100 -> 200'] },
  });
  expect(findings.map(({ condition }) => condition)).toEqual(['rerun']);
});

test('only the runId changed: the reason is said, though nothing else shows it', () => {
  const { runs } = change(['name: train\n', 'name: train\nrunId: second\n']);
  expect(runs[0]!.job.why).toEqual(['runId']);
});

test('an image reaches no pod that is up, and makes the run train again', () => {
  expect(conditions(change(['maxtext:1', 'maxtext:2']))).toEqual(['ignored', 'rerun']);
});

test('with recreateOnChange the same change tears the run down', () => {
  const platform = edited(PLATFORM_YAML, ['1.5.0', '1.6.0']);
  const run = edited(RUN_YAML, ['image:', 'ray:\n  recreateOnChange: true\nimage:']);
  const before = reviewedProject({ train: run }, platform);
  const after = reviewedProject({ train: edited(run, ['maxtext:1', 'maxtext:2']) }, platform);
  const changed = compareProjects(before, after);
  expect(changed.runs[0]!.pods.effect).toBe('recreated');
  expect(conditions(changed)).toEqual(['recreated', 'rerun']);
});

test('switching recreateOnChange on tears nothing down', () => {
  const platform = edited(PLATFORM_YAML, ['1.5.0', '1.6.0']);
  const run = edited(RUN_YAML, ['image:', 'ray:\n  recreateOnChange: true\nimage:']);
  const changed = compareProjects(
    reviewedProject({ train: RUN_YAML }, platform),
    reviewedProject({ train: run }, platform),
  );
  expect(changed.runs[0]).toMatchObject({
    rayCluster: { effect: 'updated' },
    pods: { effect: 'unchanged' },
  });
});

test('fewer slices are removed, with their node pool; more chips are found', () => {
  const two = edited(
    RUN_YAML,
    ['4x4\n', '4x4\n  slices: 2\n'],
    ['fsdp: 16', 'fsdp: 16\n    dcn:\n      data: 2'],
  );
  const fewer = compareProjects(reviewedProject({ train: two }), reviewedProject());
  expect(fewer.runs[0]).toMatchObject({ pods: { effect: 'removed' }, chips: { before: 32, after: 16 } });
  expect(conditions(fewer)).toEqual(['ignored', 'pools', 'removed', 'rerun']);
  const more = compareProjects(reviewedProject(), reviewedProject({ train: two }));
  expect(more.runs[0]!.pods.effect).toBe('added');
  expect(more.chips).toEqual([{ what: 'v6e on-demand', before: 16, after: 32 }]);
  // Multi-networking, which the cards between slices need, is chosen at a cluster's creation.
  expect(conditions(more)).toEqual(['chips', 'cluster', 'ignored', 'pools', 'rerun']);
});

describe('slices come or go, and those that are up stay as they are', () => {
  const slices = (amount: number | string, data: number): readonly (readonly [string, string])[] => [
    ['4x4\n', `4x4\n  slices: ${String(amount)}\n`],
    ['fsdp: 16', `fsdp: 16\n    dcn:\n      data: ${String(data)}`],
  ];
  const WHY =
    'the operator changes no pod that is up, unless ray.recreateOnChange is set; then it deletes and makes all anew';

  test('a second slice needs network cards that the first one does not get', () => {
    const more = change(...slices(2, 2));
    expect(more.runs[0]!.pods).toEqual({
      effect: 'added',
      why: 'slices 1 -> 2: the operator adds or removes whole slices',
      ignored: WHY,
    });
    expect(more.runs[0]!.rayCluster.fields.map(({ path }) => path)).toContain(
      'spec.workerGroupSpecs[tpu-group].template.spec.resourceClaims',
    );
    expect(changeText(more)).toMatch(
      /pods of Ray +added: slices 1 -> 2: .*; of those that are up, ignored by the operator: the operator changes no pod/,
    );
    expect(more.findings).toContainEqual({ condition: 'ignored', subject: 'train', text: `train: ${WHY}` });
  });

  test.each([
    ['nothing else', '', undefined],
    ['a variable of the environment', 'env: {FOO: bar}\n', WHY],
  ])('2 -> 3 and %s', (_what, line, ignored) => {
    const three = edited(RUN_YAML, ...slices(3, 3), ['image:', `${line}image:`]);
    const more = compareProjects(
      reviewedProject({ train: edited(RUN_YAML, ...slices(2, 2)) }),
      reviewedProject({ train: three }),
    );
    expect(more.runs[0]!.pods).toMatchObject({ effect: 'added' });
    expect(more.runs[0]!.pods.ignored).toBe(ignored);
    expect(conditions(more).includes('ignored')).toBe(ignored !== undefined);
  });

  test('an autoscaler begins at the minimum, which removes slices of a range that stays', () => {
    const range = edited(RUN_YAML, ...slices('{min: 1, max: 2}', -1));
    const scaling = edited(range, ['image:', 'ray:\n  autoscaler: true\nimage:']);
    const fewer = compareProjects(reviewedProject({ train: range }), reviewedProject({ train: scaling }));
    expect(fewer.runs[0]).toMatchObject({
      pods: { effect: 'removed', ignored: WHY },
      slices: { before: { min: 1, max: 2 }, after: { min: 1, max: 2 } },
    });
    expect(fewer.findings).toContainEqual({
      condition: 'removed',
      subject: 'train',
      text: 'train loses pods: slices 2 -> 1: the operator adds or removes whole slices',
    });
  });

  test('recreateOnChange reaches them all', () => {
    const platform = edited(PLATFORM_YAML, ['1.5.0', '1.6.0']);
    const recreates = ['image:', 'ray:\n  recreateOnChange: true\nimage:'] as const;
    const more = compareProjects(
      reviewedProject({ train: edited(RUN_YAML, recreates) }, platform),
      reviewedProject({ train: edited(RUN_YAML, ...slices(2, 2), recreates) }, platform),
    );
    expect(more.runs[0]!.pods.effect).toBe('recreated');
    expect(more.runs[0]!.pods.ignored).toBeUndefined();
  });
});

test.each(['', 'gitOps: argo-cd\n', 'gitOps: flux\n'])(
  'A4: a change of the submitter alone is another Job, which attaches (%j)',
  (line) => {
    const platform = `${PLATFORM_YAML}${line}`;
    const run = edited(RUN_YAML, ['image:', 'submitter:\n  startDeadline: 2h\nimage:']);
    const [before, after] = [RUN_YAML, run].map((train) => reviewedProject({ train }, platform));
    const attaches = compareProjects(before, after!);
    expect(after!.plan.runs[0]!.submissionId).toBe(before!.plan.runs[0]!.submissionId);
    expect(attaches.runs[0]!.job).toMatchObject({ effect: 'attaches', why: [] });
    expect(attaches.runs[0]!.job.fields.map(({ path }) => path)).toEqual([
      'spec.template.spec.containers[submitter].args',
    ]);
    expect(conditions(attaches)).toEqual([]);
    expect(changeText(attaches)).toMatch(
      /args: --start-deadline 43200 -> --start-deadline 7200 \(attaches\)/,
    );
    expect(changeText(attaches)).toContain(
      `another Job, ${after!.plan.runs[0]!.job}, attaches to the run that is there, and nothing trains again`,
    );
  },
);

test('a variable of the environment is a reason to train again, and a Secret is named, not shown', () => {
  const { runs } = change(['image:', 'env:\n  A: b\n  TOKEN:\n    secretName: tokens\n    key: hub\nimage:']);
  expect(runs[0]!.job.why).toEqual([
    'environment A: none -> b',
    'environment TOKEN: none -> Secret tokens, key hub',
  ]);
});

test('another namespace is another RayCluster and another Job, beside the old ones', () => {
  const moved = compareProjects(
    reviewedProject(),
    reviewedProject({ train: RUN_YAML }, `${PLATFORM_YAML}namespace: other\n`),
  );
  const [left, made] = moved.runs;
  expect(moved.runs).toHaveLength(2);
  expect(left).toMatchObject({
    name: 'train',
    namespace: 'default',
    presence: 'removed',
    rayCluster: { title: 'RayCluster default/train', effect: 'removed' },
    pods: { effect: 'removed' },
    job: { effect: 'removed' },
  });
  expect(made).toMatchObject({
    name: 'train',
    namespace: 'other',
    presence: 'added',
    rayCluster: { title: 'RayCluster other/train', effect: 'added' },
    pods: { effect: 'pending' },
    job: { effect: 'added' },
  });
  expect(made!.job.title).toMatch(/^Job other\/train-[0-9a-f]{8}-[0-9a-f]{8}$/);
  expect(moved.objects.map(({ title, effect }) => [title, effect])).toEqual([
    ['ServiceAccount default/tpu-trainer', 'removed'],
    ['ConfigMap default/trainer-maxtext', 'removed'],
    ['ServiceAccount other/tpu-trainer', 'added'],
    ['ConfigMap other/trainer-maxtext', 'added'],
  ]);
  expect(moved.findings.map(({ condition, text }) => [condition, text])).toEqual([
    ['removed', 'train is gone from namespace default'],
    ['pending', expect.stringMatching(/^train: /)],
    ['rerun', 'train trains again: RayCluster: default/train -> other/train'],
  ]);
  expect(changeText(moved)).toMatch(/\ndefault\/train: removed\n[^]*\nother\/train: added\n/);
});

test('another capacity is another node pool', () => {
  const spot = change(['topology: 4x4', 'topology: 4x4\n  capacity:\n    kind: spot']);
  expect(spot.infrastructure.map(({ name, action }) => [name, action])).toEqual([
    ['v6e-4x4-0', 'unneeded'],
    ['v6e-4x4-spot-0', 'create'],
  ]);
});

test('the report for a pull request is Markdown that escapes what a cell cannot hold', () => {
  const markdown = changeMarkdown(change(['  steps: 100\n', '  steps: 100\n  arguments: [hf_path=a|b]\n']));
  expect(markdown).toMatch(/^## What applying this does\n\n\*\*1 run trains again/);
  expect(markdown).toContain('argument hf_path: none -> a\\|b');
  expect(changeMarkdown(change(['maxtext:1', 'maxtext:2'])).match(/<details>/g)).toHaveLength(1);
});

test('every condition can be found', () => {
  // The cases above and the upgrade find them; here stands that no other exists.
  expect(Object.keys(CONDITIONS).sort()).toEqual([
    'chips',
    'cluster',
    'ignored',
    'pending',
    'pools',
    'recreated',
    'rejected',
    'removed',
    'rerun',
  ]);
});

describe('field rules', () => {
  test('the last takes everything', () => {
    expect(ruleOf('ConfigMap', 'data.a')).toBe(FIELD_RULES.at(-1));
  });

  test.each([
    ['RayCluster', 'spec.workerGroupSpecs[tpu-group].replicas', 'scaled'],
    ['RayCluster', 'spec.workerGroupSpecs[0].numOfHosts', 'rehosted'],
    ['RayCluster', 'spec.upgradeStrategy', 'unchanged'],
    ['RayCluster', 'spec.headGroupSpec.template.spec.containers[ray-head].image', 'template'],
    ['RayCluster', 'metadata.labels.a', 'unchanged'],
  ])('%s %s: pods are %s', (kind, path, pods) => {
    expect(ruleOf(kind, path).pods).toBe(pods);
  });

  test.each([
    ['Job', 'spec.backoffLimit', 'updated'],
    ['Job', 'spec.template.spec.containers[submitter].args', 'attaches'],
    ['PersistentVolumeClaim', 'spec.resources.requests.storage', 'updated'],
    ['PersistentVolumeClaim', 'spec.volumeName', 'rejected'],
    ['ResourceClaimTemplate', 'spec.spec.devices', 'rejected'],
  ])('%s %s is %s', (kind, path, effect) => {
    expect(ruleOf(kind, path).effect).toBe(effect);
  });
});
