import { changeText, compareProjects } from '../../lib/review';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { reviewedProject } from '../support/reviewed-project';

describe('node pools that runs share', () => {
  const named = (name: string, ...edits: readonly (readonly [string, string])[]): string =>
    edited(RUN_YAML, ['name: train', `name: ${name}`], ...edits);
  const podNetwork = ['image:', 'network:\n  mode: pod-network\nimage:'] as const;
  const two = [
    podNetwork,
    ['4x4\n', '4x4\n  slices: 2\n'],
    ['fsdp: 16', 'fsdp: 16\n    dcn:\n      data: 2'],
  ] as const;
  const elastic = [
    podNetwork,
    ['4x4\n', '4x4\n  slices: {min: 1, max: 2}\n'],
    ['fsdp: 16', 'fsdp: 16\n    dcn:\n      data: -1'],
  ] as const;
  const deletes = ['image:', 'submitter:\n  onFinish: deleteCluster\nimage:'] as const;
  const pods = (
    { runs }: ReturnType<typeof compareProjects>,
    name: string,
  ): { effect: string; why: string } => runs.find((run) => run.name === name)!.pods;
  const stuck = ({ findings }: ReturnType<typeof compareProjects>): string[] =>
    findings.filter(({ condition }) => condition === 'pending').map(({ subject }) => subject);

  test('a new run cannot be placed on those of one that is gone from the files', () => {
    const changed = compareProjects(reviewedProject(), reviewedProject({ other: named('other') }));
    expect(changed.runs.map(({ name, presence }) => [name, presence])).toEqual([
      ['train', 'removed'],
      ['other', 'added'],
    ]);
    expect(changed.findings.map(({ condition }) => condition)).toEqual(['removed', 'pending']);
    expect(pods(changed, 'other').why).toBe(
      "its node pools take 1 slice, and none is free: it waits until train's RayCluster is deleted, which only pruning or kubectl delete does",
    );
  });

  test('nor can any number of new runs beside one that stays', () => {
    const run0 = { run0: named('run0') };
    const more = { run1: named('run1'), run2: named('run2'), run3: named('run3') };
    const changed = compareProjects(reviewedProject(run0), reviewedProject({ ...run0, ...more }));
    expect(stuck(changed)).toEqual(['run1', 'run2', 'run3']);
    expect(new Set(Object.keys(more).map((name) => pods(changed, name).why))).toEqual(
      new Set([
        "its node pools take 1 slice, and none is free: it waits until run0's RayCluster is deleted, which only kubectl delete does",
      ]),
    );
    expect(pods(changed, 'run0').effect).toBe('unchanged');
    expect(changeText(changed)).toMatch(/^3 runs are new; 3 runs cannot be placed/);
  });

  test('of two new ones the first has them', () => {
    const changed = compareProjects(undefined, reviewedProject({ a: named('a'), b: named('b') }));
    expect(pods(changed, 'a').effect).toBe('added');
    expect(pods(changed, 'b')).toEqual({
      effect: 'pending',
      why: expect.stringMatching(/until a's RayCluster is deleted/) as string,
    });
  });

  test('runs that both stay took turns before: nothing is new', () => {
    const both = { a: named('a'), b: named('b') };
    const changed = compareProjects(
      reviewedProject(both),
      reviewedProject({ ...both, b: named('b', ['steps: 100', 'steps: 200']) }),
    );
    expect(stuck(changed)).toEqual([]);
  });

  test('slices are counted, not runs', () => {
    const small = { a: named('a') };
    const large = (edits: typeof two | typeof elastic): Record<string, string> => ({
      ...small,
      b: named('b', ...edits),
    });
    const fixed = compareProjects(reviewedProject(small), reviewedProject(large(two)));
    expect(pods(fixed, 'b')).toEqual({
      effect: 'pending',
      why: "its node pools take 2 slices, and 1 of the 2 that it needs is free: it waits until a's RayCluster is deleted, which only kubectl delete does",
    });
    // One slice is enough to start with.
    expect(stuck(compareProjects(reviewedProject(small), reviewedProject(large(elastic))))).toEqual([]);
    // Three slices of two pools are taken already, and whose has to go is for a person to say.
    const third = compareProjects(
      reviewedProject(large(two)),
      reviewedProject({ ...large(two), c: named('c') }),
    );
    expect(pods(third, 'c').why).toMatch(
      /take 2 slices, and none is free: .* enough of these RayClusters are deleted, .*: a, b$/,
    );
  });

  test('slices that a run gives back are free', () => {
    const runs = (edits: readonly (readonly [string, string])[]): Record<string, string> => ({
      a: named('a', ...edits),
    });
    const changed = compareProjects(
      reviewedProject(runs(two)),
      reviewedProject({ ...runs([]), b: named('b') }),
    );
    expect(pods(changed, 'a').effect).toBe('removed');
    expect(pods(changed, 'b').effect).toBe('added');
  });

  test('another slice of a run that stays finds no place either', () => {
    const other = { b: named('b') };
    const before = reviewedProject({ a: named('a'), ...other });
    const changed = compareProjects(before, reviewedProject({ a: named('a', ...two), ...other }));
    expect(stuck(changed)).toEqual(['a']);
    expect(pods(changed, 'a').why).toContain("until b's RayCluster is deleted");
  });

  test('a run that deletes its RayCluster lets the next one in', () => {
    const run0 = { run0: named('run0', deletes) };
    const changed = compareProjects(
      reviewedProject(run0),
      reviewedProject({ ...run0, run1: named('run1', deletes), run2: named('run2') }),
    );
    expect(stuck(changed)).toEqual([]);
    expect(pods(changed, 'run1')).toEqual({
      effect: 'added',
      why: 'the run is new: 4 hosts; its node pools take 1 slice, and none is free: it waits until run0 ends, which deletes its RayCluster',
    });
    expect(pods(changed, 'run2').why).toMatch(/enough of these have ended or are deleted: run0, run1$/);
  });

  test('a run with node pools of its own waits for nobody', () => {
    const run0 = { run0: named('run0') };
    const own = named('run1', ['4x4\n', '4x4\n  shareNodePools: false\n']);
    expect(stuck(compareProjects(reviewedProject(run0), reviewedProject({ ...run0, run1: own })))).toEqual(
      [],
    );
  });

  test('on Autopilot nodes come with the pods', () => {
    const platform = edited(PLATFORM_YAML, ['mode: standard', 'mode: autopilot']);
    const run0 = { run0: named('run0') };
    const changed = compareProjects(
      reviewedProject(run0, platform),
      reviewedProject({ ...run0, run1: named('run1') }, platform),
    );
    expect(stuck(changed)).toEqual([]);
  });

  test('pods that no change reaches stay in the node pools where they are', () => {
    const before = { a: named('a') };
    const spot = named('a', ['topology: 4x4', 'topology: 4x4\n  capacity:\n    kind: spot']);
    const changed = compareProjects(reviewedProject(before), reviewedProject({ a: spot, b: named('b') }));
    expect(pods(changed, 'a').effect).toBe('ignored');
    expect(stuck(changed)).toEqual(['b']);
  });

  test('the holder in another namespace is named with it', () => {
    const moved = compareProjects(
      reviewedProject(),
      reviewedProject({ train: RUN_YAML }, `${PLATFORM_YAML}namespace: other\n`),
    );
    expect(moved.runs[1]!.pods.why).toContain(
      "until default/train's RayCluster is deleted, which only pruning",
    );
  });
});
