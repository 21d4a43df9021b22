import { pathText } from '../../lib/problems';
import { kubeRayVersionsFrom } from '../../lib/kuberay/versions';
import { planInfrastructure } from '../../lib/infrastructure';
import type { NodePoolPlan } from '../../lib/infrastructure';
import { checkManifests, manifestProblemText } from '../../lib/manifest-rules';
import { rayClusterSchemaProblems } from '../support/crd-schema';
import { renderProject } from '../support/render-project';
import type { RenderedProject } from '../support/render-project';
import { coverPairs, pairsOf } from './pairs';
import { chipsOf, MATRIX_SHAPES } from './shapes';
import type { MatrixShape } from './shapes';
import type { Tally } from './tally';

const KUBERAY = '1.4.0';
const MODES = ['standard', 'autopilot'] as const;
const NETWORKS = [undefined, 'dranet', 'host-network', 'pod-network'] as const;
const CAPACITIES = ['on-demand', 'spot', 'flex-start', 'queued', 'reservation'] as const;
const SLICES = [1, 2, 3, 4] as const;

/** Runs read and rendered in one go. */
const BATCH = 200;

interface Case {
  readonly name: string;
  readonly title: string;
  readonly mode: (typeof MODES)[number];
  readonly shape: MatrixShape;
  readonly slices: number;
  readonly network: (typeof NETWORKS)[number];
  readonly capacity: (typeof CAPACITIES)[number];
  /** Paths of the Problems it must have; none if it must render. */
  readonly refusedAt: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Every shape with one to four slices, each network, each capacity, on Standard and Autopilot: all combinations nightly,
 * otherwise a sample that has every two of these values together, among the accepted and among the refused.
 */
export function checkCrossProduct(tally: Tally, progress: (text: string) => void): void {
  const whole = MODES.flatMap(casesOf);
  const sample = process.env['NIGHTLY'] === '1' ? whole : coverPairs(whole, valuesOf);
  const pairs = new Set(sample.flatMap((each) => pairsOf(valuesOf(each))));
  const missing = new Set(
    whole.flatMap((each) => pairsOf(valuesOf(each))).filter((pair) => !pairs.has(pair)),
  );
  tally.check('every two values occur together', [...missing]);
  for (const mode of MODES) {
    const cases = sample.filter((each) => each.mode === mode);
    progress(`${cases.length} of ${casesOf(mode).length} combinations on ${mode}`);
    for (let start = 0; start < cases.length; start += BATCH)
      checkBatch(mode, cases.slice(start, start + BATCH), tally);
  }
}

/** A refusal must not hide what an accepted run would show: pairs of both are counted apart. */
function valuesOf({ mode, shape, slices, network, capacity, refusedAt }: Case): string[] {
  const shapeName = `${shape.generation} ${shape.topology} ${shape.machineType}`;
  const verdict = refusedAt.length === 0 ? 'accepted' : 'refused';
  return [mode, shapeName, String(slices), network ?? 'default', capacity].map(
    (value) => `${value} ${verdict}`,
  );
}

function casesOf(mode: Case['mode']): Case[] {
  const combinations = MATRIX_SHAPES.flatMap((shape) =>
    SLICES.flatMap((slices) =>
      NETWORKS.flatMap((network) =>
        CAPACITIES.map((capacity) => ({ mode, shape, slices, network, capacity })),
      ),
    ),
  );
  return combinations.map((combination, index) => ({
    ...combination,
    name: `c${index}`,
    title: titleOf(combination),
    refusedAt: expectedRefusals(combination),
  }));
}

function titleOf({
  mode,
  shape,
  slices,
  network,
  capacity,
}: Omit<Case, 'name' | 'title' | 'refusedAt'>): string {
  return `${mode}: ${slices} of ${shape.generation} ${shape.topology} on ${shape.machineType}, ${network ?? 'default'} network, ${capacity}`;
}

/** What must be refused, by the documents. */
function expectedRefusals({
  mode,
  shape,
  slices,
  network,
  capacity,
}: Omit<Case, 'name' | 'title' | 'refusedAt'>): string[] {
  const twoHostsTakenForOne = shape.topology === '2x4' && shape.chipsPerHost === 4 && slices > 1;
  return [
    ...(!shape.inRaysTable || twoHostsTakenForOne ? ['tpu.topology'] : []),
    ...(capacity === 'queued' ? ['tpu.capacity.kind'] : []),
    ...(slices === 1 && network !== undefined ? ['network'] : []),
    ...(slices > 1 && shape.hosts === 1 ? ['tpu.slices'] : []),
    ...(slices > 1 && network === 'dranet' && shape.claimableCards === 0 ? ['network.mode'] : []),
    ...(slices > 1 && network === 'host-network' && mode === 'autopilot' ? ['network.mode'] : []),
  ].sort();
}

function checkBatch(mode: Case['mode'], cases: readonly Case[], tally: Tally): void {
  const refused = new Map<string, string[]>();
  const all = render(mode, cases);
  for (const { file, path } of all.problems)
    refused.set(file, [...(refused.get(file) ?? []), pathText(path)]);
  const accepted = cases.filter(({ name }) => !refused.has(fileOf(name)));
  const rendered = render(mode, accepted);
  const rules = checkManifests(rendered.objects, { kubeRayVersion: KUBERAY });
  for (const each of cases) {
    const paths = [...new Set(refused.get(fileOf(each.name)) ?? [])].sort();
    const faults = sameList('Problems at', paths, each.refusedAt);
    if (paths.length === 0) {
      faults.push(...outputFaults(each, rendered));
      faults.push(...rules.filter(({ object }) => object.endsWith(`/${each.name}`)).map(manifestProblemText));
    }
    tally.check(each.title, faults);
  }
  const others = rules.filter(({ object }) => !accepted.some(({ name }) => object.endsWith(`/${name}`)));
  tally.check(`${mode}: the objects of ${accepted.length} runs together`, others.map(manifestProblemText));
}

function fileOf(name: string): string {
  return `runs/${name}.yaml`;
}

function render(mode: Case['mode'], cases: readonly Case[]): RenderedProject {
  const platform = JSON.stringify({
    project: 'my-project',
    region: 'us-east5',
    zone: 'us-east5-b',
    cluster: { name: 'tpu-ray', mode, version: '1.36.0-gke.1842000' },
    kubeRayVersion: KUBERAY,
    bucket: { name: 'my-bucket' },
  });
  return renderProject(platform, Object.fromEntries(cases.map((each) => [each.name, runOf(each)])));
}

/** A run that fits on any device: a small model, whole on each, so that only the combination decides. */
function runOf({ name, shape, slices, network, capacity }: Case): string {
  const devices = chipsOf(shape.topology) * shape.devicesPerChip;
  return JSON.stringify({
    name,
    tpu: {
      generation: shape.generation,
      topology: shape.topology,
      machineType: shape.machineType,
      slices,
      capacity: capacity === 'reservation' ? { kind: capacity, name: 'my-reservation' } : { kind: capacity },
    },
    image: 'registry/maxtext:1',
    trainer: {
      kind: 'maxtext',
      model: 'qwen3-0.6b',
      steps: 10,
      baseOutputDirectory: 'gs://my-bucket/out',
      weightDtype: 'bfloat16',
      mesh: { ici: { data: devices, fsdp: 1 }, ...(slices > 1 ? { dcn: { data: slices } } : {}) },
    },
    ...(network === undefined ? {} : { network: { mode: network } }),
  });
}

function outputFaults(each: Case, project: RenderedProject): string[] {
  const cluster = project.objects.find(
    (object) => object['kind'] === 'RayCluster' && nameOf(object) === each.name,
  );
  const job = project.objects.find(
    (object) => object['kind'] === 'Job' && nameOf(object).startsWith(`${each.name}-`),
  );
  if (cluster === undefined || job === undefined) return ['it renders no RayCluster or no Job'];
  const text = JSON.stringify([cluster, job]);
  return [
    ...['undefined', 'NaN', '[object Object]', 'null']
      .filter((word) => text.includes(word))
      .map((word) => `the output contains ${word}`),
    ...clusterFaults(each, cluster),
    ...jobFaults(each, job),
    ...kubeRayVersionsFrom(KUBERAY).flatMap((version) =>
      rayClusterSchemaProblems(cluster, version).map((problem) => `KubeRay ${version}: ${problem}`),
    ),
    ...poolFaults(each, project),
  ];
}

function nameOf(object: Json): string {
  return String((object['metadata'] as Json)['name']);
}

function clusterFaults({ shape, slices, network, mode }: Case, cluster: Json): string[] {
  const [group] = (cluster['spec'] as { workerGroupSpecs: Json[] }).workerGroupSpecs;
  const pod = (group?.['template'] as { spec: Json }).spec;
  const [container] = pod['containers'] as { resources: { limits: Json; claims?: Json[] } }[];
  const selector = pod['nodeSelector'] as Json;
  const mayClaim = slices > 1 && shape.claimableCards > 0;
  const fallback = mode === 'standard' ? 'host-network' : 'pod-network';
  const used = slices === 1 ? 'none' : (network ?? (mayClaim ? 'dranet' : fallback));
  return [
    ...same('numOfHosts', group?.['numOfHosts'], shape.hosts),
    ...same('replicas', group?.['replicas'], slices),
    ...same('minReplicas', group?.['minReplicas'], slices),
    ...same('maxReplicas', group?.['maxReplicas'], slices),
    ...same('accelerator', selector['cloud.google.com/gke-tpu-accelerator'], shape.accelerator),
    ...same('topology', selector['cloud.google.com/gke-tpu-topology'], shape.topology),
    ...same('chips', container?.resources.limits['google.com/tpu'], String(shape.chipsPerHost)),
    ...same('host network', pod['hostNetwork'] ?? false, used === 'host-network'),
    ...same(
      'claims',
      (pod['resourceClaims'] as unknown[] | undefined)?.length ?? 0,
      used === 'dranet' ? 1 : 0,
    ),
  ];
}

function jobFaults({ shape, slices }: Case, job: Json): string[] {
  const [container] = (job['spec'] as { template: { spec: { containers: { args: string[] }[] } } }).template
    .spec.containers;
  const args = container?.args ?? [];
  const valueOf = (flag: string): string | undefined => args[args.indexOf(flag) + 1];
  return [
    ...same('--slices', valueOf('--slices'), String(slices)),
    ...same('--hosts-per-slice', valueOf('--hosts-per-slice'), String(shape.hosts)),
    ...same('--pod-type', valueOf('--pod-type'), shape.podType),
    ...same('--tpu-per-host', valueOf('--tpu-per-host'), String(shape.chipsPerHost)),
    ...same('--max-workers', valueOf('--max-workers'), String(shape.hosts * slices)),
    ...same('--workers-per-slice', valueOf('--workers-per-slice'), String(shape.hosts)),
  ];
}

/** One node pool a slice of several hosts; slices of one host may share a pool. */
function poolFaults({ name, shape, slices, mode, capacity }: Case, project: RenderedProject): string[] {
  const run = project.runs.find((candidate) => candidate.name === name);
  if (run === undefined || project.platform === undefined) return ['it has no run'];
  const { plan, problems } = planInfrastructure(project.platform, [run]);
  if (problems.length > 0)
    return problems.map(({ path, rule }) => `infrastructure: ${pathText(path)}: ${rule}`);
  const pools = plan.nodePools.filter((pool) => pool.role === 'tpu');
  if (mode === 'autopilot') return same('node pools on Autopilot', plan.nodePools.length, 0);
  return [
    ...same('TPU node pools', pools.length, slices),
    ...pools.flatMap((pool) => [
      ...same('machine type', pool.machineType, shape.machineType),
      ...same('capacity', pool.capacity.kind, capacity),
      ...same('hosts of a pool', Math.max(pool.nodes, pool.autoscaling?.maxNodes ?? 0), shape.hosts),
      ...topologyFaults(shape, pool),
    ]),
  ];
}

function topologyFaults(shape: MatrixShape, pool: NodePoolPlan): string[] {
  if (shape.hosts === 1)
    return same(
      'topology flag of a single host',
      pool.passTopology || pool.placementPolicy !== undefined,
      false,
    );
  const needsPolicy = shape.generation === 'tpu7x';
  return [
    ...same('topology flag', pool.passTopology, !needsPolicy),
    ...same('placement policy', pool.placementPolicy !== undefined, needsPolicy),
  ];
}

function same(what: string, found: unknown, expected: unknown): string[] {
  return found === expected ? [] : [`${what}: ${String(found)}, expected ${String(expected)}`];
}

function sameList(what: string, found: readonly string[], expected: readonly string[]): string[] {
  return same(what, found.join(', ') || 'none', [...new Set(expected)].join(', ') || 'none');
}
