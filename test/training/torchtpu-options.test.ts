import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIVES_OPTIONS } from '../../lib/training/torchtpu/collectives';
import { FINETUNE_OPTIONS } from '../../lib/training/torchtpu/finetune';
import { checkTorchTpuArguments } from '../../lib/training/torchtpu/options';

const TRAINERS = join(__dirname, '../../trainers/tpu_trainers');

/** Names of the options that a parser's source declares. */
function declared(file: string): string[] {
  const text = readFileSync(join(TRAINERS, file), 'utf8');
  return [...text.matchAll(/add_argument\(\s*"--([a-z-]+)"/g)].map(([, name]) => name!);
}

test.each([
  ['collectives', COLLECTIVES_OPTIONS],
  ['finetune', FINETUNE_OPTIONS],
] as const)('the options of torchtpu-%s are those of its parser', (kind, { free, owned }) => {
  const known = [...Object.keys(free), ...Object.keys(owned)].sort();
  const parser = [...declared('torchtpu_arguments.py'), ...declared(`torchtpu_${kind}_arguments.py`)].sort();
  expect(parser.length).toBeGreaterThan(10);
  expect(known).toEqual(parser);
});

test('the largest seed is that of the trainers', () => {
  expect(readFileSync(join(TRAINERS, 'torchtpu_arguments.py'), 'utf8')).toContain('MOST_SEED = 2**31 - 1');
  expect(FINETUNE_OPTIONS.free['seed']).toMatchObject({ maximum: 2 ** 31 - 1 });
});

test('what an option takes is accepted', () => {
  const given = [
    '--seed=0',
    '--template=Q: {question}\\nA: {answer}',
    '--weight-decay=0',
    '--weight-dtype=float32',
    '--step-timeout=1.5e3',
    '--keep-checkpoints=1',
  ];
  expect(checkTorchTpuArguments('torchtpu-finetune', FINETUNE_OPTIONS, given)).toEqual([]);
});

test.each([
  ['--seed=1.5', '--seed is a whole number from 0 to 2147483647'],
  ['--seed=2147483648', '--seed is a whole number from 0 to 2147483647'],
  ['--keep-checkpoints=0', '--keep-checkpoints is a whole number from 1'],
  ['--weight-decay=-0.1', '--weight-decay is a number from 0'],
  ['--step-timeout=0', '--step-timeout is a number above 0'],
  ['--step-timeout=inf', '--step-timeout is a number above 0'],
  ['--weight-dtype=int8', '--weight-dtype is bfloat16 or float32'],
  ['--split=', '--split is some text'],
  ['--storage-path=/elsewhere', '--storage-path follows from storagePath'],
])('%s is refused', (option, rule) => {
  expect(checkTorchTpuArguments('torchtpu-finetune', FINETUNE_OPTIONS, [option])).toEqual([
    expect.objectContaining({ path: ['arguments', 0], value: option, rule }),
  ]);
});

test('a misspelt option is named', () => {
  expect(checkTorchTpuArguments('torchtpu-finetune', FINETUNE_OPTIONS, ['--sead=1'])[0]!.fix).toBe(
    'did you mean --seed?',
  );
});
