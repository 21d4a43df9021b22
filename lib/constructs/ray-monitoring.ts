import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { METRICS_PORT } from '../kuberay/ports';
import { LABELS, MANAGED_BY } from '../kubernetes/well-known';
import type { TrainingRun } from '../run';
import { requireWholeNumbers } from './whole-numbers';

/** Properties of a `RayMonitoring`. */
export interface RayMonitoringProps {
  /** Name of the PodMonitoring. */
  readonly name: string;
  /** Namespace of the RayCluster: a PodMonitoring sees its own namespace only. */
  readonly namespace: string;
  /** RayCluster whose head and workers are read. */
  readonly rayClusterName: string;
  /**
   * Seconds between two readings.
   *
   * @default 30
   */
  readonly intervalSeconds?: number;
}

/** Labels of a pod that a sample keeps, by the names Prometheus takes. */
const POD_LABELS = [
  { from: 'ray.io/cluster', to: 'ray_cluster' },
  { from: 'ray.io/node-type', to: 'ray_node_type' },
  { from: 'ray.io/group', to: 'ray_group' },
] as const;

/**
 * Lets GKE's Managed Service for Prometheus read the metrics of a RayCluster: Ray's own, what trainers report through Ray,
 * and the TPU metrics that Ray's agent reads from GKE's device plugin, all on one port of every pod.
 * @see https://docs.cloud.google.com/stackdriver/docs/managed-prometheus/setup-managed
 */
export class RayMonitoring extends Construct {
  /** Props of the monitoring that a run describes; undefined where it describes none. */
  public static propsOf(run: TrainingRun): RayMonitoringProps | undefined {
    if (!run.monitoring) return undefined;
    const { rayClusterName } = run;
    return { name: rayClusterName, namespace: run.platform.namespace, rayClusterName };
  }

  /** The PodMonitoring object, for patches. */
  public readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: RayMonitoringProps) {
    super(scope, id);
    const { name, namespace, rayClusterName, intervalSeconds = 30 } = props;
    requireWholeNumbers([{ path: ['intervalSeconds'], value: intervalSeconds, least: 1 }]);
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'monitoring.googleapis.com/v1',
      kind: 'PodMonitoring',
      metadata: {
        name,
        namespace,
        labels: { [LABELS.managedBy]: MANAGED_BY, [LABELS.instance]: rayClusterName },
      },
      spec: {
        selector: { matchLabels: { 'ray.io/cluster': rayClusterName } },
        // By name, since workers of several slices have it on another number.
        endpoints: [{ port: METRICS_PORT.name, path: '/metrics', interval: `${String(intervalSeconds)}s` }],
        targetLabels: { fromPod: POD_LABELS.map((label) => ({ ...label })) },
      },
    });
  }
}
