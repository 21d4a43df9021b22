import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { COMPILER, compilerTopology } from '../../lib/training/compiler';
import { describeFit, fitPath, formatFit, parseFit } from '../../lib/training/fit';
import type { Fit } from '../../lib/training/fit';
import { isProblems, resolveSlice } from '../../lib/tpu';

const FIT: Fit = {
  key: 'abc',
  compiler: COMPILER,
  verdicts: [
    { slices: 1, fits: true, argumentBytes: 6e9, temporaryBytes: 7e9, totalBytes: 13e9, usableBytes: 33.5e9 },
    { slices: 2, fits: true, argumentBytes: 6e9, temporaryBytes: 8e9, totalBytes: 14e9, usableBytes: 33.5e9 },
  ],
};

test('a verdict is shown by its tightest size, its refusal, or as stale', () => {
  const [one] = FIT.verdicts;
  if (one === undefined) throw new Error('no verdict');
  expect(describeFit(FIT, 'abc')).toBe('compiled: 13.0 of 31.2 GiB at 2 slices');
  expect(describeFit({ ...FIT, verdicts: [one] }, 'abc')).toBe('compiled: 12.1 of 31.2 GiB');
  expect(describeFit({ ...FIT, verdicts: [{ ...one, fits: false, totalBytes: 46.8e9 }, one] }, 'abc')).toBe(
    'compiled: does not fit, 43.6 of 31.2 GiB at 1 slice',
  );
  expect(describeFit(FIT, 'abd')).toBe('compiled before its last change: run the compile check again');
});

test('a verdict survives its file, and nothing else is one', () => {
  expect(parseFit(formatFit(FIT))).toEqual(FIT);
  expect(fitPath('llama3-8b')).toBe('runs/llama3-8b.fit.json');
  expect(['', 'null', '[]', '{"key":"a","compiler":{},"verdicts":[]}'].map(parseFit)).toEqual(
    Array(4).fill(undefined),
  );
  fc.assert(fc.property(fc.json(), (text) => parseFit(text) === undefined));
});

test('the versions said are the versions installed', () => {
  const pins = readFileSync(join(__dirname, '../../compile_check/requirements.txt'), 'utf8').split('\n');
  const expected = [`maxtext==${COMPILER.maxtext}`, `jax==${COMPILER.jax}`, `libtpu==${COMPILER.libtpu}`];
  expect(expected.filter((pin) => !pins.includes(pin))).toEqual([]);
});

test.each([
  [
    'v6e',
    '4x4',
    {
      name: 'v6e:4x4',
      chipConfig: 'default',
      hostBounds: [2, 2, 1],
      wrap: [false, false, false],
      devices: 16,
    },
  ],
  [
    'v6e',
    '8x16',
    {
      name: 'v6e:8x16',
      chipConfig: 'default',
      hostBounds: [2, 2, 1],
      wrap: [false, true, false],
      devices: 128,
    },
  ],
  [
    'v5e',
    '1x1',
    {
      name: 'v5e:1x1',
      chipConfig: 'default',
      hostBounds: [1, 1, 1],
      wrap: [false, false, false],
      devices: 1,
    },
  ],
  [
    'v5p',
    '2x4x4',
    {
      name: 'v5:2x4x4',
      chipConfig: 'megacore',
      hostBounds: [2, 2, 1],
      wrap: [false, false, false],
      devices: 32,
    },
  ],
  [
    'v4',
    '4x4x8',
    {
      name: 'v4:4x4x8',
      chipConfig: 'megacore',
      hostBounds: [2, 2, 1],
      wrap: [true, true, true],
      devices: 128,
    },
  ],
  [
    'tpu7x',
    '2x2x2',
    {
      name: 'tpu7x:2x2x2',
      chipConfig: 'default',
      hostBounds: [2, 2, 1],
      wrap: [false, false, false],
      devices: 16,
    },
  ],
])('%s %s for the compiler', (generation, topology, expected) => {
  const slice = resolveSlice({ generation, topology });
  if (isProblems(slice)) throw new Error(JSON.stringify(slice));
  expect(compilerTopology(slice)).toEqual(expected);
});
