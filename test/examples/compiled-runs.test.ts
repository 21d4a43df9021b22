import { mkdtempSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../lib/project/synthesize';
import { COMPILER, usableHbmBytes } from '../../lib/training';
import { CASES_FOLDER, compiledRuns } from '../../scripts/generate-compile-figures';
import { estimatedState } from '../../lib/compile-check';

const ROOT = join(__dirname, '..', '..');
const all = compiledRuns(ROOT);
/** Those with a verdict; the first test names the others. */
const judged = all.flatMap(({ project, run, fit }) => (fit === undefined ? [] : [{ project, run, fit }]));

test('every MaxText run has a verdict on what it is now, from the pinned compiler, at each of its sizes', () => {
  const missing = all
    .filter(({ fit }) => fit === undefined)
    .map(({ project, run }) => `npm run compile-check -- ${project} ${run.name}`);
  expect(missing).toEqual([]);
  for (const { run, fit } of judged) {
    expect(fit.compiler).toEqual(COMPILER);
    const sizes = Array.from(
      { length: run.slices.max - run.slices.min + 1 },
      (_, index) => run.slices.min + index,
    );
    expect([run.name, fit.verdicts.map(({ slices }) => slices)]).toEqual([run.name, sizes]);
  }
});

test('the compiler accepts every example', () => {
  const examples = judged.filter(({ project }) => project !== CASES_FOLDER);
  expect(examples.length).toBeGreaterThan(20);
  const refused = examples.filter(({ fit }) => fit.verdicts.some(({ fits }) => !fits));
  expect(refused.map(({ project, run }) => `${project} ${run.name}`)).toEqual([]);
});

test('a verdict is whether the total is within what a program may use', () => {
  for (const { run, fit } of judged) {
    for (const { totalBytes, usableBytes, fits } of fit.verdicts) {
      expect([run.name, totalBytes <= usableBytes]).toEqual([run.name, fits]);
      // The compiler rounds its own limit in a refusal.
      expect(Math.abs(usableBytes / usableHbmBytes(run.slice) - 1)).toBeLessThan(0.001);
    }
  }
});

describe('the static estimate', () => {
  const compared = [...new Map(judged.map((each) => [each.fit.key, each])).values()].flatMap(({ run, fit }) =>
    fit.verdicts.flatMap(({ slices, argumentBytes }) =>
      argumentBytes === undefined ? [] : [{ run, slices, argumentBytes }],
    ),
  );

  test('is compared on every generation, one slice and several, models of 0.6B to 70B', () => {
    expect(compared.length).toBeGreaterThanOrEqual(8);
    expect(new Set(compared.map(({ run }) => run.slice.generation))).toEqual(
      new Set(['v5e', 'v5p', 'v6e', 'tpu7x']),
    );
    expect(new Set(compared.map(({ slices }) => slices))).toEqual(new Set([1, 2, 4]));
    const models = compared.map(({ run }) =>
      run.maxtextArguments.find((text) => text.startsWith('model_name=')),
    );
    expect(models).toEqual(expect.arrayContaining(['model_name=qwen3-0.6b', 'model_name=llama3-70b']));
  });

  test('is within 2 percent of what the compiler counts', () => {
    const beyond = compared
      .map(({ run, slices, argumentBytes }) => ({
        run: `${run.name} on ${String(slices)}`,
        ratio: (estimatedState(run, run.maxtextArguments, slices) ?? 0) / argumentBytes,
      }))
      .filter(({ ratio }) => Math.abs(ratio - 1) > 0.02);
    expect(beyond).toEqual([]);
  });
});

describe('Llama 3 70B on two slices in default precision', () => {
  const precision = /^(weight|mu)_dtype=/;
  const refused = all.find(({ run }) => run.name === 'llama3-70b-default-precision')!;

  test('is refused by the compiler, and is the example but for its precision', () => {
    const example = all.find(({ project }) => project === 'examples/multislice-70b')!;
    const compiled = example.run.maxtextArguments.filter((text) => !precision.test(text));
    expect(compiled).toEqual(expect.arrayContaining([...refused.run.maxtextArguments]));
    expect([refused.run.slice.topology, refused.run.slices]).toEqual([
      example.run.slice.topology,
      example.run.slices,
    ]);
    expect(refused.fit!.verdicts.map(({ fits }) => fits)).toEqual([false]);
  });

  test('is refused by synth, too, by its state and gradients alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'default-precision-'));
    try {
      cpSync(join(ROOT, 'examples/multislice-70b/platform.yaml'), join(folder, 'platform.yaml'));
      cpSync(join(ROOT, 'examples/multislice-70b/runs'), join(folder, 'runs'), { recursive: true });
      const path = join(folder, 'runs/llama3-70b.yaml');
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^ +(weightDtype|muDtype): .*\n/gm, ''));
      const { problems } = synthesize(folder, {});
      expect(problems).toHaveLength(1);
      expect(problems[0]!.rule).toContain('state and gradients need 32.9 GiB per device');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
