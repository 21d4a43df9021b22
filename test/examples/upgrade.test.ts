import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  currentRuns,
  generateReleaseBaseline,
  readBaseline,
  BASELINE_FILE,
} from '../../scripts/generate-release-baseline';
import { unsaid, upgradeOf } from './upgrade';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('which runs train again after an upgrade from the previous release stands in the changelog', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const upgrade = upgradeOf(readBaseline(ROOT).runs, currentRuns(ROOT));
  expect(unsaid(read('CHANGELOG.md'), version, upgrade)).toEqual([]);
});

test('the baseline covers every run of the release, and follows while that is not out', () => {
  expect(read(BASELINE_FILE)).toBe(generateReleaseBaseline(ROOT));
  expect(Object.keys(readBaseline(ROOT).runs).length).toBeGreaterThan(20);
});

describe('an upgrade', () => {
  const before = {
    './a': { job: 'a-1-1', submission: 'a-1', rayCluster: '1' },
    'examples/b/b': { job: 'b-1-1', submission: 'b-1', rayCluster: '1' },
    'examples/e/e': { job: 'e-1-1', submission: 'e-1', rayCluster: '1' },
    'examples/gone/c': { job: 'c-1-1', submission: 'c-1', rayCluster: '1' },
  };
  const after = {
    './a': { job: 'a-2-1', submission: 'a-2', rayCluster: '1' },
    'examples/b/b': { job: 'b-1-1', submission: 'b-1', rayCluster: '2' },
    'examples/e/e': { job: 'e-1-2', submission: 'e-1', rayCluster: '1' },
    'examples/new/d': { job: 'd-1-1', submission: 'd-1', rayCluster: '1' },
  };
  const upgrade = upgradeOf(before, after);

  test('is the difference over runs that both releases have', () => {
    expect(upgrade).toEqual({ reruns: ['./a'], jobs: ['examples/e/e'], rayClusters: ['examples/b/b'] });
  });

  test.each([
    ['says nothing', '# Changelog\n\n## 0.2.0\n\n- new things\n', 3],
    [
      'says it of another version',
      '## 0.2.0\n\n- new\n\n## 0.1.0\n\n- Runs again: every run\n- RayClusters change: every run\n',
      3,
    ],
    [
      'names another run',
      '## 0.2.0\n\n- Runs again: ./ab\n- New Jobs: every run\n- RayClusters change: every run\n',
      1,
    ],
    [
      'names them, over two lines',
      '## 0.2.0\n\n- Runs again: examples/x/y,\n  ./a\n- New Jobs: examples/e/e\n- RayClusters change: examples/b/b\n\n## 0.1.0\n',
      0,
    ],
    [
      'names all',
      '## 0.2.0\n\n- Runs again: every run\n- New Jobs: every run\n- RayClusters change: every run of a kind\n',
      0,
    ],
  ])('a changelog that %s', (_what, changelog, faults) => {
    expect(unsaid(changelog, '0.2.0', upgrade)).toHaveLength(faults);
  });
});
