import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { runSync } from '../support/run-command';
import { TemporaryProject } from '../support/temporary-project';

const ROOT = join(__dirname, '..', '..');
const BIN = join(ROOT, 'bin/cdk8s-tpu-ray.cjs');

function run(args: readonly string[], directory = '/'): { code: number; text: string } {
  let text = '';
  const code = runSync(args, {
    environment: {},
    workingDirectory: directory,
    print: (part) => (text += part),
    output: (part) => (text += part),
  });
  return { code, text };
}

function streams(args: readonly string[], directory = '/'): { code: number; out: string; words: string } {
  let [out, words] = ['', ''];
  const code = runSync(args, {
    environment: {},
    workingDirectory: directory,
    print: (part) => (words += part),
    output: (part) => (out += part),
  });
  return { code, out, words };
}

describe('wrong usage', () => {
  test.each([
    [['lint'], "error: unknown command 'lint'\n"],
    [['synht'], "error: unknown command 'synht'\n(Did you mean synth?)\n"],
    [['synth', 'a', 'b'], "error: too many arguments for 'synth'. Expected 1 argument but got 2"],
    [['--unknown'], "error: unknown option '--unknown'\n"],
    [['plan', '--jsno'], "error: unknown option '--jsno'\n(Did you mean --json?)\n"],
    [
      ['plan', '--fail-on', 'fire'],
      "error: option '--fail-on <CONDITION,...>' argument 'fire' is invalid. Conditions are recreated, removed",
    ],
    [['completion', 'tcsh'], "error: command-argument value 'tcsh' is invalid for argument 'SHELL'"],
  ])('%j ends with 2, and says where help is', (args, start) => {
    const { code, out, words } = streams(args);
    expect([code, out]).toEqual([2, '']);
    expect(words.startsWith(start)).toBe(true);
    expect(words).toMatch(/\nSee cdk8s-tpu-ray .*--help\.\n/);
  });
});

describe('E10', () => {
  test.each([[['--help']], [['synth', '--help']], [['plan', '-h']], [['up', '--help']]])(
    '%j is on standard output, in 80 columns',
    (args) => {
      const { code, out, words } = streams(args);
      expect([code, words]).toEqual([0, '']);
      expect(out).toMatch(/^Usage: cdk8s-tpu-ray /);
      const wide = out.split('\n').filter((line) => line.length > 80);
      expect(wide).toEqual([]);
    },
  );

  test('--version is that of package.json', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(streams(['--version'])).toEqual({ code: 0, out: `${version}\n`, words: '' });
  });

  test.each(['synth', 'plan', 'doctor'])(
    '%s --json has the problems with file, line and column',
    (command) => {
      const project = new TemporaryProject({
        'platform.yaml': PLATFORM_YAML,
        'runs/train.yaml': edited(RUN_YAML, ['topology: 4x4', 'topology: 2x3']),
      });
      const { code, out } = streams([command, project.directory, '--json']);
      expect(code).toBe(1);
      const { problems } = JSON.parse(out) as { problems: unknown };
      expect(problems).toMatchObject([
        { file: 'runs/train.yaml', line: 4, column: 13, value: '2x3', rule: expect.any(String) as string },
      ]);
    },
  );
});

describe('E4: synth --check', () => {
  test('ends with 0 where all is as synth leaves it, and writes nothing', () => {
    const project = new TemporaryProject();
    project.synth();
    const before = project.output();
    expect(streams(['synth', '--check', project.directory])).toEqual({
      code: 0,
      out: '',
      words: 'the output is up to date\n',
    });
    expect(project.output()).toEqual(before);
  });

  test('names what differs, is missing or was added, and writes nothing', () => {
    const project = new TemporaryProject();
    project.synth();
    project.write('dist/old-run.k8s.yaml', '');
    project.write('plan.json', '{}');
    rmSync(project.path('dist/train.k8s.yaml'));
    const before = project.output();
    const { code, out, words } = streams(['synth', '--check', '--json', project.directory]);
    expect(code).toBe(1);
    expect((JSON.parse(out) as { differences: unknown }).differences).toEqual([
      { file: 'dist/old-run.k8s.yaml', state: 'untracked' },
      { file: 'dist/train.k8s.yaml', state: 'missing' },
      { file: 'plan.json', state: 'differs' },
    ]);
    expect(words).toMatch(/^untracked {2}dist\/old-run.k8s.yaml\nmissing {4}dist\/train.k8s.yaml\ndiffers /);
    expect(project.output()).toEqual(before);
  });

  test('of a project that was never synthesized, all is missing', () => {
    const project = new TemporaryProject();
    const { code, words } = streams(['synth', '--check', project.directory]);
    expect(code).toBe(1);
    expect(words.match(/^missing {4}/gm)).toHaveLength(5);
    expect(project.output()).toEqual({});
  });
});

describe('completion', () => {
  const bash = (line: string): string[] => {
    const words = line.split(' ');
    const script = `${streams(['completion', 'bash']).out}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length - 1)}
_cdk8s_tpu_ray; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' })
      .split('\n')
      .filter((word) => word !== '');
  };

  test.each([
    ['cdk8s-tpu-ray co', ['compile-check', 'completion']],
    ['cdk8s-tpu-ray plan --ma', ['--markdown']],
    ['cdk8s-tpu-ray plan --fail-on pe', ['pending']],
    ['cdk8s-tpu-ray completion z', ['zsh']],
    ['cdk8s-tpu-ray synth ru', []],
  ])('bash completes %s', (line, words) => {
    expect(bash(line)).toEqual(words);
  });

  test.each(['zsh', 'fish'] as const)('%s knows every command and option', (shell) => {
    const { code, out } = streams(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['synth', 'compile-check', 'fail-on', 'recreated', 'most-hosts'])
      expect(out).toContain(word);
    const installed = spawnSync(shell, ['--version']).status === 0;
    const path = new TemporaryProject({ script: out }).path('script');
    // Where the shell is on this machine, it must be able to read it.
    expect(installed ? spawnSync(shell, ['-n', path], { encoding: 'utf8' }).stderr : '').toBe('');
  });
});

test('up, down, status and rehearse run the programs of the package', () => {
  for (const command of ['up', 'down', 'status']) {
    const { status, stderr } = spawnSync(process.execPath, [BIN, command, '/no/such/project'], {
      encoding: 'utf8',
    });
    expect([command, status]).toEqual([command, 2]);
    expect(stderr).toContain('infrastructure.tsv');
  }
});

describe('a directory that is no project', () => {
  test('fails for one that is missing', () => {
    expect(run(['synth', '/no/such/directory'])).toEqual({
      code: 1,
      text: [
        '/no/such/directory  [PROJECT_DIRECTORY]',
        "    got   'no directory'",
        '    rule  a project is a directory with platform.yaml and runs/',
        '    fix   give the directory of a project',
        '    see   docs/errors.md#project_directory',
        '1 problem; nothing was written',
        '',
      ].join('\n'),
    });
  });

  test.each(['platform.yaml', 'runs/train.yaml'])('fails for %s, and names its directory', (file) => {
    const project = new TemporaryProject();
    expect(run(['synth', project.path(file)]).text).toContain(
      `    fix   give the directory of the project: ${project.directory}\n`,
    );
  });

  test('fails for an empty one', () => {
    const project = new TemporaryProject({});
    expect(project.synth()).toEqual({
      code: 1,
      text: [
        'platform.yaml  [FILE_UNREADABLE]',
        '    got   (missing)',
        '    rule  the file can be read',
        '    fix   create platform.yaml',
        '    see   docs/errors.md#file_unreadable',
        'runs  [RUNS_FOLDER]',
        '    got   (missing)',
        '    rule  run files lie in this folder',
        '    fix   create runs/ and write a run into it',
        '    see   docs/errors.md#runs_folder',
        '2 problems; nothing was written',
        '',
      ].join('\n'),
    });
  });

  test('fails for one without runs', () => {
    const project = new TemporaryProject({ 'platform.yaml': PLATFORM_YAML, 'runs/notes.txt': '' });
    expect(project.synth().text).toContain('rule  a project has at least one run');
  });
});

describe('files that cannot be read', () => {
  test('fail together with the mistakes of those that can', () => {
    const project = new TemporaryProject({
      'runs/train.yaml': edited(RUN_YAML, ['topology: 4x4', 'topology: 2x3']),
    });
    mkdirSync(project.path('platform.yaml'));
    mkdirSync(project.path('runs/folder.yaml'));
    project.write('runs/latin.yaml', Uint8Array.of(0x6e, 0xe4, 0x0a));
    const { code, text } = project.synth();
    expect(code).toBe(1);
    expect(text.split('\n').filter((line) => !line.startsWith('    '))).toEqual([
      'platform.yaml  [FILE_UNREADABLE]',
      'runs/folder.yaml  [FILE_UNREADABLE]',
      'runs/latin.yaml  [FILE_UNREADABLE]',
      'runs/train.yaml:4:13  tpu.topology  [TPU_TOPOLOGY]',
      '4 problems; nothing was written',
      '',
    ]);
    expect(text).toContain('got   (a directory)');
    expect(text).toContain('got   (no UTF-8 text)');
    expect(text).toContain('fix   save it as UTF-8');
    expect(project.output()).toEqual({});
  });

  test('fail when their ending is in capitals', () => {
    const project = new TemporaryProject({ 'platform.yaml': PLATFORM_YAML, 'runs/train.YAML': RUN_YAML });
    const { code, text } = project.synth();
    expect(code).toBe(1);
    expect(text).toBe(
      [
        'runs/train.YAML  [RUN_FILE_NAME]',
        "    got   'train.YAML'",
        "    rule  a run file's name ends in .yaml or .yml, in lower case",
        '    fix   rename it to runs/train.yaml',
        '    see   docs/errors.md#run_file_name',
        '1 problem; nothing was written',
        '',
      ].join('\n'),
    );
  });

  test('fail when they are pipes or links to nothing; hidden ones are not looked at', () => {
    const project = new TemporaryProject();
    symlinkSync('user@host.1234', project.path('runs/.#train.yaml'));
    expect(project.synth().code).toBe(0);
    symlinkSync('nothing.yaml', project.path('runs/link.yaml'));
    symlinkSync('round.yaml', project.path('runs/round.yaml'));
    execFileSync('mkfifo', [project.path('runs/pipe.yaml')]);
    const { code, text } = project.synth();
    expect(code).toBe(1);
    expect(text.split('\n').filter((line) => !/^ {4}(rule|see) /.test(line))).toEqual([
      'runs/link.yaml  [FILE_LINK]',
      '    got   (a link to nothing)',
      '    fix   remove it, or write what it points to',
      'runs/pipe.yaml  [FILE_UNREADABLE]',
      '    got   (a pipe, socket or device)',
      '    fix   make runs/pipe.yaml a readable file',
      'runs/round.yaml  [FILE_UNREADABLE]',
      '    got   (a link that leads back to itself)',
      '    fix   make runs/round.yaml a readable file',
      '3 problems; nothing was written',
      '',
    ]);
  });

  test('a byte order mark and CRLF change nothing', () => {
    const plain = new TemporaryProject();
    plain.synth();
    const windows = new TemporaryProject({
      'platform.yaml': `\uFEFF${PLATFORM_YAML.replaceAll('\n', '\r\n')}`,
      'runs/train.yaml': `\uFEFF${RUN_YAML.replaceAll('\n', '\r\n')}`,
    });
    expect(windows.synth().code).toBe(0);
    expect(windows.output()).toEqual(plain.output());
  });
});

test('bad input writes nothing and leaves what there is', () => {
  const project = new TemporaryProject();
  project.synth();
  const before = project.output();
  project.write('runs/train.yaml', edited(RUN_YAML, ['fsdp: 16', 'fsdp: 12']));
  expect(project.synth()).toMatchObject({ code: 1 });
  expect(project.output()).toEqual(before);
});

test('the order in which files were made, and their ending, change no byte', () => {
  const other = edited(RUN_YAML, ['name: train', 'name: other']);
  const first = new TemporaryProject({
    'platform.yaml': PLATFORM_YAML,
    'runs/train.yaml': RUN_YAML,
    'runs/other.yaml': other,
  });
  const second = new TemporaryProject({
    'runs/other.yml': other,
    'runs/train.yml': RUN_YAML,
    'platform.yaml': PLATFORM_YAML,
  });
  expect([first.synth().code, second.synth().code]).toEqual([0, 0]);
  expect(second.output()).toEqual(first.output());
});

test('field report 83: files come in the order in which kubectl must read them', () => {
  const project = new TemporaryProject();
  project.write('platform.yaml', `${PLATFORM_YAML}namespace: training\nownNamespace: true\n`);
  project.synth();
  const kinds = Object.entries(project.output())
    .filter(([name]) => name.startsWith('dist/'))
    .flatMap(([, text]) => [...text.matchAll(/^kind: (\w+)$/gm)].map((match) => match[1]));
  expect(kinds).toEqual(['Namespace', 'ServiceAccount', 'ConfigMap', 'RayCluster', 'ConfigMap', 'Job']);
});

test('a directory is taken from where the user stands', () => {
  const project = new TemporaryProject();
  expect(run([], project.directory).code).toBe(0);
  expect(run(['synth', '.'], project.directory).code).toBe(0);
  expect(Object.keys(project.output())).toContain('plan.json');
});

describe('the command itself', () => {
  test('prints the summary to standard error and nothing to standard output, also in production', () => {
    const project = new TemporaryProject();
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'synth', project.directory], {
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production' },
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain('train\n  tpu          v6e 4x4: 16 chips, 4 hosts of ct6e-standard-4t');
    expect(stderr).toContain(`wrote 3 files to ${project.path('dist')}`);
    const here = new TemporaryProject();
    here.synth();
    expect(project.output()).toEqual(here.output());
  });

  test('ends with 1 and no stack trace on bad input', () => {
    const project = new TemporaryProject({ 'platform.yaml': PLATFORM_YAML, 'runs/train.yaml': 'name: [' });
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'synth', project.directory], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('nothing was written');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('npx cdk8s synth gives the same bytes', () => {
    const own = new TemporaryProject();
    own.synth();
    const cli = new TemporaryProject();
    cli.write('cdk8s.yaml', `language: typescript\napp: ${process.execPath} ${BIN}\n`);
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/cdk8s-cli/bin/cdk8s'), 'synth', '--no-check-upgrade'],
      { cwd: cli.directory, encoding: 'utf8' },
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const { 'cdk8s.yaml': _, ...written } = cli.output();
    expect(written).toEqual(own.output());
  });
});
