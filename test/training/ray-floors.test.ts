import type { RunSpec } from '../../lib/run';
import { RAY_FLOORS, missedRayFloors, parseRayVersion, rayVersionOfImage } from '../../lib/training';
import { RUN, runProblems } from '../support/training-run';

const AT: Readonly<Record<string, RunSpec['tpu']>> = {
  v6e: RUN.tpu,
  v5p: { generation: 'v5p', topology: '2x2x4' },
  tpu7x: { generation: 'tpu7x', topology: '2x2x4' },
};

function versionProblems(generation: string, version: string): string[] {
  return runProblems({ ...RUN, tpu: AT[generation] ?? RUN.tpu, ray: { version } }).filter((line) =>
    line.startsWith('ray.version'),
  );
}

test.each([
  ['v6e', '2.9.0', '2.51.0'],
  ['v6e', '2.47.1', '2.51.0'],
  ['v6e', '2.50.1', '2.51.0'],
  ['v5p', '2.52.1', '2.53.0'],
  ['tpu7x', '2.52.1', '2.53.0'],
])(
  'B2: maxtext on %s with Ray %s is one problem, and Ray %s is what it needs',
  (generation, version, minimum) => {
    const problems = versionProblems(generation, version);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`needs Ray ${minimum} (`);
    expect(problems[0]).toContain(`use an image with Ray ${minimum} or newer`);
  },
);

test.each([
  ['v6e', '2.51.0'],
  ['v5p', '2.53.0'],
  ['tpu7x', '2.53.0'],
])('B2: maxtext on %s runs with Ray %s', (generation, version) => {
  expect(versionProblems(generation, version)).toEqual([]);
});

test('B2: every floor is met by its own version and missed by every older one', () => {
  for (const { what, minimum, kinds, generations, use } of RAY_FLOORS) {
    const run = {
      kind: kinds?.[0] ?? 'maxtext',
      generation: generations?.[0] ?? 'v6e',
      uses: use === undefined ? [] : [use],
    } as const;
    const [major, minor] = parseRayVersion(minimum) ?? [0, 0];
    const missedAt = (version: string): string[] => missedRayFloors(version, run).map((floor) => floor.what);
    expect(missedAt(minimum)).not.toContain(what);
    expect(missedAt(`${String(major)}.${String(minor - 1)}.9`)).toContain(what);
    expect(missedAt('2.9.0')).toContain(what);
  }
});

test.each([
  ['europe-docker.pkg.dev/p/r/ray-ml:2.47.0', '2.47.0'],
  ['rayproject/ray:2.52.0-py312-tpu', '2.52.0'],
  [`ray:2.47.0@sha256:${'a'.repeat(64)}`, '2.47.0'],
  ['registry:5000/my-ray:2.47.0', '2.47.0'],
  ['registry/trainer:0.2.5-ray2.47.0', '2.47.0'],
  ['registry/trainer:ray-2.47.0-py312', '2.47.0'],
  ['registry/maxtext:0.2.5', undefined],
  ['registry/maxtext-ray:0.2.5', undefined],
  ['registry/array:2.47.0', undefined],
  ['registry/xray:2.47.0', undefined],
  ['rayproject/ray:nightly', undefined],
  ['rayproject/ray', undefined],
])('B2: the image %s tells Ray %s', (image, version) => {
  expect(rayVersionOfImage(image)).toBe(version);
});

test('B2: ray-ml of another version than ray.version is refused', () => {
  expect(
    runProblems({ ...RUN, image: 'docker.io/rayproject/ray-ml:2.47.0', ray: { version: '2.60.0' } }),
  ).toEqual([expect.stringContaining("ray.version: '2.60.0': the image's tag says Ray 2.47.0")]);
});
