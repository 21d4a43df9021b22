import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrainerSourceFiles } from '../../lib/run';

const FILES = { 'tpu_trainers/__init__.py': '', 'tpu_trainers/maxtext.py': 'print("train")\n' };

test('A5: the name of the ConfigMap is that of the trainer kind, whatever its sources', () => {
  const names = [FILES, { ...FILES, 'tpu_trainers/maxtext.py': '# changed\n' }].map(
    (files) => new TrainerSourceFiles('maxtext', files).configMapName,
  );
  expect(names).toEqual(['trainer-maxtext', 'trainer-maxtext']);
});

test('the digest is what the submitter computes of the same files', () => {
  // The same files and digest in trainers/tests/test_submit_sources.py.
  expect(new TrainerSourceFiles('maxtext', FILES).digest).toBe('7567f368abbf629f');
  expect(new TrainerSourceFiles('maxtext', { ...FILES, 'tpu_trainers/a.py': '' }).digest).not.toBe(
    '7567f368abbf629f',
  );
});

test('A5: the version that the submitter says is that of the package', () => {
  const root = join(__dirname, '..', '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const source = readFileSync(join(root, 'trainers/tpu_trainers/__init__.py'), 'utf8');
  expect(/^__version__ = "(.*)"$/m.exec(source)?.[1]).toBe(version);
});
