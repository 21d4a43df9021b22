import { changeText, compareProjects } from '../../lib/review';
import type { PlannedProject } from '../../lib/plan';
import { compareInfrastructure } from '../../lib/review/infrastructure-change';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { reviewedProject } from '../support/reviewed-project';

test.each([
  ['v6e', '4x4'],
  // Its pools take the topology from a placement policy, not from gcloud.
  ['tpu7x', '2x2x2'],
])('%s %s: a pool of several hosts that begins to autoscale is made anew', (generation, topology) => {
  const run = edited(RUN_YAML, ['generation: v6e', `generation: ${generation}`], ['4x4', topology]);
  const scaling = edited(run, ['image:', 'ray:\n  autoscaler: true\nimage:']);
  const changed = compareProjects(reviewedProject({ train: run }), reviewedProject({ train: scaling }));
  const pool = changed.infrastructure.find(({ kind, name }) => kind === 'node pool' && name !== 'cpu');
  expect(pool).toMatchObject({
    name: `${generation}-${topology}-0`,
    action: 'recreate',
    fields: expect.arrayContaining([expect.objectContaining({ path: 'nodes', after: 0 })]) as unknown,
  });
  expect(changed.findings.map(({ condition }) => condition)).toContain('pools');
});

/** The sample's plan with another infrastructure. */
function planWith(
  change: (infrastructure: PlannedProject['infrastructure']) => Partial<PlannedProject['infrastructure']>,
): PlannedProject {
  const { plan } = reviewedProject();
  return { ...plan, infrastructure: { ...plan.infrastructure, ...change(plan.infrastructure) } };
}

describe('the CPU pool', () => {
  const withCpu = (cpu: object): PlannedProject =>
    planWith(({ nodePools }) => ({
      nodePools: nodePools.map((pool) => (pool.role === 'cpu' ? { ...pool, ...cpu } : pool)),
    }));

  test.each([
    ['more nodes: the script adds them', { nodes: 3 }, { nodes: 5 }, 'resize'],
    ['fewer nodes: the script takes none away', { nodes: 5 }, { nodes: 3 }, 'change'],
    ['another machine', {}, { machineType: 'n2-standard-64' }, 'recreate'],
    ['another machine, and more of it', { nodes: 3 }, { machineType: 'e2', nodes: 5 }, 'recreate'],
  ])('%s', (_what, before, after, action) => {
    expect(compareInfrastructure(withCpu(before), withCpu(after))).toMatchObject([
      { kind: 'node pool', name: 'cpu', action },
    ]);
  });
});

describe('another cluster', () => {
  const moved = (...edits: readonly (readonly [string, string])[]) =>
    compareProjects(reviewedProject(), reviewedProject({ train: RUN_YAML }, edited(PLATFORM_YAML, ...edits)));
  const OLD = 'tpu-ray (standard) in us-east5-b of my-project';

  test.each([
    ['name', ['name: tpu-ray', 'name: second'], 'second (standard) in us-east5-b of my-project'],
    [
      'project',
      ['project: my-project', 'project: second-project'],
      'tpu-ray (standard) in us-east5-b of second-project',
    ],
    [
      'location',
      ['mode: standard', 'mode: standard\n  location: us-east5'],
      'tpu-ray (standard) in us-east5 of my-project',
    ],
    ['mode', ['mode: standard', 'mode: autopilot'], 'tpu-ray (autopilot) in us-east5 of my-project'],
  ] as const)('%s: all is new there, and what is in the old one stays', (_field, edit, text) => {
    const { runs, objects, infrastructure, chips, findings } = moved(edit);
    expect(runs).toMatchObject([
      {
        presence: 'added',
        rayCluster: { effect: 'added' },
        pods: { effect: 'added' },
        job: { effect: 'added' },
      },
    ]);
    expect(new Set(objects.map(({ effect }) => effect))).toEqual(new Set(['added']));
    expect(infrastructure.filter(({ kind }) => kind === 'cluster')).toMatchObject([
      {
        name: OLD,
        action: 'abandoned',
        why: expect.stringContaining(
          `the runs go to ${text}; this one stays and costs, with all that is in it, so with train, until`,
        ),
      },
      { action: 'create' },
    ]);
    expect(infrastructure.filter(({ action }) => action === 'unneeded')).toEqual([]);
    expect(chips).toEqual([{ what: 'v6e on-demand', before: 0, after: 16 }]);
    expect(findings.map(({ condition, subject }) => [condition, subject])).toEqual([
      ['rerun', 'train'],
      ['cluster', OLD],
      ['chips', 'v6e on-demand'],
    ]);
    expect(findings[0]!.text).toBe(`train trains again: cluster: ${OLD} -> ${text}`);
    expect(changeText(moved(edit))).toMatch(/^another cluster is needed; 1 run trains again; 1 run is new; /);
  });

  test('what lies in the project and not in the cluster is new in another project only', () => {
    const kindsOf = ({ infrastructure }: ReturnType<typeof compareProjects>): string[] => [
      ...new Set(infrastructure.filter(({ action }) => action === 'create').map(({ kind }) => kind)),
    ];
    expect(kindsOf(moved(['name: tpu-ray', 'name: second']))).toEqual(['cluster', 'node pool']);
    const other = moved(['project: my-project', 'project: second-project']);
    // The name of a bucket is the same in all of Google Cloud.
    expect(kindsOf(other)).toEqual(['API', 'cluster', 'node pool', 'bucket role']);
    expect(other.infrastructure[0]).toMatchObject({
      kind: 'project',
      name: 'my-project',
      action: 'abandoned',
    });
  });

  test('up.sh makes no second cluster of one name', () => {
    const why = (change: ReturnType<typeof compareProjects>): string => change.infrastructure[0]!.why;
    expect(why(moved(['mode: standard', 'mode: standard\n  location: us-east5']))).toMatch(
      /up\.sh makes no second cluster/,
    );
    expect(why(moved(['name: tpu-ray', 'name: second']))).not.toMatch(/second cluster/);
  });

  test('a run that only the old cluster has is left there, and no longer spoken of', () => {
    const before = reviewedProject({ train: RUN_YAML, old: edited(RUN_YAML, ['name: train', 'name: old']) });
    const after = reviewedProject(
      { train: RUN_YAML },
      edited(PLATFORM_YAML, ['name: tpu-ray', 'name: second']),
    );
    const { runs, infrastructure } = compareProjects(before, after);
    expect(runs.map(({ name }) => name)).toEqual(['train']);
    expect(infrastructure[0]!.why).toContain('so with old, train, until');
  });
});

describe('the same cluster', () => {
  const clusterOf = (cluster: object): PlannedProject =>
    planWith(({ cluster: old }) => ({ cluster: { ...old, ...cluster } }));

  test.each([
    ['a newer version', {}, { version: '1.36.0-gke.1' }, 'change', 'version'],
    ['an older version: the newer one will do', {}, { version: '1.34.10-gke.1' }, 'nothing', 'version'],
    [
      'an add-on more',
      { addons: ['RayOperator'] },
      { addons: ['RayOperator', 'GcsFuseCsiDriver'] },
      'change',
      'addons',
    ],
    [
      'an add-on less',
      { addons: ['RayOperator', 'GcsFuseCsiDriver'] },
      { addons: ['RayOperator'] },
      'nothing',
      'addons',
    ],
    ['multi-networking', {}, { multiNetworking: true }, 'recreate', 'multiNetworking'],
    ['no multi-networking', { multiNetworking: true }, {}, 'nothing', 'multiNetworking'],
    [
      'its default pool',
      {},
      { defaultPool: { machineType: 'e2-standard-4', nodes: 2 } },
      'nothing',
      'defaultPool.nodes',
    ],
    ['adopted from now on', {}, { create: false }, 'nothing', 'create'],
  ])('%s', (_what, before, after, action, path) => {
    const changes = compareInfrastructure(clusterOf(before), clusterOf(after));
    expect(changes).toMatchObject([{ kind: 'cluster', name: 'tpu-ray', action, fields: [{ path }] }]);
  });

  test('a newer version is said, and holds no condition', () => {
    const changed = compareProjects(
      reviewedProject(),
      reviewedProject({ train: RUN_YAML }, edited(PLATFORM_YAML, ['1842000', '1900000'])),
    );
    expect(changed.findings).toEqual([]);
    expect(changeText(changed)).toMatch(/^1 resource of the infrastructure differs\n/);
    expect(changeText(changed)).toContain('version: 1.35.2-gke.1842000 -> 1.35.2-gke.1900000');
  });
});

describe('other resources', () => {
  const role = { bucket: 'b', role: 'r', namespace: 'n', serviceAccount: 's', use: 'a mount' };
  const image = { name: 'r/i:1', dockerfile: 'maxtext', runs: ['train'] };
  const policy = { name: 'p', region: 'us-east5', type: 'HIGH_THROUGHPUT' as const, topology: '2x2x2' };
  const bucket = {
    name: 'b',
    location: 'us-east5',
    create: true,
    uniformAccess: true,
    hierarchicalNamespace: true,
  };
  const repository = { name: 'r', location: 'us-east5', create: true };
  const account = { name: 's', namespace: 'n' };

  test.each([
    ['API', { apis: [] }, { apis: ['a'] }, [['API', 'a', 'create']]],
    [
      'placement policy',
      { placementPolicies: [policy] },
      { placementPolicies: [{ ...policy, topology: '4x4x4' }] },
      [['placement policy', 'p', 'recreate']],
    ],
    [
      'another bucket',
      { bucket },
      { bucket: { ...bucket, name: 'c' } },
      [
        ['bucket', 'b', 'unneeded'],
        ['bucket', 'c', 'create'],
      ],
    ],
    [
      'adopted bucket',
      { bucket },
      { bucket: { ...bucket, name: 'c', create: false } },
      [
        ['bucket', 'b', 'unneeded'],
        ['bucket', 'c', 'adopt'],
      ],
    ],
    ['place of a bucket', { bucket }, { bucket: { ...bucket, location: 'us' } }, [['bucket', 'b', 'change']]],
    [
      'place of an adopted bucket',
      { bucket: { ...bucket, create: false } },
      { bucket: { ...bucket, create: false, location: 'us' } },
      [['bucket', 'b', 'nothing']],
    ],
    [
      'namespace',
      { namespace: { name: 'default', create: false } },
      { namespace: { name: 'n', create: false } },
      [['namespace', 'n', 'adopt']],
    ],
    [
      'namespace of dist/',
      { namespace: { name: 'default', create: false } },
      { namespace: { name: 'n', create: true } },
      [],
    ],
    [
      'service account',
      { serviceAccount: { ...account, create: true } },
      { serviceAccount: { ...account, create: false } },
      [['service account', 'n/s', 'adopt']],
    ],
    [
      'bucket role',
      { bucketRoles: [] },
      { bucketRoles: [role] },
      [['bucket role', 'r on b for n/s', 'create']],
    ],
    ['its use', { bucketRoles: [role] }, { bucketRoles: [{ ...role, use: 'gs:// paths' }] }, []],
    [
      'role of another account',
      { bucketRoles: [role] },
      { bucketRoles: [{ ...role, serviceAccount: 't' }] },
      [
        ['bucket role', 'r on b for n/s', 'unneeded'],
        ['bucket role', 'r on b for n/t', 'create'],
      ],
    ],
    [
      'repository',
      { repository },
      { repository: { ...repository, location: 'us' } },
      [
        ['repository', 'us-east5/r', 'unneeded'],
        ['repository', 'us/r', 'create'],
      ],
    ],
    [
      'image',
      { images: [image] },
      { images: [{ ...image, name: 'r/i:2' }] },
      [
        ['image', 'r/i:1', 'unneeded'],
        ['image', 'r/i:2', 'create'],
      ],
    ],
    [
      'folder of an image',
      { images: [image] },
      { images: [{ ...image, dockerfile: 'torchtpu' }] },
      [['image', 'r/i:1', 'nothing']],
    ],
    ['runs of an image', { images: [image] }, { images: [{ ...image, runs: [] }] }, []],
    [
      'secret',
      { secrets: [] },
      { secrets: [{ name: 's', key: 'k', namespace: 'n', hubToken: false }] },
      [['secret', 'n/s, key k', 'create']],
    ],
  ] as const)('%s', (_what, before, after, expected) => {
    const changes = compareInfrastructure(
      planWith(() => before),
      planWith(() => after),
    );
    expect(changes.map(({ kind, name, action }) => [kind, name, action])).toEqual(expected);
  });

  test('without a project before, all is new', () => {
    const { infrastructure, findings, chips } = compareProjects(undefined, reviewedProject());
    expect(
      infrastructure.map(({ kind, action }) => [kind, action]).filter(([kind]) => kind !== 'API'),
    ).toEqual([
      ['cluster', 'create'],
      ['node pool', 'create'],
      ['node pool', 'create'],
      ['bucket', 'create'],
      ['bucket role', 'create'],
    ]);
    expect(chips).toEqual([{ what: 'v6e on-demand', before: 0, after: 16 }]);
    expect(findings.map(({ condition }) => condition)).toEqual(['chips']);
  });
});
