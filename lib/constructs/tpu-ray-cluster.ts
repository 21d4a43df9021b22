import { problem } from '../problems';
import { ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { AUTOSCALER_RESOURCES } from '../kuberay/limits';
import { CLIENT_PORT, DASHBOARD_PORT, GCS_PORT, METRICS_PORT } from '../kuberay/ports';
import type { RayPort } from '../kuberay/ports';
import type { Container, RayClusterSpec, WorkerGroupSpec } from '../kuberay/ray-cluster-types';
import { compareKubeRayVersions } from '../kuberay/versions';
import type { KubeRayVersion } from '../kuberay/versions';
import { LABELS, MANAGED_BY, NODE_LABELS, TPU_RESOURCE, TPU_TAINT_KEY } from '../kubernetes/well-known';
import { ProblemsError } from '../run';
import type { ContainerResources, TrainingRun } from '../run';
import type { TpuSlice } from '../tpu';
import { RayPod, userNumbers } from './ray-pod';
import type { EnvironmentValue, PodUser } from './ray-pod';
import { requireWholeNumbers } from './whole-numbers';

/** Name of the one worker group: slices of a run are its replicas. */
export const TPU_GROUP_NAME = 'tpu-group';

/** Properties of a `TpuRayCluster`. */
export interface TpuRayClusterProps {
  /** Name of the RayCluster; at most 41 characters when a slice has several hosts. */
  readonly name: string;
  /** Namespace of the RayCluster. */
  readonly namespace: string;
  /** The slice every replica of the worker group is. */
  readonly slice: TpuSlice;
  /**
   * Fewest and most slices.
   *
   * @default - one slice
   */
  readonly slices?: { readonly min: number; readonly max: number };
  /** Image of head and workers. */
  readonly image: string;
  /**
   * When nodes pull the image.
   *
   * @default 'IfNotPresent'
   */
  readonly imagePullPolicy?: 'IfNotPresent' | 'Always' | 'Never';
  /** Ray version of the image; KubeRay chooses its health probes by it. */
  readonly rayVersion: string;
  /** KubeRay version in the cluster; decides how fields that differ are written. */
  readonly kubeRayVersion: KubeRayVersion;
  /** GKE mode: Standard clusters have the metadata server as a node label. */
  readonly clusterMode: 'standard' | 'autopilot';
  readonly serviceAccountName: string;
  /** CPU and memory of the head. */
  readonly headResources: ContainerResources;
  /** CPU and memory of a worker. */
  readonly workerResources: ContainerResources;
  /**
   * Numeric user and group of all containers.
   *
   * @default - the image's user
   */
  readonly user?: PodUser;
  /**
   * Environment of head and workers.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, EnvironmentValue>>;
  /**
   * Environment of workers only.
   *
   * @default - none
   */
  readonly workerEnvironment?: Readonly<Record<string, string>>;
  /**
   * Logical TPU resources per chip: 2 for one process per device on tpu7x.
   *
   * @default 1
   */
  readonly tpuResourcePerChip?: number;
  /**
   * Logical CPUs of the head; 0 keeps tasks off it.
   *
   * @default - Ray counts them
   */
  readonly headCpus?: number;
  /**
   * Run Ray's autoscaler, which then owns the number of slices.
   *
   * @default false
   */
  readonly autoscaler?: boolean;
  /**
   * Node labels and tolerations of workers, for instance of spot nodes.
   *
   * @default - none
   */
  readonly workerScheduling?: {
    readonly nodeSelector: Readonly<Record<string, string>>;
    readonly tolerations: readonly WorkerToleration[];
  };
  /**
   * Let KubeRay recreate the cluster when its spec changes; needs KubeRay 1.6.
   *
   * @default false
   */
  readonly recreateOnChange?: boolean;
  /**
   * Secret with Ray's token under the key auth_token; needs KubeRay 1.6 and Ray 2.52.
   *
   * @default - no authentication
   */
  readonly authTokenSecret?: string;
}

/** A toleration of worker pods. */
export interface WorkerToleration {
  readonly key: string;
  readonly operator: 'Equal' | 'Exists';
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule';
}

/**
 * A RayCluster whose one worker group is made of TPU slices. What is added to `head` and `workers` later reaches the
 * manifest, since the spec is put together when the app is synthesized.
 */
export class TpuRayCluster extends Construct {
  /** Props of the cluster that a run describes. */
  public static propsOf(run: TrainingRun): TpuRayClusterProps {
    return {
      name: run.rayClusterName,
      namespace: run.platform.namespace,
      slice: run.slice,
      slices: run.slices,
      image: run.image,
      imagePullPolicy: run.imagePullPolicy,
      rayVersion: run.rayVersion,
      kubeRayVersion: run.platform.kubeRayVersion,
      clusterMode: run.platform.cluster.mode,
      serviceAccountName: run.platform.serviceAccount.name,
      headResources: run.resources.head,
      workerResources: run.resources.worker,
      ...(run.user === undefined ? {} : { user: run.user }),
      environment: run.environment,
      workerEnvironment: run.workerEnvironment,
      tpuResourcePerChip: run.trainer.tpuResourcePerChip,
      ...(run.trainer.headCpus === undefined ? {} : { headCpus: run.trainer.headCpus }),
      autoscaler: run.autoscaler,
      workerScheduling: run.scheduling,
      recreateOnChange: run.recreateOnChange,
      ...(run.authTokenSecret === undefined ? {} : { authTokenSecret: run.authTokenSecret }),
    };
  }

  /** The RayCluster object, for patches. */
  public readonly apiObject: ApiObject;
  /** The head's pod. */
  public readonly head: RayPod;
  /** The pod of every TPU host. */
  public readonly workers: RayPod;
  /** Address of the dashboard and job API inside the cluster. */
  public readonly dashboardAddress: string;
  /** Name of the RayCluster. */
  public readonly clusterName: string;
  /** GKE mode of the cluster. */
  public readonly clusterMode: 'standard' | 'autopilot';
  private readonly workerStartParams: Record<string, string> = {};
  private readonly headStartParams: Record<string, string> = {};

  public constructor(scope: Construct, id: string, props: TpuRayClusterProps) {
    super(scope, id);
    checkNumbers(props);
    this.clusterName = props.name;
    this.clusterMode = props.clusterMode;
    this.dashboardAddress = `http://${props.name}-head-svc.${props.namespace}.svc:${String(DASHBOARD_PORT.port)}`;
    this.head = createHead(props);
    this.workers = createWorkers(props);
    if (props.headCpus !== undefined) this.headStartParams['num-cpus'] = String(props.headCpus);
    const group = logicalResources(props);
    Object.assign(this.workerStartParams, group.startParams);
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: {
        name: props.name,
        namespace: props.namespace,
        labels: { [LABELS.managedBy]: MANAGED_BY, [LABELS.instance]: props.name },
      },
      spec: Lazy.any({ produce: () => this.renderSpec(props, group.resources) }) as unknown,
    });
  }

  /** Sets a parameter of `ray start` on the workers, as in `metrics-export-port`. */
  public addWorkerStartParam(name: string, value: string): void {
    this.workerStartParams[name] = value;
  }

  /**
   * Moves the workers' metrics to another port. What reads them finds the port by its name, `metrics`, as on every Ray pod.
   *
   * @param port a port that nothing else in the pod listens on
   */
  public moveWorkerMetrics(port: number): void {
    requireWholeNumbers([{ path: ['port'], value: port, least: 1, most: 65535 }]);
    this.addWorkerStartParam('metrics-export-port', String(port));
    this.workers.setPort(declared({ ...METRICS_PORT, port }));
  }

  private renderSpec(
    props: TpuRayClusterProps,
    resources: Record<string, string> | undefined,
  ): RayClusterSpec {
    const slices = props.slices ?? { min: 1, max: 1 };
    const workers: WorkerGroupSpec = {
      groupName: TPU_GROUP_NAME,
      // Ray's autoscaler owns the number of slices; a rendered number would fight it at every apply.
      ...(props.autoscaler === true ? {} : { replicas: slices.max }),
      minReplicas: slices.min,
      maxReplicas: slices.max,
      numOfHosts: props.slice.hosts,
      rayStartParams: { ...this.workerStartParams },
      ...(resources === undefined ? {} : { resources }),
      template: this.workers.render(),
    };
    return {
      rayVersion: props.rayVersion,
      ...(props.recreateOnChange === true ? { upgradeStrategy: { type: 'Recreate' } } : {}),
      ...(props.authTokenSecret === undefined
        ? {}
        : { authOptions: { mode: 'token', secretName: props.authTokenSecret } }),
      ...(props.autoscaler === true
        ? {
            enableInTreeAutoscaling: true,
            autoscalerOptions: {
              version: 'v2',
              resources: { requests: AUTOSCALER_RESOURCES, limits: AUTOSCALER_RESOURCES },
            },
          }
        : {}),
      headGroupSpec: { rayStartParams: { ...this.headStartParams }, template: this.head.render() },
      workerGroupSpecs: [workers],
    };
  }
}

function checkNumbers({ slices, headCpus, tpuResourcePerChip, user }: TpuRayClusterProps): void {
  requireWholeNumbers([
    { path: ['slices', 'min'], value: slices?.min, least: 0 },
    { path: ['slices', 'max'], value: slices?.max, least: 1 },
    { path: ['headCpus'], value: headCpus, least: 0 },
    { path: ['tpuResourcePerChip'], value: tpuResourcePerChip, least: 1 },
    ...userNumbers(user),
  ]);
  if (slices !== undefined && slices.min > slices.max) {
    throw new ProblemsError([problem('TPU_SLICES_RANGE', ['slices'], slices)]);
  }
}

/** Ray's autoscaler v2 replaces pods itself, so that they must not restart in place. */
function restartPolicyOf(props: TpuRayClusterProps): { restartPolicy?: 'Never' } {
  return props.autoscaler === true ? { restartPolicy: 'Never' } : {};
}

/** A port as a container declares it. */
function declared({ name, port }: RayPort): NonNullable<Container['ports']>[number] {
  // The protocol is what the CRD would fill in; left out, every `kubectl apply` would say that something changed.
  return { containerPort: port, name, protocol: 'TCP' };
}

function createHead(props: TpuRayClusterProps): RayPod {
  const head = new RayPod({
    containerName: 'ray-head',
    image: props.image,
    ...(props.imagePullPolicy === undefined ? {} : { imagePullPolicy: props.imagePullPolicy }),
    serviceAccountName: props.serviceAccountName,
    // The autoscaler runs beside the head and talks to the Kubernetes API.
    mountServiceAccountToken: props.autoscaler === true,
    ...(props.user === undefined ? {} : { user: props.user }),
    ...restartPolicyOf(props),
    ports: [GCS_PORT, DASHBOARD_PORT, CLIENT_PORT].map(declared),
    resources: cpuAndMemory(props.headResources),
  });
  addCommonParts(head, props, props.headResources);
  return head;
}

function createWorkers(props: TpuRayClusterProps): RayPod {
  const workers = new RayPod({
    containerName: 'ray-worker',
    image: props.image,
    ...(props.imagePullPolicy === undefined ? {} : { imagePullPolicy: props.imagePullPolicy }),
    serviceAccountName: props.serviceAccountName,
    ...(props.user === undefined ? {} : { user: props.user }),
    ...restartPolicyOf(props),
    resources: withTpu(cpuAndMemory(props.workerResources), props.slice.chipsPerHost),
  });
  addCommonParts(workers, props, props.workerResources);
  for (const [name, value] of Object.entries(props.workerEnvironment ?? {}))
    workers.addEnvironment(name, value);
  workers.addNodeSelector(NODE_LABELS.accelerator, props.slice.acceleratorLabel);
  workers.addNodeSelector(NODE_LABELS.topology, props.slice.topology);
  for (const [key, value] of Object.entries(props.workerScheduling?.nodeSelector ?? {})) {
    workers.addNodeSelector(key, value);
  }
  workers.addToleration({ key: TPU_TAINT_KEY, operator: 'Exists', effect: 'NoSchedule' });
  for (const toleration of props.workerScheduling?.tolerations ?? []) workers.addToleration(toleration);
  return workers;
}

function addCommonParts(pod: RayPod, props: TpuRayClusterProps, resources: ContainerResources): void {
  for (const [name, value] of Object.entries(props.environment ?? {})) pod.addEnvironment(name, value);
  if (props.tpuResourcePerChip !== undefined && props.tpuResourcePerChip > 1) {
    pod.addEnvironment('RAY_TPU_RESOURCE_PER_CHIP', String(props.tpuResourcePerChip));
  }
  pod.addVolume(
    { name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: resources.sharedMemory } },
    { mountPath: '/dev/shm' },
  );
  if (props.clusterMode === 'standard') pod.addNodeSelector(NODE_LABELS.metadataServer, 'true');
}

function cpuAndMemory(resources: ContainerResources): NonNullable<Container['resources']> {
  return {
    limits: { cpu: resources.cpuLimit, memory: resources.memory },
    requests: { cpu: resources.cpu, memory: resources.memory },
  };
}

function withTpu(
  resources: NonNullable<Container['resources']>,
  chips: number,
): NonNullable<Container['resources']> {
  const tpu = { [TPU_RESOURCE]: String(chips) };
  return { limits: { ...resources.limits, ...tpu }, requests: { ...resources.requests, ...tpu } };
}

/**
 * Ray takes the container's chips for its TPU resource; where it must count more, KubeRay 1.5 and newer say so by the
 * group's resources, older ones by a parameter of `ray start`, quoted for the shell that runs it.
 */
function logicalResources(props: TpuRayClusterProps): {
  resources?: Record<string, string>;
  startParams: Record<string, string>;
} {
  const perChip = props.tpuResourcePerChip ?? 1;
  if (perChip === 1) return { startParams: {} };
  const tpu = props.slice.chipsPerHost * perChip;
  if (compareKubeRayVersions(props.kubeRayVersion, '1.5.0') >= 0) {
    return { resources: { TPU: String(tpu) }, startParams: {} };
  }
  return { startParams: { resources: JSON.stringify(JSON.stringify({ TPU: tpu })) } };
}
