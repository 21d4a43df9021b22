import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FREE_OPTIONS, OWNED_OPTIONS, checkTorchTpuArguments } from '../../lib/training/torchtpu-options';

const TRAINERS = join(__dirname, '../../trainers/tpu_trainers');

/** Names of the options that a parser's source declares. */
function declared(file: string): string[] {
  const text = readFileSync(join(TRAINERS, file), 'utf8');
  return [...text.matchAll(/add_argument\(\s*"--([a-z-]+)"/g)].map(([, name]) => name!);
}

test.each(['collectives', 'finetune'] as const)(
  'the options of torchtpu-%s are those of its parser',
  (kind) => {
    const name = `torchtpu-${kind}` as const;
    const known = [...Object.keys(FREE_OPTIONS[name]), ...Object.keys(OWNED_OPTIONS[name])].sort();
    const parser = [
      ...declared('torchtpu_arguments.py'),
      ...declared(`torchtpu_${kind}_arguments.py`),
    ].sort();
    expect(parser.length).toBeGreaterThan(10);
    expect(known).toEqual(parser);
  },
);

test('the largest seed is that of the trainers', () => {
  expect(readFileSync(join(TRAINERS, 'torchtpu_arguments.py'), 'utf8')).toContain('MOST_SEED = 2**31 - 1');
  expect(FREE_OPTIONS['torchtpu-finetune']['seed']).toMatchObject({ maximum: 2 ** 31 - 1 });
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
  expect(checkTorchTpuArguments('torchtpu-finetune', given)).toEqual([]);
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
  expect(checkTorchTpuArguments('torchtpu-finetune', [option])).toEqual([
    expect.objectContaining({ path: 'arguments[0]', value: option, rule }),
  ]);
});

test('a misspelt option is named', () => {
  expect(checkTorchTpuArguments('torchtpu-finetune', ['--sead=1'])[0]!.fix).toBe('did you mean --seed?');
});
