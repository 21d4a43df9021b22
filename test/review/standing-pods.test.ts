import { changeText, compareProjects } from '../../lib/review';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { reviewedProject } from '../support/reviewed-project';

type Edits = readonly (readonly [string, string])[];

const TWO: Edits = [
  ['4x4\n', '4x4\n  slices: 2\n'],
  ['fsdp: 16', 'fsdp: 16\n    dcn:\n      data: 2'],
];
const SPOT: Edits = [['topology: 4x4', 'topology: 4x4\n  capacity:\n    kind: spot']];
const V5E: Edits = [['generation: v6e', 'generation: v5e']];

const compare = (before: Edits, after: Edits, platform = PLATFORM_YAML) =>
  compareProjects(
    reviewedProject({ train: edited(RUN_YAML, ...before) }, platform),
    reviewedProject({ train: edited(RUN_YAML, ...after) }, platform),
  );

/** Why of every node pool that is lost. */
const lost = ({ infrastructure }: ReturnType<typeof compare>): Record<string, string> =>
  Object.fromEntries(
    infrastructure
      .filter(({ kind, action }) => kind === 'node pool' && action !== 'create')
      .map(({ name, action, why }) => [name, `${action}: ${why}`]),
  );

const HERE = 'pods of train still run there until its RayCluster is deleted';
const UNNEEDED = 'unneeded: it stays until someone deletes it: up.sh deletes nothing';

test.each([
  ['another capacity', SPOT, `${UNNEEDED}; ${HERE}`],
  ['a second slice', TWO, `${UNNEEDED}; ${HERE}`],
  ['another generation', V5E, `${UNNEEDED}; ${HERE}`],
])('%s: pods that no change reaches are still on the node pool', (_what, edits, why) => {
  expect(lost(compare([], edits))).toEqual({ 'v6e-4x4-0': why });
});

test('nobody knows on which of two node pools the slice is that stays', () => {
  const podNetwork = ['image:', 'network:\n  mode: pod-network\nimage:'] as const;
  const pools = lost(compare([...TWO, podNetwork], []));
  expect(pools['v6e-4x4-1']).toBe(
    `${UNNEEDED}; pods of train may still run there until its RayCluster is deleted`,
  );
});

test('a node pool that has to be made anew', () => {
  const scaling = ['image:', 'ray:\n  autoscaler: true\nimage:'] as const;
  expect(lost(compare([], [scaling]))['v6e-4x4-0']).toBe(
    `recreate: GKE cannot change it, and its pods end; ${HERE}`,
  );
});

test('pods of a run that is gone stay until its RayCluster is pruned', () => {
  const other = edited(RUN_YAML, ['name: train', 'name: other'], ...V5E);
  const changed = compareProjects(reviewedProject(), reviewedProject({ other }));
  expect(lost(changed)).toEqual({ 'v6e-4x4-0': `${UNNEEDED}; ${HERE}` });
});

test('pods that are made anew leave the node pool', () => {
  const recreates = ['image:', 'ray:\n  recreateOnChange: true\nimage:'] as const;
  const changed = compare([recreates], [...V5E, recreates], edited(PLATFORM_YAML, ['1.5.0', '1.6.0']));
  expect(changed.runs[0]!.pods.effect).toBe('recreated');
  expect(changed.runs[0]!.stuck).toBeUndefined();
  expect(lost(changed)).toEqual({ 'v6e-4x4-0': UNNEEDED });
});

describe('slices of another shape', () => {
  const stuck = ({ findings }: ReturnType<typeof compare>): string[] =>
    findings.filter(({ condition }) => condition === 'pending').map(({ text }) => text);

  test('never come while the old pods stay, though their number is the same', () => {
    const changed = compare([], V5E);
    expect(changed.runs[0]).toMatchObject({
      pods: { effect: 'ignored' },
      job: { effect: 'recreated' },
    });
    expect(stuck(changed)).toEqual([
      'train: hosts of v5e 4x4 (ct5lp-hightpu-4t) do not come while its pods are those of v6e 4x4 (ct6e-standard-4t): delete its RayCluster first, which only kubectl delete does',
    ]);
    expect(changeText(changed)).toMatch(/submitter Job +made anew, .*; it never starts: hosts of v5e 4x4/);
  });

  test('nor when they have fewer hosts', () => {
    const changed = compare(
      [],
      [
        ['4x4\n', '2x4\n  machineType: ct6e-standard-4t\n'],
        ['fsdp: 16', 'fsdp: 8'],
      ],
    );
    expect(changed.runs[0]!.pods.effect).toBe('removed');
    expect(stuck(changed)).toEqual([expect.stringMatching(/^train: hosts of v6e 2x4 /)]);
  });

  test('those with more hosts say it themselves', () => {
    const changed = compare(
      [],
      [
        ['4x4\n', '4x8\n'],
        ['fsdp: 16', 'fsdp: 32'],
      ],
    );
    expect(changed.runs[0]!.pods.effect).toBe('pending');
    expect(stuck(changed)).toHaveLength(1);
  });

  test('another capacity is the same shape: the Job has its hosts', () => {
    expect(stuck(compare([], SPOT))).toEqual([]);
  });
});
