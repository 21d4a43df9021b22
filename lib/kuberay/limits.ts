/** A DNS label. @see https://www.rfc-editor.org/rfc/rfc1123#section-2 */
const DNS_LABEL_MAX = 63;

/**
 * The longest name of a RayCluster: KubeRay appends up to 10 characters (`-headless` has 9, `-head-svc` 9, `-serve-svc` 10) to make
 * Service names, 63 - 10 = 53.
 *
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/constant.go MaxRayClusterNameLength
 */
export const RAY_CLUSTER_NAME_MAX = DNS_LABEL_MAX - '-serve-svc'.length;

/**
 * The longest name of a RayJob or RayService: the cluster KubeRay makes for it is called `<name>-` and five random characters,
 * 53 - 6 = 47.
 *
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/constant.go MaxRayJobNameLength
 */
export const RAY_JOB_NAME_MAX = RAY_CLUSTER_NAME_MAX - '-xxxxx'.length;

/** Where the TPU webhook cuts the pods' subdomain, from the front; KubeRay's headless Service is not cut. */
const TPU_WEBHOOK_SUBDOMAIN_MAX = 50;

/**
 * The longest name of a RayCluster with a multi-host TPU group. The webhook gives its pods the subdomain `<cluster>-headless`, cut to
 * 50 characters; a longer name would be cut and no longer be the Service's: 50 - 9 = 41. Its hosts would never find each other.
 *
 * @see https://github.com/ai-on-gke/kuberay-tpu-webhook/blob/main/main.go generateHeadlessServiceName
 */
export const MULTI_HOST_RAY_CLUSTER_NAME_MAX = TPU_WEBHOOK_SUBDOMAIN_MAX - '-headless'.length;

/** The same for a RayJob or RayService: 41 - 6 = 35. */
export const MULTI_HOST_RAY_JOB_NAME_MAX = MULTI_HOST_RAY_CLUSTER_NAME_MAX - '-xxxxx'.length;

/**
 * The longest name of a worker group with TPU hosts: the webhook's host name `<group>-<replica>-<host>` is a DNS label,
 * 63 less the two hyphens and the digits of the largest replica and host index.
 *
 * @param replicas slices of the group, at least 1
 * @param numOfHosts hosts of a slice, at least 1
 */
export function tpuGroupNameMax(replicas: number, numOfHosts: number): number {
  return DNS_LABEL_MAX - `-${replicas - 1}-${numOfHosts - 1}`.length;
}

/** KubeRay's own default for the autoscaler container beside the head, written out. */
export const AUTOSCALER_RESOURCES = { cpu: '500m', memory: '512Mi' } as const;
