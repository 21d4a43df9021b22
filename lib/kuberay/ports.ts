/**
 * A port on which Ray or KubeRay listens.
 *
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/constant.go
 */
export interface RayPort {
  /** The name KubeRay gives the port on the head's container and Service. */
  readonly name: string;
  readonly port: number;
}

/** The global control store: what workers connect to. */
export const GCS_PORT: RayPort = { name: 'gcs-server', port: 6379 };

/** Dashboard and job API. */
export const DASHBOARD_PORT: RayPort = { name: 'dashboard', port: 8265 };

/** Ray client (`ray://`). */
export const CLIENT_PORT: RayPort = { name: 'client', port: 10001 };

/**
 * Prometheus metrics of every node. KubeRay gives each Ray container a port of this name and number, unless the container declares one of
 * the name itself, so that the name finds the port of every pod.
 */
export const METRICS_PORT: RayPort = { name: 'metrics', port: 8080 };

/** Metrics of workers of several slices: 8080 and 8081 stay free for MegaScale, as in Google's sample. */
export const MULTISLICE_METRICS_PORT: RayPort = { ...METRICS_PORT, port: 8082 };
