import { pathText } from '../../lib/problems';
import { PLATFORM_YAML, RUN_YAML, edited, readProject } from '../support/config-project';

/** Warnings about the output folder: where they are, and what they say. */
function warningsOf(runs: Readonly<Record<string, string>>): string[] {
  const { problems, warnings } = readProject(PLATFORM_YAML, runs);
  expect(problems).toEqual([]);
  return warnings
    .filter(({ message }) => message.includes('both write to'))
    .map(({ file, line, path, message }) => `${file}:${String(line)} ${pathText(path)}: ${message}`);
}

const shared = (name: string, ...changes: readonly (readonly [string, string])[]): string =>
  edited(
    RUN_YAML,
    ['name: train', `name: ${name}`],
    ['baseOutputDirectory: /data', 'baseOutputDirectory: /data/out\n  runName: same'],
    ...changes,
  );

test('A2: two runs that write to one place are a warning that names both', () => {
  expect(warningsOf({ one: shared('one'), two: shared('two') })).toEqual([
    'runs/two.yaml:10 trainer.baseOutputDirectory: the runs one and two both write to gs://my-bucket/out/same: the ' +
      'second one goes on from the checkpoints of the first, or finds nothing to train; give one of them another runName',
  ]);
});

test('A2: a mount and the address of its bucket are one place', () => {
  const address = shared('two', ['/data/out', 'gs://my-bucket/out/']);
  expect(warningsOf({ one: shared('one'), two: address })).toHaveLength(1);
});

test('A2: runs of other names, and one path on two buckets, are not one place', () => {
  const otherBucket = shared('two', ['mountPath: /data', 'mountPath: /data\n    bucket: other-bucket']);
  const folder = shared('two', ['mountPath: /data', 'mountPath: /data\n    onlyDir: team']);
  const own = (name: string): string => edited(RUN_YAML, ['name: train', `name: ${name}`]);
  expect(warningsOf({ one: shared('one'), two: otherBucket })).toEqual([]);
  expect(warningsOf({ one: shared('one'), two: folder })).toEqual([]);
  expect(warningsOf({ one: own('one'), two: own('two') })).toEqual([]);
});
