/**
 * Every default of a project and a run, once. The types' `@default` tags repeat those that are literals; a test
 * compares them.
 */

/** Ray version tested with the trainers. */
export const DEFAULT_RAY_VERSION = '2.60.0';

/** Oldest KubeRay whose fields are used unless platform.yaml says more. */
export const DEFAULT_KUBERAY_VERSION = '1.4.0';

export const DEFAULT_NAMESPACE = 'default';
export const DEFAULT_SERVICE_ACCOUNT = 'tpu-trainer';

/** Head: enough for the dashboard, GCS, the job's driver and the train controller. */
export const DEFAULT_HEAD_RESOURCES = { cpu: '8', memory: '16Gi' } as const;

/** Submitter: one Python process that reads HTTP. */
export const DEFAULT_SUBMITTER_RESOURCES = { cpu: '100m', cpuLimit: '1', memory: '256Mi' } as const;

/** Share of a TPU host that a worker asks for when the run does not say: the rest is left to system pods and sidecars. */
export const DEFAULT_WORKER_SHARE = 0.5;

/** Largest share of a TPU host a worker may ask for without a warning. */
export const WARN_WORKER_SHARE = 0.9;

export const DEFAULT_START_DEADLINE = '12h';
export const DEFAULT_BACKOFF_LIMIT = 3;

/** Shorter start deadlines give up before a head is up. */
export const SHORT_START_DEADLINE_SECONDS = 300;
