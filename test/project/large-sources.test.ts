import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../lib/project/synthesize';
import { TrainerSourceFiles } from '../../lib/run';
import { PLATFORM_YAML, RUN_YAML } from '../support/config-project';

let bytes = 0;

jest.mock('../../lib/project/trainer-sources-loader', () => ({
  availableTrainerKinds: () => ['maxtext'],
  loadTrainerSources: () =>
    new TrainerSourceFiles('maxtext', { 'tpu_trainers/maxtext.py': '#'.repeat(bytes) }),
}));

function warningsWith(size: number): string[] {
  bytes = size;
  const directory = mkdtempSync(join(tmpdir(), 'large-'));
  try {
    writeFileSync(join(directory, 'platform.yaml'), PLATFORM_YAML);
    mkdirSync(join(directory, 'runs'));
    writeFileSync(join(directory, 'runs/train.yaml'), RUN_YAML);
    const { synthesis, problems } = synthesize(directory, {});
    expect(problems).toEqual([]);
    return (synthesis?.warnings ?? []).map(({ file, message }) => `${file}: ${message}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('B16: sources that kubectl apply would refuse are a warning that says how to apply them', () => {
  expect(warningsWith(200 * 1024)).toEqual([]);
  expect(warningsWith(300 * 1024)).toEqual([
    '01-trainer-maxtext.k8s.yaml: 301 KiB are more than the 256 KiB that kubectl apply keeps of an object: use kubectl apply --server-side (Argo CD: ServerSideApply=true), or put the sources into the image',
  ]);
});
