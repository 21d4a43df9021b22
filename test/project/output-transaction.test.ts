import fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { RUN_YAML, edited } from '../support/config-project';
import { TemporaryProject } from '../support/temporary-project';

const ROOT = join(__dirname, '..', '..');
const OUTPUT = [
  'dist/00-platform.k8s.yaml',
  'dist/01-trainer-maxtext.k8s.yaml',
  'dist/train.k8s.yaml',
  'infrastructure.tsv',
  'plan.json',
];
const LONGER = edited(RUN_YAML, ['steps: 100', 'steps: 200']);

/** Runs the real command, which tells every change of the project's files and is killed before one of them. */
function synthInChild(project: TemporaryProject, killBefore: number): { changes: string[]; killed: boolean } {
  const preload = project.path('preload.cjs');
  const log = project.path('changes.log');
  fs.writeFileSync(
    preload,
    `const fs = require('node:fs');
const log = fs.openSync(${JSON.stringify(log)}, 'a');
let left = ${String(killBefore)};
for (const name of ['mkdirSync', 'writeFileSync', 'renameSync', 'rmSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    // The project's own files only: the command also keeps a bundle elsewhere.
    if (String(args[0]).startsWith(${JSON.stringify(project.directory)})) {
      fs.writeSync(log, name + ' ' + args[0] + '\\n');
      if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    }
    return original(...args);
  };
}
`,
  );
  const { signal } = spawnSync(
    process.execPath,
    ['--require', preload, join(ROOT, 'bin/cdk8s-tpu-ray.cjs'), 'synth', project.directory],
    { encoding: 'utf8' },
  );
  const changes = fs.readFileSync(log, 'utf8').trim().split('\n');
  fs.rmSync(preload);
  fs.rmSync(log);
  return { changes, killed: signal === 'SIGKILL' };
}

/** The moments of a synthesis that differ: before anything, amid the writing, around each step of the swap, while clearing up. */
function momentsOf(changes: readonly string[]): Record<string, number> {
  const first = (start: string, from = 0): number =>
    changes.findIndex((change, index) => index >= from && change.startsWith(start));
  const swap = first('renameSync');
  return {
    'before anything': 0,
    'between two manifests': first('writeFileSync') + 1,
    'before the swap': swap,
    'between the two renames': swap + 1,
    'before the plan is swapped': swap + 2,
    'before anything is removed': first('rmSync', swap),
  };
}

function folderOf(output: Readonly<Record<string, string>>, folder: string): string[] {
  return Object.entries(output)
    .filter(([name]) => name.startsWith(`${folder}/`))
    .map(([name, text]) => `${name.slice(folder.length)}\n${text}`);
}

test('a synthesis writes manifests, plan and table, and nothing else', () => {
  const project = new TemporaryProject();
  expect(project.synth().code).toBe(0);
  expect(Object.keys(project.output())).toEqual(OUTPUT);
});

describe('a process that is killed', () => {
  const reference = new TemporaryProject();
  reference.synth();
  const old = reference.output();
  reference.write('runs/train.yaml', LONGER);
  const { changes, killed } = synthInChild(reference, Number.POSITIVE_INFINITY);
  const expected = reference.output();
  const moments = momentsOf(changes);
  const state = { old: folderOf(old, 'dist'), new: folderOf(expected, 'dist') };

  test('is the real command, and writes aside, swaps and clears up', () => {
    expect(killed).toBe(false);
    expect(Object.keys(expected)).toEqual(OUTPUT);
    expect(Object.values(moments)).toEqual([...Object.values(moments)].sort((a, b) => a - b));
  });

  test.each([
    ['before anything', 'old'],
    ['between two manifests', 'old'],
    ['before the swap', 'old'],
    ['between the two renames', 'beside'],
    ['before the plan is swapped', 'new'],
    ['before anything is removed', 'new'],
  ] as const)('%s leaves the folder %s, and the next run clears up', (moment, left) => {
    const project = new TemporaryProject();
    project.synth();
    project.write('runs/train.yaml', LONGER);
    expect(synthInChild(project, moments[moment] ?? 0).killed).toBe(true);
    const output = project.output();
    if (left === 'beside') {
      const aside = Object.keys(output)
        .find((name) => name.startsWith('.dist-old-'))
        ?.split('/')[0];
      expect(folderOf(output, 'dist')).toEqual([]);
      expect(folderOf(output, aside ?? '')).toEqual(state.old);
    } else {
      expect(folderOf(output, 'dist')).toEqual(state[left]);
    }
    // A run that is refused puts back what lies beside.
    project.write('runs/train.yaml', 'name: other\n');
    expect(project.synth().code).toBe(1);
    expect(folderOf(project.output(), 'dist')).toEqual(left === 'new' ? state.new : state.old);
    expect(Object.keys(project.output())).toEqual(OUTPUT);
    project.write('runs/train.yaml', LONGER);
    expect(project.synth().code).toBe(0);
    expect(project.output()).toEqual(expected);
  });
});

describe('an error of the disk', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test.each([
    ['mkdirSync', 'EROFS'],
    ['writeFileSync', 'ENOSPC'],
    ['renameSync', 'EACCES'],
  ] as const)('at every call of %s leaves all as it was', (name, code) => {
    const project = new TemporaryProject();
    project.synth();
    const old = project.output();
    project.write('runs/train.yaml', LONGER);
    const original = fs[name] as (...args: unknown[]) => unknown;
    let failures = 0;
    for (let failing = 1; ; failing++) {
      let calls = 0;
      jest.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
        if (++calls === failing) {
          throw Object.assign(new Error(code), { code, syscall: 'any', path: String(args[0]) });
        }
        return original(...args);
      }) as never);
      const { code: exit, text } = project.synth();
      jest.restoreAllMocks();
      if (exit === 0) break;
      failures++;
      expect(text).toMatch(new RegExp(`${code}: the output cannot be written; the old one is unchanged\n$`));
      expect(project.output()).toEqual(old);
    }
    expect(failures).toBeGreaterThan(0);
    expect(Object.keys(project.output())).toEqual(OUTPUT);
  });
});

test('a first synthesis that fails leaves nothing', () => {
  const project = new TemporaryProject();
  const original = fs.renameSync;
  let calls = 0;
  jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (++calls === 3) throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'rename' });
    original(from, to);
  });
  expect(project.synth()).toMatchObject({ code: 1, text: expect.stringContaining('EIO') as string });
  jest.restoreAllMocks();
  expect(project.output()).toEqual({});
});

test('a removed run takes its file with it', () => {
  const project = new TemporaryProject();
  project.write('runs/other.yaml', edited(RUN_YAML, ['name: train', 'name: other']));
  project.synth();
  expect(Object.keys(project.output())).toContain('dist/other.k8s.yaml');
  fs.rmSync(project.path('runs/other.yaml'));
  project.synth();
  expect(Object.keys(project.output())).toEqual(OUTPUT);
});

test('a second synthesis changes no byte and touches no file', () => {
  const project = new TemporaryProject();
  project.synth();
  const times = (): number[] => OUTPUT.map((name) => fs.statSync(project.path(name)).mtimeMs);
  const before = { output: project.output(), times: times() };
  project.synth();
  expect({ output: project.output(), times: times() }).toEqual(before);
});

describe('field report 83: files that are not ours', () => {
  test.each([
    ['notes.txt', 'mine\n'],
    ['.keep', ''],
    ['extra.k8s.yaml', 'kind: ConfigMap\n'],
    ['folder.k8s.yaml/x', 'mine\n'],
  ])('dist/%s stops the run and stays', (name, text) => {
    const project = new TemporaryProject();
    project.synth();
    project.write(`dist/${name}`, text);
    project.write('runs/train.yaml', LONGER);
    const before = project.output();
    expect(project.synth()).toEqual({
      code: 1,
      text: `${project.path('dist')} holds files that this project did not write: ${name.split('/')[0] ?? ''}\nthe folder is replaced as a whole, so move them elsewhere first; nothing was written\n`,
    });
    expect(project.output()).toEqual(before);
  });

  test('a folder beside dist/ that only looks like a leftover stays', () => {
    const project = new TemporaryProject();
    for (const name of ['.dist-backup', '.dist-old-mine', '.dist-new-1a', '.dist-1']) {
      project.write(`${name}/train.k8s.yaml`, 'mine\n');
    }
    project.synth();
    const kept = Object.keys(project.output()).filter((name) => name.startsWith('.dist-'));
    expect(kept).toEqual([
      '.dist-1/train.k8s.yaml',
      '.dist-backup/train.k8s.yaml',
      '.dist-new-1a/train.k8s.yaml',
      '.dist-old-mine/train.k8s.yaml',
    ]);
  });

  test('what a running process wrote aside stays', () => {
    const project = new TemporaryProject();
    const name = `.dist-new-${String(process.ppid)}/train.k8s.yaml`;
    project.write(name, 'of another process\n');
    project.synth();
    expect(project.read(name)).toBe('of another process\n');
  });
});

test('dist may be a symbolic link, which stays one', () => {
  const project = new TemporaryProject();
  const store = new TemporaryProject({ 'out/00-platform.k8s.yaml': '' });
  fs.symlinkSync(store.path('out'), project.path('dist'));
  expect(project.synth().code).toBe(0);
  expect(fs.lstatSync(project.path('dist')).isSymbolicLink()).toBe(true);
  expect(fs.readdirSync(store.path('out'))).toHaveLength(3);
  // Killed in the middle of a swap: the link points to nothing for a while.
  fs.renameSync(store.path('out'), store.path('.out-old-999999999'));
  project.write('runs/train.yaml', 'name: other\n');
  expect(project.synth().code).toBe(1);
  expect(fs.readdirSync(store.directory)).toEqual(['out']);
  expect(fs.readdirSync(project.path('dist'))).toHaveLength(3);
});

test('dist that is a link to itself is refused', () => {
  const project = new TemporaryProject();
  fs.symlinkSync('dist', project.path('dist'));
  expect(project.synth()).toEqual({
    code: 1,
    text: `${project.path('dist')}: a link that leads back to itself: remove it; nothing was written\n`,
  });
});

test.each(['plan.json', 'infrastructure.tsv'])('a directory at %s is refused', (name) => {
  const project = new TemporaryProject();
  fs.mkdirSync(project.path(name));
  expect(project.synth()).toEqual({
    code: 1,
    text: `${project.path(name)}: a directory where a file is to be written: move it away; nothing was written\n`,
  });
  expect(project.output()).toEqual({});
});

test('dist that is a file is refused', () => {
  const project = new TemporaryProject();
  project.write('dist', 'mine\n');
  expect(project.synth()).toEqual({
    code: 1,
    text: `${project.path('dist')}: ENOTDIR: the output cannot be written; the old one is unchanged\n`,
  });
  expect(project.output()).toEqual({ dist: 'mine\n' });
});
