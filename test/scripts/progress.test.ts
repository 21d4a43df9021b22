import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Progress } from '../../lib/compile-check/progress';
import type { ProgressEnvironment } from '../../lib/compile-check/progress';

const PHASES = ['loading', 'compiling'];

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

function shown(isTTY: boolean, environment: ProgressEnvironment, seconds = 0): string {
  let text = '';
  const progress = new Progress(
    'run',
    PHASES,
    { isTTY, write: (part: unknown) => ((text += String(part)), true) },
    environment,
  );
  progress.enter('loading');
  jest.advanceTimersByTime(seconds * 1000);
  progress.end();
  progress.end();
  return text;
}

test('a terminal has a bar that is drawn anew each second and cleared in the end', () => {
  expect(shown(true, { TERM: 'xterm', NO_COLOR: '1' }, 2)).toBe(
    [0, 1, 2].map((second) => `\r\x1b[K[######............] run: loading, ${String(second)} s`).join('') +
      '\r\x1b[K',
  );
});

test('the bar has a colour unless NO_COLOR says no', () => {
  expect(shown(true, { TERM: 'xterm' })).toContain('\x1b[36m######\x1b[0m');
  expect(shown(true, { TERM: 'xterm', NO_COLOR: '' })).toContain('\x1b[36m');
  expect(shown(true, { TERM: 'xterm', NO_COLOR: '1' })).not.toContain('\x1b[36m');
});

test.each([
  ['a file', false, { TERM: 'xterm' }],
  ['a dumb terminal', true, { TERM: 'dumb' }],
])('%s has plain lines, one at the start and one each half minute', (_what, isTTY, environment) => {
  expect(shown(isTTY, environment, 65)).toBe('run: loading, 0 s\nrun: loading, 30 s\nrun: loading, 60 s\n');
});

describe('progress.sh', () => {
  /** What a piece of bash writes to standard error, which is no terminal here. */
  const bash = (commands: string): string =>
    execFileSync('bash', ['-c', `. scripts/gcloud/lib/progress.sh; { ${commands}; } 2>&1`], {
      cwd: join(__dirname, '../..'),
      encoding: 'utf8',
    });

  test('elsewhere has a line a minute, and none for the first look', () => {
    expect(bash('progress 1 4 5 pools')).toBe('');
    expect(bash('progress 1 4 5 pools; progress 2 4 9 pools')).toBe('');
    expect(bash('progress 1 4 5 pools; PROGRESS_LAST=0; SECONDS=61; progress 2 4 61 "node pools"')).toBe(
      '  2 of 4 node pools, 61 s\n',
    );
  });

  test('a terminal has a bar, cleared in the end', () => {
    expect(bash('on_terminal() { true; }; progress 1 4 5 pools; progress_end')).toBe(
      '\r\x1b[K  [######..................] 1 of 4 pools, 5 s\r\x1b[K',
    );
    expect(bash('on_terminal() { true; }; progress 0 0 5 pools')).toContain(
      '[........................] 0 of 0',
    );
  });
});
