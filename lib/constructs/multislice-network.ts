import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { MULTISLICE_METRICS_PORT } from '../kuberay/ports';
import { LABELS, MANAGED_BY, NODE_LABELS } from '../kubernetes/well-known';
import type { TrainingRun } from '../run';
import type { TpuRayCluster } from './tpu-ray-cluster';
import { requireWholeNumbers } from './whole-numbers';

/** How slices reach each other over the data-centre network. */
export const MULTISLICE_NETWORK_MODES = ['dranet', 'host-network', 'pod-network'] as const;

/** DeviceClass of network cards under GKE's managed DRANET. */
export const NETDEV_DEVICE_CLASS = 'netdev.google.com';

/**
 * Port on which slices reach each other. Ray exports metrics on 8080, and MegaScale's own default is 8081.
 */
export const MEGASCALE_PORT = 9915;

/** Properties of a `MultisliceNetwork`. */
export interface MultisliceNetworkProps {
  readonly mode: (typeof MULTISLICE_NETWORK_MODES)[number];
  readonly namespace: string;
  /** Name of the ResourceClaimTemplate and of the ComputeClass. */
  readonly name: string;
  /**
   * Network cards each worker claims; needed in mode dranet.
   *
   * @default 0
   */
  readonly networkCards?: number;
  /**
   * Flags for LIBTPU_INIT_ARGS.
   *
   * @default - none
   */
  readonly libtpuInitArgs?: readonly string[];
  /**
   * Machine type of a ComputeClass that makes nodes with the network profile: Autopilot and node auto-provisioning.
   *
   * @default - no ComputeClass
   */
  readonly computeClassMachineType?: string;
}

const CLAIM_NAME = 'netdev';

/**
 * The network between the slices of a run. It gives workers the network cards or the node's network, and moves
 * MegaScale's port out of Ray's way. MEGASCALE_NUM_SLICES, _SLICE_ID and _COORDINATOR_ADDRESS are left to Ray, which
 * sets them only while there is more than one slice.
 */
export class MultisliceNetwork extends Construct {
  /** Props of the network that a run describes; undefined for a run of one slice. */
  public static propsOf(run: TrainingRun): MultisliceNetworkProps | undefined {
    const { network } = run;
    if (network.mode === 'none') return undefined;
    return {
      mode: network.mode,
      namespace: run.platform.namespace,
      name: `${run.name}-netdev`,
      networkCards: network.networkCards,
      libtpuInitArgs: network.libtpuInitArgs,
      ...(network.mode === 'dranet' && run.platform.cluster.mode === 'autopilot'
        ? { computeClassMachineType: run.slice.machineType }
        : {}),
    };
  }

  /** ResourceClaimTemplate and ComputeClass, for patches; empty in the other modes. */
  public readonly apiObjects: readonly ApiObject[];
  private readonly props: MultisliceNetworkProps;

  public constructor(scope: Construct, id: string, props: MultisliceNetworkProps) {
    super(scope, id);
    this.props = props;
    requireWholeNumbers([
      props.mode === 'dranet'
        ? {
            path: ['networkCards'],
            value: props.networkCards ?? 0,
            least: 1,
            because: 'mode dranet claims at least one card per worker',
          }
        : { path: ['networkCards'], value: props.networkCards, least: 0 },
    ]);
    this.apiObjects = [
      ...(props.mode === 'dranet' ? [this.createClaimTemplate(props.networkCards ?? 0)] : []),
      ...(props.computeClassMachineType === undefined
        ? []
        : [this.createComputeClass(props.computeClassMachineType)]),
    ];
  }

  /** Puts the workers of a cluster on the network. Head and submitter stay on the pod network. */
  public attach(cluster: TpuRayCluster): void {
    const { props } = this;
    const { workers } = cluster;
    workers.addEnvironment('MEGASCALE_PORT', String(MEGASCALE_PORT));
    cluster.moveWorkerMetrics(MULTISLICE_METRICS_PORT.port);
    const flags = props.libtpuInitArgs ?? [];
    if (flags.length > 0) workers.addEnvironment('LIBTPU_INIT_ARGS', flags.join(' '));
    if (props.mode === 'dranet') workers.addResourceClaim(CLAIM_NAME, props.name);
    if (props.mode === 'host-network') workers.useHostNetwork();
    if (props.computeClassMachineType !== undefined)
      workers.addNodeSelector(NODE_LABELS.computeClass, props.name);
  }

  /** One claim a pod, made from this template: a claim of its own is shared by nobody. */
  private createClaimTemplate(count: number): ApiObject {
    return new ApiObject(this, 'ClaimTemplate', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: {
        name: this.props.name,
        namespace: this.props.namespace,
        labels: { [LABELS.managedBy]: MANAGED_BY },
      },
      spec: {
        spec: {
          devices: {
            requests: [
              {
                name: CLAIM_NAME,
                exactly: { deviceClassName: NETDEV_DEVICE_CLASS, allocationMode: 'ExactCount', count },
              },
            ],
          },
        },
      },
    });
  }

  /** Nodes with the network profile, made on demand. A ComputeClass belongs to the cluster, not to a namespace. */
  private createComputeClass(machineType: string): ApiObject {
    const computeClass = new ApiObject(this, 'ComputeClass', {
      apiVersion: 'cloud.google.com/v1',
      kind: 'ComputeClass',
      metadata: { name: this.props.name, labels: { [LABELS.managedBy]: MANAGED_BY } },
      spec: {
        nodePoolAutoCreation: { enabled: true },
        nodePoolConfig: { dra: { networking: { enabled: true } } },
        priorities: [{ machineType, acceleratorNetworkProfile: 'auto' }],
      },
    });
    return computeClass;
  }
}
