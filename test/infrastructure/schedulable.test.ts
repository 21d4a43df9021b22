import { planInfrastructure } from '../../lib/infrastructure';
import type { NodePoolPlan } from '../../lib/infrastructure';
import { parseQuantity } from '../../lib/kubernetes/quantity';
import { resolvePlatform } from '../../lib/run';
import type { RunSpec } from '../../lib/run';
import type { CapacitySpec } from '../../lib/tpu';
import { GENERATIONS, rayTrainRefusal, shapesOf } from '../../lib/tpu';
import { renderProject } from '../support/render-project';
import { PLATFORM, RUN } from '../support/training-run';

interface PodSpec {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly value?: string;
    readonly effect: string;
  }[];
  readonly resourceClaims?: readonly unknown[];
  readonly containers: readonly {
    readonly resources: { readonly requests: Readonly<Record<string, string>> };
  }[];
}

/** Why a pod would stay Pending on every node of a pool, as the scheduler would say it; empty when it fits. */
function obstacles(pod: PodSpec, pool: NodePoolPlan): string[] {
  const request = (name: string): number =>
    pod.containers.reduce(
      (sum, { resources }) => sum + (parseQuantity(resources.requests[name] ?? '0') ?? NaN),
      0,
    );
  return [
    ...Object.entries(pod.nodeSelector ?? {})
      .filter(([key, value]) => pool.nodeLabels[key] !== value)
      .map(([key, value]) => `selector ${key}=${value}, node has ${String(pool.nodeLabels[key])}`),
    ...pool.taints
      .filter(
        (taint) =>
          !(pod.tolerations ?? []).some(
            ({ key, operator, value, effect }) =>
              key === taint.key &&
              effect === taint.effect &&
              (operator === 'Exists' || value === taint.value),
          ),
      )
      .map(({ key }) => `taint ${key}`),
    ...(request('cpu') > pool.allocatable.cpu ? [`cpu ${String(request('cpu'))}`] : []),
    ...(request('memory') > pool.allocatable.memoryBytes ? [`memory ${String(request('memory'))}`] : []),
    ...(request('google.com/tpu') > pool.allocatable.tpu ? [`tpu ${String(request('google.com/tpu'))}`] : []),
    ...((pod.resourceClaims ?? []).length > 0 && pool.networkCards === 0 ? ['no network cards'] : []),
  ];
}

type Manifest = Readonly<Record<string, unknown>> & { readonly kind: string; readonly spec: never };

interface RayCluster {
  readonly headGroupSpec: { readonly template: { readonly spec: PodSpec } };
  readonly workerGroupSpecs: readonly {
    readonly numOfHosts: number;
    readonly maxReplicas: number;
    readonly template: { readonly spec: PodSpec };
  }[];
}

/** The name of a pool without its index. */
function setOf(pool: string): string {
  return pool.replace(/-\d+$/, '');
}

/** The worker's pod of every run. */
function workersOf(objects: readonly Manifest[]): Map<string, PodSpec> {
  return new Map(
    objects.flatMap((object) => {
      if (object.kind !== 'RayCluster') return [];
      const { name } = (object as unknown as { metadata: { name: string } }).metadata;
      const [group] = (object.spec as unknown as RayCluster).workerGroupSpecs;
      return group === undefined ? [] : [[name, group.template.spec] as const];
    }),
  );
}

/** Every obstacle of a project's pods on the pools planned for them. */
function obstaclesOf(specs: readonly RunSpec[]): string[] {
  const texts = Object.fromEntries(specs.map((spec) => [spec.name, JSON.stringify(spec)]));
  const { problems, objects, runs } = renderProject(JSON.stringify(PLATFORM), texts);
  expect(problems).toEqual([]);
  const { plan } = planInfrastructure(resolvePlatform(PLATFORM).platform, runs);
  const pools = (role: string, run: string): NodePoolPlan[] =>
    plan.nodePools.filter((pool) => pool.role === role && pool.runs.includes(run));
  return (objects as Manifest[]).flatMap((object) => {
    if (object.kind !== 'RayCluster') return [];
    const { name } = (object as unknown as { metadata: { name: string } }).metadata;
    const spec = object.spec as unknown as RayCluster;
    const [group] = spec.workerGroupSpecs;
    if (group === undefined) return [`${name}: no workers`];
    const tpu = pools('tpu', name);
    const hosts = tpu.map(({ nodes, autoscaling }) => autoscaling?.maxNodes ?? nodes);
    return [
      ...tpu.flatMap((pool) => obstacles(group.template.spec, pool)),
      ...pools('cpu', name).flatMap((pool) => obstacles(spec.headGroupSpec.template.spec, pool)),
      // A slice's hosts lie in one pool, whole.
      ...(hosts.length === group.maxReplicas && hosts.every((count) => count === group.numOfHosts)
        ? []
        : [
            `${String(group.maxReplicas)} x ${String(group.numOfHosts)} hosts, pools have ${hosts.join(', ')}`,
          ]),
    ].map((obstacle) => `${name}: ${obstacle}`);
  });
}

test('every shape that Ray Train takes schedules on the pool planned for it, with the default resources', () => {
  const shapes = GENERATIONS.flatMap(shapesOf).filter((shape) => rayTrainRefusal(shape, 1) === undefined);
  const specs = shapes.map(({ generation, topology, machineType }, index): RunSpec => ({
    name: `shape-${String(index)}`,
    tpu: { generation, topology, machineType },
    image: 'registry.example/maxtext:1',
    trainer: {
      kind: 'maxtext',
      model: 'qwen3-0.6b',
      steps: 1,
      baseOutputDirectory: 'gs://my-bucket/out',
      weightDtype: 'bfloat16',
      mesh: { ici: { data: -1, fsdp: 1 } },
    },
  }));
  expect(specs.length).toBeGreaterThan(100);
  expect(obstaclesOf(specs)).toEqual([]);
});

test.each<CapacitySpec>([
  { kind: 'on-demand' },
  { kind: 'spot' },
  { kind: 'flex-start' },
  { kind: 'reservation', name: 'r' },
])('field report 91: $kind pods schedule on $kind nodes', (capacity) => {
  expect(obstaclesOf([{ ...RUN, tpu: { ...RUN.tpu, capacity } }])).toEqual([]);
});

describe('D1: a run takes its own node pools and no others', () => {
  const capacities: readonly CapacitySpec[] = [
    { kind: 'on-demand' },
    { kind: 'spot' },
    { kind: 'flex-start' },
    { kind: 'reservation', name: 'one' },
    { kind: 'reservation', name: 'two' },
    { kind: 'reservation', name: 'one', project: 'owner-project' },
  ];
  const networks: readonly Partial<RunSpec>[] = [
    {},
    ...(['dranet', 'pod-network'] as const).map((mode): Partial<RunSpec> => ({
      network: { mode },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 16 }, dcn: { data: 2 } } },
    })),
  ];
  // Every capacity, shared and not, on one slice, on two with network cards and on two without: all of one shape.
  const specs = capacities.flatMap((capacity) =>
    [true, false].flatMap((shareNodePools) =>
      networks.map((network): RunSpec => ({
        ...RUN,
        ...network,
        tpu: { ...RUN.tpu, capacity, shareNodePools, slices: network.network === undefined ? 1 : 2 },
      })),
    ),
  );
  const named = specs.map((spec, index) => ({ ...spec, name: `run-${String(index)}` }));

  test.each(['explicit', 'auto'] as const)('every pair of runs, %s networks', (profile) => {
    const platform = { ...PLATFORM, network: { profile } };
    const { problems, objects, runs } = renderProject(
      JSON.stringify(platform),
      Object.fromEntries(named.map((spec) => [spec.name, JSON.stringify(spec)])),
    );
    expect(problems).toEqual([]);
    const { plan } = planInfrastructure(resolvePlatform(platform).platform, runs);
    const pools = plan.nodePools.filter(({ role }) => role === 'tpu');
    const workers = workersOf(objects as Manifest[]);
    expect(workers.size).toBe(36);
    for (const [run, pod] of workers) {
      const takes = pools.filter((pool) => obstacles(pod, pool).length === 0);
      // A run of one slice takes any of the pools that it shares with runs of two.
      const sets = pools.filter((pool) => pool.runs.includes(run)).map(({ name }) => setOf(name));
      const own = pools.filter(({ name }) => sets.includes(setOf(name))).map(({ name }) => name);
      expect([run, takes.map(({ name }) => name)]).toEqual([run, own]);
    }
  });

  test('pods that name no pool stay off what is bought in a special way, and off pools of a run’s own', () => {
    const { runs } = renderProject(
      JSON.stringify(PLATFORM),
      Object.fromEntries(named.map((spec) => [spec.name, JSON.stringify(spec)])),
    );
    const { plan } = planInfrastructure(resolvePlatform(PLATFORM).platform, runs);
    const stranger: PodSpec = {
      nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' },
      tolerations: [{ key: 'google.com/tpu', operator: 'Exists', effect: 'NoSchedule' }],
      containers: [{ resources: { requests: { 'google.com/tpu': '4' } } }],
    };
    const open = plan.nodePools.filter(
      (pool) => pool.role === 'tpu' && obstacles(stranger, pool).length === 0,
    );
    expect(open.map(({ name }) => name)).toEqual([
      'v6e-4x4-0',
      'v6e-4x4-1',
      'v6e-4x4-dra-0',
      'v6e-4x4-dra-1',
    ]);
  });

  test('a change from on-demand to a reservation changes the manifest', () => {
    const cluster = (capacity: CapacitySpec): PodSpec | undefined =>
      workersOf(
        renderProject(JSON.stringify(PLATFORM), {
          train: JSON.stringify({ ...RUN, tpu: { ...RUN.tpu, capacity } }),
        }).objects as Manifest[],
      ).get('train');
    expect(cluster({ kind: 'reservation', name: 'r' })).not.toEqual(cluster({ kind: 'on-demand' }));
  });
});

describe('D2: runs of several slices on shared pools', () => {
  const two = (name: string, tpu: Partial<RunSpec['tpu']> = {}): RunSpec => ({
    ...RUN,
    name,
    tpu: { ...RUN.tpu, slices: 2, ...tpu },
    trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 16 }, dcn: { data: -1 } } },
  });
  const warningsOf = (specs: readonly RunSpec[]): readonly unknown[] => {
    const texts = Object.fromEntries(specs.map((spec) => [spec.name, JSON.stringify(spec)]));
    const { problems, runs } = renderProject(JSON.stringify(PLATFORM), texts);
    expect(problems).toEqual([]);
    return planInfrastructure(resolvePlatform(PLATFORM).platform, runs).warnings.map(({ run }) => run);
  };

  test('two of two slices can each hold one for ever', () => {
    expect(warningsOf([two('one'), two('other')])).toEqual(['one', 'other']);
  });

  test.each<[string, RunSpec[]]>([
    ['one of them alone', [two('one')]],
    ['one with pools of its own', [two('one'), two('other', { shareNodePools: false })]],
    ['one of another capacity', [two('one'), two('other', { capacity: { kind: 'spot' } })]],
    ['one that starts with one slice', [two('one'), two('other', { slices: { min: 1, max: 2 } })]],
    ['one of one slice', [two('one'), { ...RUN, name: 'other' }]],
    ['two on three pools', [two('one'), two('other'), two('third', { slices: { min: 1, max: 3 } })]],
  ])('%s: no warning', (_, specs) => {
    expect(warningsOf(specs)).toEqual([]);
  });
});

test.each(['dranet', 'host-network', 'pod-network'] as const)(
  'slices over %s schedule on their pools',
  (mode) => {
    const spec: RunSpec = {
      ...RUN,
      tpu: { ...RUN.tpu, slices: 3 },
      network: { mode },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 16 }, dcn: { data: 3 } } },
    };
    expect(obstaclesOf([spec])).toEqual([]);
  },
);

test('field report 88: a pod without the toleration, or for another shape, would be told', () => {
  const { plan } = planInfrastructure(
    resolvePlatform(PLATFORM).platform,
    renderProject(JSON.stringify(PLATFORM), { train: JSON.stringify(RUN) }).runs,
  );
  const pool = plan.nodePools.find(({ role }) => role === 'tpu');
  const pod: PodSpec = {
    nodeSelector: { 'cloud.google.com/gke-tpu-topology': '2x4' },
    containers: [{ resources: { requests: { cpu: '200', memory: '900Gi', 'google.com/tpu': '8' } } }],
  };
  expect(obstacles(pod, pool as NodePoolPlan)).toEqual([
    'selector cloud.google.com/gke-tpu-topology=2x4, node has 4x4',
    'taint google.com/tpu',
    'cpu 200',
    `memory ${String(900 * 2 ** 30)}`,
    'tpu 8',
  ]);
});
