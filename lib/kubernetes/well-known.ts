/** Resource name of TPU chips. */
export const TPU_RESOURCE = 'google.com/tpu';

/** Taint GKE puts on TPU nodes: `google.com/tpu=present:NoSchedule`. */
export const TPU_TAINT_KEY = 'google.com/tpu';

/** Node labels of TPU node pools. @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus */
export const NODE_LABELS = {
  accelerator: 'cloud.google.com/gke-tpu-accelerator',
  topology: 'cloud.google.com/gke-tpu-topology',
  nodePool: 'cloud.google.com/gke-nodepool',
  spot: 'cloud.google.com/gke-spot',
  reservation: 'cloud.google.com/reservation-name',
  reservationProject: 'cloud.google.com/reservation-project',
  reservationAffinity: 'cloud.google.com/reservation-affinity',
  flexStart: 'cloud.google.com/gke-flex-start',
  queued: 'cloud.google.com/gke-queued',
  computeClass: 'cloud.google.com/compute-class',
  metadataServer: 'iam.gke.io/gke-metadata-server-enabled',
  networkingDraDriver: 'cloud.google.com/gke-networking-dra-driver',
} as const;

/**
 * Label, and where others must stay out also taint, of every TPU node pool of a Standard cluster: the set of pools it
 * belongs to. Workers select it, so that a run takes its own pools and no others.
 */
export const POOL_SET_KEY = 'cdk8s-tpu-ray/node-pool';

/** Keeps the cluster autoscaler from draining a pod; the value is the string "false". */
export const SAFE_TO_EVICT_ANNOTATION = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** Opt-out of Flux's variable substitution, so that `${…}` in a script survives. */
export const FLUX_SUBSTITUTE_ANNOTATION = 'kustomize.toolkit.fluxcd.io/substitute';

/** Digest of a trainer's sources, which the submitter says and writes into the metadata of Ray's job. */
export const SOURCES_ANNOTATION = 'cdk8s-tpu-ray/sources';

/** Opt-out of mesh sidecars, which would outlive a Job and block GCS FUSE at start-up. */
export const MESH_INJECTION_LABEL = 'sidecar.istio.io/inject';

export const LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  partOf: 'app.kubernetes.io/part-of',
  component: 'app.kubernetes.io/component',
  instance: 'app.kubernetes.io/instance',
  name: 'app.kubernetes.io/name',
} as const;

/** Value of `app.kubernetes.io/managed-by` on everything this project renders. */
export const MANAGED_BY = 'cdk8s-tpu-ray';
