import { NODE_LABELS } from '../kubernetes/well-known';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { bucketOf, isBuiltImage } from '../run';
import type { Platform, TrainingRun } from '../run';
import { trainerKind } from '../training';
import { sizeCpuPool } from './cpu-pool';
import type { CpuPool } from './cpu-pool';
import type {
  BucketRolePlan,
  ClusterPlan,
  InfrastructurePlan,
  NetworkPlan,
  NodePoolPlan,
  RunRemark,
} from './infrastructure-plan';
import { describeCapacity } from './pool-capacity';
import { planSecrets } from './secrets';
import { planPlacementPolicies, planTpuPools, sharedPoolWarnings } from './tpu-pools';

/** Largest packet between slices, bytes. @see https://docs.cloud.google.com/vpc/docs/mtu */
const SLICE_NETWORK_MTU = 8896;

/** `--addons` switches unnamed default add-ons off, so that GKE's defaults are named too. */
const STANDARD_ADDONS = [
  'HorizontalPodAutoscaling',
  'HttpLoadBalancing',
  'GcePersistentDiskCsiDriver',
  'NodeLocalDNS',
  'RayOperator',
  'GcsFuseCsiDriver',
] as const;

/** Enough for GKE's own pods and the KubeRay operator; gcloud would make three nodes in a zone and nine in a region. */
const DEFAULT_POOL = { machineType: 'e2-standard-4', nodes: 1 } as const;

/**
 * Everything a platform and its runs need in Google Cloud, the Problems that keep it from being made, and remarks that
 * only the runs together give rise to.
 */
export function planInfrastructure(
  platform: Platform,
  runs: readonly TrainingRun[],
): { plan: InfrastructurePlan; problems: Problem[]; warnings: RunRemark[] } {
  const networks = planNetworks(platform, runs);
  const problems = checkNetworks(platform, runs);
  const standard = platform.cluster.mode === 'standard';
  const tpuPools = standard ? planTpuPools(platform, runs, networks) : [];
  const cpuPool = standard ? sizeCpuPool(runs) : undefined;
  const nodePools = [
    ...(cpuPool === undefined ? [] : [describeCpuPool(platform, cpuPool, runs)]),
    ...tpuPools,
  ];
  problems.push(...checkPoolNames(nodePools));
  const { bucket, imageRepository } = platform;
  const images = planImages(platform, runs);
  return {
    problems,
    warnings: sharedPoolWarnings(runs),
    plan: {
      project: { id: platform.project, region: platform.region, zone: platform.zone },
      apis: planApis(platform, images.length > 0),
      networks,
      cluster: planCluster(platform, networks),
      placementPolicies: planPlacementPolicies(platform, tpuPools),
      nodePools,
      ...(bucket === undefined ? {} : { bucket: { ...bucket, uniformAccess: true } }),
      namespace: { name: platform.namespace, create: platform.ownNamespace },
      serviceAccount: { ...platform.serviceAccount, namespace: platform.namespace },
      bucketRoles: planBucketRoles(platform, runs),
      ...(imageRepository === undefined ? {} : { repository: imageRepository }),
      images,
      secrets: planSecrets(platform, runs),
    },
  };
}

function usesExplicitNetworks(platform: Platform, run: TrainingRun): boolean {
  return (
    platform.cluster.mode === 'standard' &&
    platform.network.profile === 'explicit' &&
    run.network.mode === 'dranet'
  );
}

function networkCardsNeeded(platform: Platform, runs: readonly TrainingRun[]): number {
  const cards = runs.map((run) =>
    usesExplicitNetworks(platform, run) && run.network.mode !== 'none' ? run.network.networkCards : 0,
  );
  return Math.max(0, ...cards);
}

function checkNetworks(platform: Platform, runs: readonly TrainingRun[]): Problem[] {
  const cards = networkCardsNeeded(platform, runs);
  const { ranges } = platform.network;
  if (ranges.length >= cards) return [];
  return [problem('NETWORK_RANGES_COUNT', ['network', 'ranges'], ranges, { cards })];
}

/** Pools of runs that share none carry a few digits of a hash, which can meet when there are hundreds. */
function checkPoolNames(pools: readonly NodePoolPlan[]): Problem[] {
  return pools.flatMap((pool, index) => {
    const earlier = pools.slice(0, index).find(({ name }) => name === pool.name);
    if (earlier === undefined) return [];
    return [
      problem('NODE_POOL_NAME_TAKEN', ['cluster'], pool.name, {
        text: [...earlier.runs, ...pool.runs].join(' and '),
      }),
    ];
  });
}

function planNetworks(platform: Platform, runs: readonly TrainingRun[]): NetworkPlan[] {
  const cards = networkCardsNeeded(platform, runs);
  return platform.network.ranges.slice(0, cards).map((range, index) => {
    const name = `${platform.cluster.name}-net-${String(index + 1)}`;
    return {
      name,
      mtu: SLICE_NETWORK_MTU,
      create: platform.network.create,
      subnet: { name: `${name}-subnet`, region: platform.region, range },
      firewall: { name: `${name}-internal`, sourceRanges: [range], allow: ['tcp', 'udp', 'icmp'] },
    };
  });
}

function planApis(platform: Platform, builds: boolean): string[] {
  return [
    'compute.googleapis.com',
    'container.googleapis.com',
    'iam.googleapis.com',
    'cloudresourcemanager.googleapis.com',
    ...(platform.bucket === undefined ? [] : ['storage.googleapis.com']),
    ...(platform.imageRepository === undefined ? [] : ['artifactregistry.googleapis.com']),
    ...(builds ? ['cloudbuild.googleapis.com'] : []),
  ];
}

function planCluster(platform: Platform, networks: readonly NetworkPlan[]): ClusterPlan {
  const { cluster } = platform;
  const standard = cluster.mode === 'standard';
  return {
    name: cluster.name,
    mode: cluster.mode,
    location: cluster.location,
    version: cluster.version,
    create: cluster.create,
    // Autopilot has GCS FUSE built in and takes the Ray operator by a flag of its own.
    addons: standard ? [...STANDARD_ADDONS] : ['RayOperator'],
    // It cannot be added later, and DRANET needs it.
    dataplaneV2: true,
    multiNetworking: networks.length > 0,
    workloadPool: `${platform.project}.svc.id.goog`,
    imageStreaming: true,
    ...(standard ? { defaultPool: DEFAULT_POOL } : {}),
  };
}

function describeCpuPool(platform: Platform, pool: CpuPool, runs: readonly TrainingRun[]): NodePoolPlan {
  return {
    name: 'cpu',
    role: 'cpu',
    zone: platform.zone,
    machineType: pool.machineType,
    nodes: pool.nodes,
    passTopology: false,
    ...describeCapacity({ kind: 'on-demand' }, platform),
    labels: {},
    nodeLabels: { [NODE_LABELS.nodePool]: 'cpu', [NODE_LABELS.metadataServer]: 'true' },
    taints: [],
    ownTaints: [],
    allocatable: { ...pool.allocatable, tpu: 0 },
    additionalNetworks: [],
    networkCards: 0,
    metadata: 'GKE_METADATA',
    runs: runs.map((run) => run.name),
  };
}

const FUSE_ROLE = 'roles/storage.objectUser';
const FUSE_READ_ROLE = 'roles/storage.objectViewer';
const BUCKET_GET_ROLE = 'roles/storage.legacyBucketReader';

/** Roles of the service account on each bucket, by what needs them. */
function planBucketRoles(platform: Platform, runs: readonly TrainingRun[]): BucketRolePlan[] {
  const roles = new Map<string, BucketRolePlan>();
  const grant = (bucket: string, role: string, use: string): void => {
    roles.set(`${bucket} ${role}`, {
      bucket,
      role,
      namespace: platform.namespace,
      serviceAccount: platform.serviceAccount.name,
      use,
    });
  };
  for (const run of runs) {
    for (const volume of run.volumes) {
      if (volume.kind !== 'gcs-fuse') continue;
      const bucket = bucketOf(volume, platform);
      if (bucket === undefined) continue;
      if (volume.readOnly === true) grant(bucket, FUSE_READ_ROLE, 'GCS FUSE reads the bucket');
      else grant(bucket, FUSE_ROLE, 'GCS FUSE reads and writes the bucket');
    }
    for (const argument of run.trainer.command) {
      const bucket = /(?:^|=)gs:\/\/([a-z0-9][-_.a-z0-9]+)/.exec(argument)?.[1];
      if (bucket === undefined) continue;
      grant(bucket, FUSE_ROLE, 'the trainer reads and writes gs:// paths');
      grant(bucket, BUCKET_GET_ROLE, 'libraries look the bucket up before they write gs:// paths');
    }
  }
  return [...roles.values()].sort((a, b) => (`${a.bucket} ${a.role}` < `${b.bucket} ${b.role}` ? -1 : 1));
}

/** Images of runs that the scripts build, with the folder their Dockerfile is in. */
function planImages(platform: Platform, runs: readonly TrainingRun[]): InfrastructurePlan['images'] {
  const images = new Map<string, { dockerfile: string; runs: string[] }>();
  for (const run of runs) {
    if (!isBuiltImage(run.image, platform)) continue;
    const dockerfile = trainerKind(run.trainer.kind).image?.folder;
    if (dockerfile === undefined) continue;
    const known = images.get(run.image);
    images.set(run.image, { dockerfile, runs: [...(known?.runs ?? []), run.name] });
  }
  return [...images].map(([name, image]) => ({ name, ...image }));
}
