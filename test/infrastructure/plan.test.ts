import { planInfrastructure, renderInfrastructureTsv } from '../../lib/infrastructure';
import type { InfrastructurePlan, NodePoolPlan } from '../../lib/infrastructure';
import { digestOf, resolvePlatform } from '../../lib/run';
import type { PlatformSpec, RunSpec, TrainingRun } from '../../lib/run';
import type { CapacitySpec } from '../../lib/tpu';
import { AUTOPILOT, PLATFORM, RUN, TORCH, TWO_SLICES, trainingRun } from '../support/training-run';

function planOf(specs: readonly RunSpec[], platform: PlatformSpec = PLATFORM): InfrastructurePlan {
  const runs: TrainingRun[] = specs.map((spec) => trainingRun(spec, platform));
  const { plan, problems } = planInfrastructure(resolvePlatform(platform).platform, runs);
  expect(problems).toEqual([]);
  return plan;
}

function tpuPools(specs: readonly RunSpec[], platform: PlatformSpec = PLATFORM): readonly NodePoolPlan[] {
  return planOf(specs, platform).nodePools.filter(({ role }) => role === 'tpu');
}

function withCapacity(capacity: CapacitySpec): RunSpec {
  return { ...RUN, tpu: { ...RUN.tpu, capacity } };
}

test("tutorial A's run: one cluster, one CPU pool, one pool of four hosts, one bucket", () => {
  const plan = planOf([RUN]);
  expect(plan.networks).toEqual([]);
  expect(plan.cluster).toMatchObject({
    name: 'tpu-ray',
    mode: 'standard',
    location: 'us-east5-b',
    dataplaneV2: true,
    multiNetworking: false,
    workloadPool: 'my-project.svc.id.goog',
  });
  expect(plan.cluster.addons).toEqual(
    expect.arrayContaining(['RayOperator', 'GcsFuseCsiDriver', 'HttpLoadBalancing']),
  );
  expect(plan.nodePools.map(({ name, machineType, nodes }) => [name, machineType, nodes])).toEqual([
    ['cpu', 'n2-standard-16', 1],
    ['v6e-4x4-0', 'ct6e-standard-4t', 4],
  ]);
  expect(plan.nodePools[1]).toMatchObject({
    topology: '4x4',
    passTopology: true,
    additionalNetworks: [],
    runs: ['train'],
  });
  expect(plan.placementPolicies).toEqual([]);
  expect(plan.bucketRoles).toEqual([
    {
      bucket: 'my-bucket',
      role: 'roles/storage.objectUser',
      namespace: 'default',
      serviceAccount: 'tpu-trainer',
      use: 'GCS FUSE reads and writes the bucket',
    },
  ]);
});

describe('node pools', () => {
  test('field report 13: one for each slice', () => {
    expect(tpuPools([TWO_SLICES]).map(({ name, nodes, slice }) => [name, nodes, slice])).toEqual([
      ['v6e-4x4-dra-0', 4, 0],
      ['v6e-4x4-dra-1', 4, 1],
    ]);
  });

  test('field report 22: a single-host slice is one node without a topology flag', () => {
    const v4: RunSpec = {
      ...RUN,
      tpu: { generation: 'v4', topology: '2x2x1' },
      trainer: { ...RUN.trainer, weightDtype: 'bfloat16', mesh: { ici: { fsdp: 4 } } },
    };
    expect(tpuPools([v4])).toMatchObject([{ nodes: 1, topology: '2x2x1', passTopology: false }]);
  });

  test('are shared by runs of one shape and capacity', () => {
    const pools = tpuPools([RUN, { ...RUN, name: 'other' }]);
    expect(pools.map(({ name, runs }) => [name, runs])).toEqual([['v6e-4x4-0', ['train', 'other']]]);
  });

  test('are a run’s own when it asks for that, each under its own name', () => {
    const own = (name: string): RunSpec => ({ ...RUN, name, tpu: { ...RUN.tpu, shareNodePools: false } });
    const pools = tpuPools([own('a'), own('b'), RUN]);
    expect(pools.map(({ runs }) => runs)).toEqual([['a'], ['b'], ['train']]);
    expect(new Set(pools.map(({ name }) => name)).size).toBe(3);
  });

  test('fail when the hashes in two names meet', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `run-${String(index)}`);
    const tags = new Map<string, string>();
    const pair = names.flatMap((name) => {
      const tag = digestOf(name).slice(0, 4);
      const earlier = tags.get(tag);
      tags.set(tag, name);
      return earlier === undefined ? [] : [[earlier, name]];
    })[0];
    const runs = (pair ?? []).map((name) =>
      trainingRun({ ...RUN, name, tpu: { ...RUN.tpu, shareNodePools: false } }),
    );
    const { problems } = planInfrastructure(resolvePlatform(PLATFORM).platform, runs);
    expect(problems).toEqual([
      {
        id: 'NODE_POOL_NAME_TAKEN',
        path: ['cluster'],
        value: `v6e-4x4-${digestOf(pair?.[0]).slice(0, 4)}-0`,
        rule: `every node pool has a name of its own, and the runs ${pair?.join(' and ') ?? ''} come to this one`,
        fix: 'rename one of these runs, or let them share node pools',
      },
    ]);
  });

  test('names stay within the 40 characters GKE allows', () => {
    const longest: RunSpec = {
      ...TWO_SLICES,
      name: 'a'.repeat(41),
      tpu: {
        generation: 'tpu7x',
        topology: '8x16x16',
        slices: 2,
        shareNodePools: false,
        capacity: { kind: 'reservation', name: 'r' },
      },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 4096 }, dcn: { data: 2 } }, model: 'llama3.1-405b' },
    };
    for (const profile of ['auto', 'explicit'] as const) {
      for (const { name } of tpuPools([longest], { ...PLATFORM, network: { profile } })) {
        expect(name.length).toBeLessThanOrEqual(40);
        expect(name).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);
      }
    }
  });

  test('2x4 on 8t and on 4t machines are different pools', () => {
    const on = (machineType: string, name: string): RunSpec => ({
      ...RUN,
      name,
      tpu: { generation: 'v6e', topology: '2x4', machineType },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 8 } } },
    });
    expect(tpuPools([on('ct6e-standard-8t', 'one'), on('ct6e-standard-4t', 'two')])).toMatchObject([
      { name: 'v6e-2x4-8t-0', nodes: 1, passTopology: false, threadsPerCore: 1 },
      { name: 'v6e-2x4-4t-0', nodes: 2, passTopology: true },
    ]);
  });

  test('field report 93: a multi-host tpu7x pool has a workload policy that carries the topology', () => {
    const plan = planOf([TORCH]);
    expect(plan.placementPolicies).toEqual([
      { name: 'tpu-ray-tpu7x-2x2x2', region: 'us-east5', type: 'HIGH_THROUGHPUT', topology: '2x2x2' },
    ]);
    expect(plan.nodePools[1]).toMatchObject({
      placementPolicy: 'tpu-ray-tpu7x-2x2x2',
      passTopology: false,
      nodes: 2,
    });
    expect(tpuPools([{ ...TORCH, tpu: { ...TORCH.tpu, topology: '2x2x1' } }])[0]).not.toHaveProperty(
      'placementPolicy',
    );
  });

  test.each<[CapacitySpec, object]>([
    [{ kind: 'on-demand' }, { name: 'v6e-4x4-0', nodes: 4 }],
    [{ kind: 'spot' }, { name: 'v6e-4x4-spot-0', nodes: 4 }],
    [{ kind: 'flex-start' }, { name: 'v6e-4x4-flex-0', nodes: 0, autoscaling: { minNodes: 0, maxNodes: 4 } }],
    [{ kind: 'reservation', name: 'r', project: 'owner-project' }, { nodes: 4 }],
  ])('field reports 91 and 92: %j', (capacity, expected) => {
    expect(tpuPools([withCapacity(capacity)])).toMatchObject([{ ...expected, capacity }]);
  });

  test('an autoscaled run begins with empty pools that grow by whole slices', () => {
    expect(tpuPools([{ ...RUN, ray: { autoscaler: true } }])).toMatchObject([
      { nodes: 0, autoscaling: { minNodes: 0, maxNodes: 4 } },
    ]);
  });

  test('an autoscaled run does not empty the pool of a run that is not', () => {
    const autoscaled: RunSpec = { ...RUN, name: 'autoscaled', ray: { autoscaler: true } };
    for (const order of [
      [RUN, autoscaled],
      [autoscaled, RUN],
    ]) {
      const own = tpuPools(order).filter(({ runs }) => runs.includes('train'));
      expect(own).toMatchObject([{ nodes: 4 }]);
    }
  });

  test('Autopilot has none', () => {
    expect(planOf([RUN], AUTOPILOT)).toMatchObject({ nodePools: [], cluster: { addons: ['RayOperator'] } });
  });
});

describe('networks between slices', () => {
  test('explicit: one for each card, with its range, packet size and firewall', () => {
    const plan = planOf([TWO_SLICES]);
    expect(plan.networks).toEqual(
      ['10.50.0.0/16', '10.60.0.0/16'].map((range, index) => {
        const name = `tpu-ray-net-${String(index + 1)}`;
        return {
          name,
          mtu: 8896,
          create: true,
          subnet: { name: `${name}-subnet`, region: 'us-east5', range },
          firewall: { name: `${name}-internal`, sourceRanges: [range], allow: ['tcp', 'udp', 'icmp'] },
        };
      }),
    );
    expect(plan.cluster.multiNetworking).toBe(true);
    expect(plan.nodePools[1]).toMatchObject({
      labels: { 'cloud.google.com/gke-networking-dra-driver': 'true' },
      additionalNetworks: [
        { network: 'tpu-ray-net-1', subnetwork: 'tpu-ray-net-1-subnet' },
        { network: 'tpu-ray-net-2', subnetwork: 'tpu-ray-net-2-subnet' },
      ],
    });
    expect(plan.nodePools[1]).not.toHaveProperty('networkProfile');
  });

  test('field report 65: auto and explicit never meet in one cluster', () => {
    const plan = planOf([TWO_SLICES], { ...PLATFORM, network: { profile: 'auto' } });
    expect(plan.networks).toEqual([]);
    expect(plan.cluster.multiNetworking).toBe(false);
    expect(plan.nodePools[1]).toMatchObject({ networkProfile: 'auto', additionalNetworks: [] });
  });

  test('none for the host network', () => {
    const plan = planOf([{ ...TWO_SLICES, network: { mode: 'host-network' } }]);
    expect(plan.networks).toEqual([]);
    expect(plan.nodePools[1]).toMatchObject({ labels: {}, additionalNetworks: [], networkCards: 0 });
  });

  test('fails when there are fewer ranges than cards', () => {
    const platform = { ...PLATFORM, network: { ranges: ['10.50.0.0/16'] } };
    const { problems } = planInfrastructure(resolvePlatform(platform).platform, [
      trainingRun(TWO_SLICES, platform),
    ]);
    expect(problems).toEqual([
      {
        id: 'NETWORK_RANGES_COUNT',
        path: ['network', 'ranges'],
        value: ['10.50.0.0/16'],
        rule: 'every network card has a network with a range of its own, and workers have 2 cards',
        fix: 'write 2 ranges, or leave ranges out',
      },
    ]);
  });
});

test('what exists already is adopted, not made', () => {
  const plan = planOf([TWO_SLICES], {
    ...PLATFORM,
    cluster: { ...PLATFORM.cluster, create: false },
    bucket: { name: 'my-bucket', create: false },
    serviceAccount: { name: 'mine', create: false },
    imageRepository: { name: 'images', create: false },
    network: { create: false },
  });
  expect([
    plan.cluster.create,
    plan.bucket?.create,
    plan.serviceAccount.create,
    plan.repository?.create,
  ]).toEqual([false, false, false, false]);
  expect(plan.networks.map(({ create }) => create)).toEqual([false, false]);
  expect(plan.bucketRoles[0]).toMatchObject({ serviceAccount: 'mine' });
});

test('field report 40: roles follow from what uses a bucket', () => {
  const plan = planOf([
    {
      ...RUN,
      trainer: { ...RUN.trainer, baseOutputDirectory: 'gs://out-bucket/a' },
      volumes: [{ kind: 'gcs-fuse', mountPath: '/data', bucket: 'data-bucket', readOnly: true }],
    },
  ]);
  expect(plan.bucketRoles.map(({ bucket, role }) => [bucket, role])).toEqual([
    ['data-bucket', 'roles/storage.objectViewer'],
    ['out-bucket', 'roles/storage.legacyBucketReader'],
    ['out-bucket', 'roles/storage.objectUser'],
  ]);
});

test('Secrets and images that runs need are listed once', () => {
  const image = 'us-east5-docker.pkg.dev/my-project/images/maxtext:1';
  const env = { HF_TOKEN: { secretName: 'hf', key: 'token' } };
  const plan = planOf(
    [
      { ...RUN, image, env },
      { ...RUN, name: 'other', image, env },
      { ...RUN, name: 'pinned', image: `${image}@sha256:${'0a'.repeat(32)}` },
    ],
    {
      ...PLATFORM,
      imageRepository: { name: 'images' },
    },
  );
  expect(plan.secrets).toEqual([{ name: 'hf', key: 'token', namespace: 'default', hubToken: true }]);
  expect(plan.images).toEqual([{ name: image, dockerfile: 'maxtext', runs: ['train', 'other'] }]);
  expect(plan.apis).toContain('cloudbuild.googleapis.com');
});

test('only what a run reads as the Hugging Face token is marked so', () => {
  const reading = (variable: string): RunSpec => ({
    ...RUN,
    ray: { authTokenSecret: 'ray-auth' },
    env: {
      [variable]: { secretName: 'tokens', key: 'shared' },
      WANDB_API_KEY: { secretName: 'wandb', key: 'key' },
    },
  });
  const platform: PlatformSpec = { ...PLATFORM, kubeRayVersion: '1.6.0' };
  const marked = (specs: readonly RunSpec[]): readonly string[] =>
    planOf(specs, platform).secrets.flatMap(({ name, hubToken }) => (hubToken ? [name] : []));
  expect(marked([reading('HF_TOKEN')])).toEqual(['tokens']);
  expect(marked([reading('HUGGING_FACE_HUB_TOKEN')])).toEqual(['tokens']);
  expect(marked([reading('OTHER_TOKEN')])).toEqual([]);
  // Another run may read the same key under another name.
  expect(marked([reading('HF_TOKEN'), { ...reading('OTHER_TOKEN'), name: 'other' }])).toEqual(['tokens']);
  expect(planOf([reading('HF_TOKEN')], platform).secrets.map(({ name, key }) => [name, key])).toEqual([
    ['tokens', 'shared'],
    ['wandb', 'key'],
    ['ray-auth', 'auth_token'],
  ]);
});

test('two keys of one Secret are two rows', () => {
  const env = {
    HF_TOKEN: { secretName: 'tokens', key: 'hf' },
    WANDB_API_KEY: { secretName: 'tokens', key: 'wandb' },
  };
  const rows = renderInfrastructureTsv(planOf([{ ...RUN, env }]))
    .split('\n')
    .filter((line) => line.startsWith('secret\t'));
  expect(rows).toEqual([
    expect.stringContaining('name=tokens\tkey=hf\t'),
    expect.stringContaining('name=tokens\tkey=wandb\t'),
  ]);
});

describe('the CPU pool', () => {
  const heads = (count: number, cpu: string): RunSpec[] =>
    Array.from({ length: count }, (_, index) => ({
      ...RUN,
      name: `run-${String(index)}`,
      resources: { head: { cpu, memory: '4Gi' } },
    }));

  test('packs heads and submitters', () => {
    const [pool] = planOf(heads(4, '3')).nodePools;
    const demanded = 4 * (3 + 0.1);
    expect((pool?.nodes ?? 0) * (pool?.allocatable.cpu ?? 0)).toBeGreaterThan(demanded);
    expect((pool?.nodes ?? 0) * (pool?.allocatable.cpu ?? 0)).toBeLessThan(demanded * 2);
  });

  test('holds the largest head that a run may have', () => {
    const [pool] = planOf(heads(1, '78')).nodePools;
    expect(pool).toMatchObject({ machineType: 'n2-standard-80', nodes: 1 });
    expect(() => planOf(heads(1, '79'))).toThrow('resources.head.cpu');
  });
});

test('infrastructure.tsv: a kind, then key=value; no value holds a tab or a line break', () => {
  const plan = planOf(
    [TWO_SLICES, TORCH, withCapacity({ kind: 'reservation', name: 'r', project: 'owner-project' })].map(
      (spec, index) => ({ ...spec, name: `run-${String(index)}` }),
    ),
    {
      ...PLATFORM,
      imageRepository: { name: 'images' },
    },
  );
  const text = renderInfrastructureTsv(plan);
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  for (const line of lines) expect(line).toMatch(/^[a-z-]+(\t[A-Za-z0-9]+=[^\t]*)+$/);
  const kinds = lines.map((line) => line.split('\t')[0]);
  expect([...new Set(kinds)]).toEqual([
    'project',
    'api',
    'network',
    'subnet',
    'firewall',
    'cluster',
    'placement-policy',
    'node-pool',
    'bucket',
    'namespace',
    'service-account',
    'bucket-role',
    'repository',
  ]);
  expect(() => renderInfrastructureTsv({ ...plan, project: { ...plan.project, id: 'a\tb' } })).toThrow(
    'project id: a value must not hold a tab or a line break',
  );
});

test('D8: the autoscaler beside a head needs room on the CPU pool', () => {
  // 14.8 CPUs are free on the smaller machine: enough for head and submitter, and not for the autoscaler as well.
  const elastic = (autoscaler: boolean): string | undefined =>
    planOf([{ ...RUN, ray: { autoscaler }, resources: { head: { cpu: '14.5' } } }]).nodePools.find(
      ({ role }) => role === 'cpu',
    )?.machineType;
  expect(elastic(false)).toBe('n2-standard-16');
  expect(elastic(true)).toBe('n2-standard-32');
});
