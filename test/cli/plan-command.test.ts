import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { runSync } from '../support/run-command';
import { TemporaryProject } from '../support/temporary-project';

function plan(args: readonly string[], directory: string): { code: number; out: string; words: string } {
  let [out, words] = ['', ''];
  const code = runSync(['plan', ...args], {
    environment: {},
    workingDirectory: directory,
    print: (text) => (words += text),
    output: (text) => (out += text),
  });
  return { code, out, words };
}

function git(directory: string, ...args: readonly string[]): void {
  const identity = [
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  execFileSync('git', ['-C', directory, ...identity, ...args], { stdio: 'ignore' });
}

/** A repository whose project lies in a folder, its output committed. */
function repository(): TemporaryProject {
  const project = new TemporaryProject();
  expect(project.synth().code).toBe(0);
  git(project.directory, 'init', '--quiet');
  git(project.directory, 'add', '.');
  git(project.directory, 'commit', '--quiet', '-m', 'first');
  return project;
}

test('text, JSON and a page', () => {
  const project = new TemporaryProject();
  expect(plan([], project.directory)).toMatchObject({ code: 0, words: '' });
  expect(plan([], project.directory).out).toMatch(/^train\n {2}slice /);
  const { runs } = JSON.parse(plan(['.', 'train', '--json'], project.directory).out) as {
    runs: { name: string }[];
  };
  expect(runs.map(({ name }) => name)).toEqual(['train']);
  expect(plan(['--html', 'plan.html'], project.directory).code).toBe(0);
  expect(project.read('plan.html')).toMatch(/^<!doctype html>/);
  expect(existsSync(project.path('dist'))).toBe(false);
});

test('a project with Problems is refused, and nothing is shown', () => {
  const project = new TemporaryProject();
  project.write('runs/train.yaml', edited(RUN_YAML, ['4x4', '4x5']));
  expect(plan([], project.directory)).toMatchObject({ code: 1, out: '' });
});

test.each([
  [['a', 'b', 'c'], "too many arguments for 'plan'"],
  [['--fail-on', 'rerun'], '--markdown and --fail-on need --against'],
  [['--against', 'HEAD', '--fail-on', 'reruns'], 'Conditions are recreated, removed'],
  [['--against', 'HEAD', '--fail-on', 'recreate,stuck'], 'recreate is now recreated, stuck is now pending.'],
  [['--against', 'HEAD', '--html', 'x'], '--against compares all runs'],
  [['--json', '--html', 'x'], 'one form of output at a time'],
  [['--unknown'], "unknown option '--unknown'"],
])('%j is wrong usage', (args, message) => {
  const { code, words } = plan(args, '/');
  expect(code).toBe(2);
  expect(words).toContain(message);
});

test('a run that is not there is named with those that are', () => {
  const project = new TemporaryProject();
  expect(plan(['.', 'other'], project.directory)).toMatchObject({
    code: 2,
    words: expect.stringContaining('there is no run other: the runs are train') as string,
  });
});

describe('against a git revision', () => {
  test('what was committed counts, and conditions decide the exit code', () => {
    const project = repository();
    expect(plan(['--against', 'HEAD'], project.directory)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^nothing changes\n/) as string,
    });
    project.write('runs/train.yaml', edited(RUN_YAML, ['steps: 100', 'steps: 200']));
    const rerun = plan(['--against', 'HEAD', '--fail-on', 'recreated,rerun'], project.directory);
    expect(rerun).toMatchObject({
      code: 3,
      words: 'plan: --fail-on holds:\n  rerun: train trains again: argument steps: 100 -> 200\n',
    });
    expect(plan(['--against', 'HEAD', '--fail-on', 'recreated'], project.directory).code).toBe(0);
    expect(plan(['--against', 'HEAD', '--markdown'], project.directory).out).toMatch(/^## What applying/);
    expect(JSON.parse(plan(['--against', 'HEAD', '--json'], project.directory).out)).toMatchObject({
      schemaVersion: 1,
      findings: [{ condition: 'rerun', subject: 'train' }],
    });
  });

  test('a project without committed output is synthesized, and that is said', () => {
    const project = new TemporaryProject();
    git(project.directory, 'init', '--quiet');
    git(project.directory, 'add', '.');
    git(project.directory, 'commit', '--quiet', '-m', 'first');
    const { code, out, words } = plan(['--against', 'HEAD'], project.directory);
    expect([code, words]).toEqual([0, expect.stringContaining('HEAD has no dist/ and plan.json')]);
    expect(out).toMatch(/^nothing changes\n/);
  });

  test('a project that was not there is all new, in a folder of the repository too', () => {
    const project = repository();
    const folder = 'teams/a';
    project.write(`${folder}/platform.yaml`, project.read('platform.yaml'));
    project.write(`${folder}/runs/train.yaml`, RUN_YAML);
    const { code, out, words } = plan([folder, '--against', 'HEAD'], project.directory);
    expect([code, words]).toEqual([0, 'plan: HEAD has no such project: all of it is new\n']);
    expect(out).toMatch(/^1 run is new/);
    git(project.directory, 'add', '.');
    git(project.directory, 'commit', '--quiet', '-m', 'second');
    expect(plan([folder, '--against', 'HEAD'], project.directory).out).toMatch(/^nothing changes\n/);
  });

  test.each(['no-such-revision', '--upload-pack=x'])('%s is no revision', (revision) => {
    const project = repository();
    expect(plan([`--against=${revision}`], project.directory)).toMatchObject({
      code: 1,
      words: expect.stringContaining(`${revision}: neither a directory nor a revision`) as string,
    });
  });

  test('a plan.json that is none is refused with its place', () => {
    const project = repository();
    const other = new TemporaryProject({
      'platform.yaml': project.read('platform.yaml'),
      'plan.json': '{}',
      'dist/a.k8s.yaml': '',
    });
    const { code, words } = plan(['--against', other.directory], project.directory);
    expect([code, words]).toEqual([1, expect.stringContaining('plan.json is what npm run synth writes')]);
  });

  test('a manifest that is none is refused with its file', () => {
    const project = repository();
    const other = new TemporaryProject({
      'platform.yaml': project.read('platform.yaml'),
      'plan.json': project.read('plan.json'),
      'dist/a.k8s.yaml': 'kind: Job\n',
    });
    const { code, words } = plan(['--against', other.directory], project.directory);
    expect([code, words]).toEqual([1, expect.stringContaining('a.k8s.yaml')]);
  });

  test.each([
    ['a run', ['Job', 'RayCluster'], 'train.k8s.yaml'],
    ['the platform', ['ServiceAccount'], '00-platform.k8s.yaml'],
    ['the sources', ['ConfigMap'], '01-trainer-maxtext.k8s.yaml'],
  ])('output without the file of %s is not taken for what was applied', (_what, kinds, file) => {
    const project = repository();
    git(project.directory, 'rm', '--quiet', `dist/${file}`);
    git(project.directory, 'commit', '--quiet', '-m', 'second');
    const { code, out, words } = plan(['--against', 'HEAD'], project.directory);
    expect([code, out]).toEqual([1, '']);
    expect(words).toMatch(/^HEAD:dist {2}\[OUTPUT_GAP\]\n/);
    for (const kind of kinds) expect(words).toContain(`(no ${kind} `);
    expect(words).toContain('the output is whole');
  });

  test('broken output is named as git knows it, and the remedy works', () => {
    const project = new TemporaryProject({});
    project.write('p/platform.yaml', PLATFORM_YAML);
    project.write('p/runs/train.yaml', RUN_YAML);
    project.write('p/plan.json', '{}');
    project.write('p/dist/a.k8s.yaml', '');
    git(project.directory, 'init', '--quiet');
    git(project.directory, 'add', '.');
    git(project.directory, 'commit', '--quiet', '-m', 'first');
    const { code, words } = plan(['p', '--against', 'HEAD'], project.directory);
    expect(code).toBe(1);
    expect(words).toMatch(/^HEAD:p\/plan\.json\b/);
    expect(words).not.toContain('cdk8s-tpu-ray-revision');
    expect(words).toContain(
      'git worktree add ../before HEAD && npm run synth -- ../before/p, then --against ../before/p',
    );
    const [inner, before] = [project.path('p'), new TemporaryProject({})];
    git(inner, 'worktree', 'add', before.path('before'), 'HEAD');
    const terminal = {
      environment: {},
      workingDirectory: inner,
      print: () => undefined,
      output: () => undefined,
    };
    expect(runSync(['synth', before.path('before/p')], terminal)).toBe(0);
    expect(plan(['--against', before.path('before/p')], inner)).toMatchObject({ code: 0, words: '' });
  });
});

describe('a project whose files are links', () => {
  /** `p/` has links only, to `common/`, which is a link itself. */
  function linked(): TemporaryProject {
    const project = new TemporaryProject({});
    project.write('shared/platform.yaml', PLATFORM_YAML);
    project.write('shared/runs/train.yaml', RUN_YAML);
    mkdirSync(project.path('p'));
    symlinkSync('shared', project.path('common'));
    symlinkSync('../common/platform.yaml', project.path('p/platform.yaml'));
    symlinkSync('../common/runs', project.path('p/runs'));
    git(project.directory, 'init', '--quiet');
    return project;
  }

  function commit(project: TemporaryProject): void {
    git(project.directory, 'add', '.');
    git(project.directory, 'commit', '--quiet', '-m', 'first');
  }

  test('its output counts', () => {
    const project = linked();
    const terminal = {
      environment: {},
      workingDirectory: '/',
      print: () => undefined,
      output: () => undefined,
    };
    expect(runSync(['synth', project.path('p')], terminal)).toBe(0);
    commit(project);
    expect(plan(['p', '--against', 'HEAD'], project.directory)).toMatchObject({
      code: 0,
      words: '',
      out: expect.stringMatching(/^nothing changes\n/) as string,
    });
  });

  test('without output it is synthesized from what they lead to', () => {
    const project = linked();
    commit(project);
    project.write('shared/runs/train.yaml', edited(RUN_YAML, ['steps: 100', 'steps: 200']));
    const { code, out, words } = plan(['p', '--against', 'HEAD'], project.directory);
    expect([code, words]).toEqual([0, expect.stringContaining('HEAD has no dist/ and plan.json')]);
    expect(out).toContain('argument steps: 100 -> 200');
  });

  test('links that lead nowhere, or to themselves, are no new project', () => {
    const project = linked();
    rmSync(project.path('p/platform.yaml'));
    symlinkSync('../../outside.yaml', project.path('p/platform.yaml'));
    symlinkSync('loop/x', project.path('p/dist'));
    symlinkSync('dist', project.path('p/loop'));
    commit(project);
    rmSync(project.path('p/platform.yaml'));
    project.write('p/platform.yaml', PLATFORM_YAML);
    expect(plan(['p', '--against', 'HEAD'], project.directory)).toMatchObject({
      code: 1,
      words: expect.stringMatching(/^HEAD:p\/platform\.yaml\b/) as string,
    });
  });
});
