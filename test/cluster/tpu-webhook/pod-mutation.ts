import type { Container, EnvironmentVariable, Json, Pod, PodSpec } from '../kubernetes-object';
import type { HostIndex } from './host-index';
import { ACCELERATOR_LABEL, TPU_RESOURCE, sidesOf } from './topology';

/** Port of libtpu's processes; each further container of a pod takes the next. */
const TPU_PROCESS_PORT = 8471;

/** Port of MegaScale. 8080 is Ray's metrics. */
const MEGASCALE_PORT = 8081;

/** Where the webhook cuts the name of the headless service, from the front. */
const SUBDOMAIN_LENGTH = 50;

/** The generation whose chips are two devices each, and whose pods may have several containers. */
const DUAL_CHIPLET_ACCELERATOR = 'tpu7x';

/** A pod's slice, as the webhook sees it. */
export interface SlicePlace {
  readonly cluster: string;
  readonly group: string;
  readonly topology: string;
  readonly hosts: number;
  readonly index: HostIndex;
}

/** The pod with what GKE's TPU webhook adds to it. */
export function mutatePod(pod: Pod, place: SlicePlace): Pod {
  const { group, index, hosts, cluster } = place;
  const replicaName = `${group}-${String(index.replica)}`;
  const isDualChiplet = pod.spec.nodeSelector?.[ACCELERATOR_LABEL] === DUAL_CHIPLET_ACCELERATOR;
  const tpuContainers = pod.spec.containers.filter(asksForTpu);
  const containers = pod.spec.containers.map((container) => {
    const containerIndex = tpuContainers.indexOf(container);
    if (containerIndex < 0) return container;
    const env = tpuEnvironment(container, place, {
      // On dual-chiplet chips every container of a host is a worker of its own.
      workerId: isDualChiplet ? index.host * tpuContainers.length + containerIndex : index.host,
      containerIndex,
      isDualChiplet,
    });
    return { ...container, env };
  });
  const spec: PodSpec = {
    ...pod.spec,
    containers,
    ...(hosts === 1
      ? {}
      : {
          hostname: `${replicaName}-${String(index.host)}`,
          subdomain: subdomainOf(cluster),
          affinity: onePoolPerReplica(cluster, replicaName),
        }),
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, replicaIndex: replicaName } },
    spec,
  };
}

/** Name of the headless service as the webhook computes it: cut from the front, where KubeRay leaves it whole. */
export function subdomainOf(cluster: string): string {
  const cut = `${cluster}-headless`.slice(-SUBDOMAIN_LENGTH);
  return /^[a-z]/.test(cut) ? cut : `r${cut.slice(1)}`;
}

function asksForTpu({ resources }: Container): boolean {
  return resources?.requests?.[TPU_RESOURCE] !== undefined || resources?.limits?.[TPU_RESOURCE] !== undefined;
}

function tpuEnvironment(
  container: Container,
  place: SlicePlace,
  worker: { readonly workerId: number; readonly containerIndex: number; readonly isDualChiplet: boolean },
): EnvironmentVariable[] {
  const { group, topology, hosts, index, cluster } = place;
  const { workerId, containerIndex, isDualChiplet } = worker;
  const hostNames = Array.from({ length: hosts }, (_, host) => hostNameOf(place, index.replica, host));
  const hasSlices = container.env?.some(({ name }) => name === 'MEGASCALE_NUM_SLICES') ?? false;
  const env = new Environment(container.env ?? []);
  env.set('TPU_WORKER_ID', String(workerId));
  env.fill('TPU_NAME', `${group}-${String(index.replica)}`);
  if (hosts > 1) env.fill('TPU_WORKER_HOSTNAMES', hostNames.join(','), 'localhost');
  if (hosts > 1 && isDualChiplet) {
    const port = String(TPU_PROCESS_PORT + containerIndex);
    env.fill('TPU_PROCESS_ADDRESSES', hostNames.map((name) => `${name}:${port}`).join(','));
    env.fill('TPU_PROCESS_PORT', port);
  }
  if (hasSlices) {
    const coordinator = `${group}-0-0.${subdomainOf(cluster)}`;
    env.fill('MEGASCALE_SLICE_ID', String(index.replica));
    env.fill(
      'MEGASCALE_COORDINATOR_ADDRESS',
      isDualChiplet ? `${coordinator}:${String(MEGASCALE_PORT)}` : coordinator,
    );
    env.fill('MEGASCALE_PORT', String(MEGASCALE_PORT + (isDualChiplet ? containerIndex : 0)));
  }
  env.reference('TPU_DEVICE_PLUGIN_HOST_IP', 'status.hostIP');
  env.fill('TPU_DEVICE_PLUGIN_ADDR', '$(TPU_DEVICE_PLUGIN_HOST_IP):2112');
  env.fill('TORCH_TPU_TOPOLOGY', torchTopology(topology, isDualChiplet));
  const devices = tpuOf(container) * (isDualChiplet ? 2 : 1);
  env.fill(
    'TORCH_TPU_SLICEBUILDER_ADDRESSES',
    (hosts > 1 ? hostNames : ['localhost'])
      .flatMap((name) =>
        Array.from({ length: devices }, (_, device) => `${name}:${String(TPU_PROCESS_PORT + device)}`),
      )
      .join(','),
  );
  return env.variables;
}

function hostNameOf({ group, cluster }: SlicePlace, replica: number, host: number): string {
  return `${group}-${String(replica)}-${String(host)}.${subdomainOf(cluster)}`;
}

function tpuOf({ resources }: Container): number {
  return Number(resources?.requests?.[TPU_RESOURCE] ?? resources?.limits?.[TPU_RESOURCE] ?? 0);
}

/** Three sides, and the two chiplets where a chip has them: 4x4 is 4,4,1. */
function torchTopology(topology: string, isDualChiplet: boolean): string {
  const sides = sidesOf(topology);
  while (sides.length < 3) sides.push(1);
  return [...sides, ...(isDualChiplet ? [2] : [])].join(',');
}

/** All hosts of a replica in one node pool, and no host of another replica or RayCluster there. */
function onePoolPerReplica(cluster: string, replicaName: string): Json {
  const topologyKey = 'cloud.google.com/gke-nodepool';
  const expression = (key: string, operator: string, values?: readonly string[]): Json => ({
    key,
    operator,
    ...(values === undefined ? {} : { values }),
  });
  const term = (matchExpressions: readonly Json[]): Json => ({
    labelSelector: { matchExpressions },
    topologyKey,
  });
  return {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        term([
          expression('ray.io/cluster', 'In', [cluster]),
          expression('replicaIndex', 'In', [replicaName]),
        ]),
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        term([
          expression('ray.io/cluster', 'In', [cluster]),
          expression('replicaIndex', 'Exists'),
          expression('replicaIndex', 'NotIn', [replicaName]),
        ]),
        term([
          expression('ray.io/cluster', 'Exists'),
          expression('ray.io/cluster', 'NotIn', [cluster]),
          expression('replicaIndex', 'Exists'),
        ]),
      ],
    },
  };
}

/** Variables of a container in order; a name stands once. */
class Environment {
  public variables: EnvironmentVariable[];

  public constructor(variables: readonly EnvironmentVariable[]) {
    this.variables = [...variables];
  }

  /** Sets a value, whatever was there. */
  public set(name: string, value: string): void {
    this.variables = [...this.variables.filter((variable) => variable.name !== name), { name, value }];
  }

  /** Sets a value where there is none, or only a meaningless default. */
  public fill(name: string, value: string, meaningless = ''): void {
    const present = this.variables.find((variable) => variable.name === name);
    const text = present?.value ?? '';
    if (present === undefined || (present.valueFrom === undefined && (text === '' || text === meaningless))) {
      this.set(name, value);
    }
  }

  /** Takes a value from the pod's own fields, where there is none. */
  public reference(name: string, fieldPath: string): void {
    if (this.variables.some((variable) => variable.name === name)) return;
    this.variables = [...this.variables, { name, valueFrom: { fieldRef: { fieldPath } } }];
  }
}
