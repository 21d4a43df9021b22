import { PLATFORM, RUN, TWO_SLICES, runProblems, trainingRun } from '../support/training-run';
import type { PlatformSpec, RunSpec } from '../../lib/run';

function warnings(run: RunSpec, platform: Partial<PlatformSpec>): string[] {
  return trainingRun(run, { ...PLATFORM, ...platform })
    .warnings.map(({ message }) => message)
    .filter((message) => message.includes('number the hosts of a slice'));
}

const REPAIRED = { ...TWO_SLICES, submitter: { repairSlices: true } } as const satisfies RunSpec;

test.each([
  ['1.4.0', TWO_SLICES, undefined, 1],
  ['1.5.0', TWO_SLICES, undefined, 1],
  ['1.5.2', TWO_SLICES, false, 1],
  ['1.5.0', TWO_SLICES, true, 0],
  ['1.6.0', TWO_SLICES, undefined, 0],
  ['1.7.0', TWO_SLICES, undefined, 0],
  ['1.5.0', REPAIRED, undefined, 0],
  ['1.5.0', RUN, undefined, 0],
] as const)('A13, A14: KubeRay %s, %#: gate %s', (kubeRayVersion, run, multiHostIndexing, expected) => {
  expect(warnings(run, { kubeRayVersion, multiHostIndexing })).toHaveLength(expected);
});

test('A13: a run that may grow to several slices is warned of', () => {
  const elastic = { ...TWO_SLICES, tpu: { ...TWO_SLICES.tpu, slices: { min: 1, max: 2 } } };
  const mesh = { ici: { fsdp: 16 }, dcn: { data: -1 } };
  const run: RunSpec = { ...elastic, trainer: { ...elastic.trainer, mesh } };
  expect(warnings(run, {})).toEqual([expect.stringContaining('submitter.repairSlices: true')]);
});

test('an operator older than the gate cannot have it', () => {
  expect(runProblems(RUN, { ...PLATFORM, kubeRayVersion: '1.4.0', multiHostIndexing: true })).toEqual([
    expect.stringMatching(/^platform\.multiHostIndexing: true: KubeRay 1\.4\.0 has no feature gate/),
  ]);
});
