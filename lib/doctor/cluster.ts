import { RAY_CLUSTER_FIELDS } from '../kuberay/fields.generated';
import { KUBERAY_VERSIONS, compareKubeRayVersions, parseKubeRayVersion } from '../kuberay/versions';
import type { KubeRayVersion } from '../kuberay/versions';
import type { PlannedProject } from '../plan';
import type { Manifest } from '../review';
import { at, list } from '../review';
import { Examination, jsonOf } from './finding';
import type { Finding, Observation } from './finding';
import { compareMinors, minorOf } from './version';

/** What was seen of the cluster itself. */
export interface ClusterObservations {
  /** `kubectl config current-context`. */
  readonly context: Observation;
  /** `kubectl version --output=json`. */
  readonly version: Observation;
  /** `kubectl get --raw /apis/GROUP/VERSION`, by apiVersion. */
  readonly resources: ReadonlyMap<string, Observation>;
  /** The CRD rayclusters.ray.io. */
  readonly rayClusterCrd: Observation;
  /** Deployments with the label of the KubeRay operator. */
  readonly operators: Observation;
  /** All mutating webhook configurations. */
  readonly webhooks: Observation;
  /** Deployment behind the TPU webhook, where it is in the cluster. */
  readonly webhookDeployment: Observation;
  readonly deviceClass: Observation;
}

/** DeviceClass of network cards under GKE's managed DRANET. */
export const DEVICE_CLASS = 'netdev.google.com';

/** The API server, the operator, the TPU webhook and what claims need. */
export function examineCluster(
  seen: ClusterObservations,
  plan: PlannedProject,
  objects: readonly Manifest[],
): Finding[] {
  const cluster = new Examination('cluster');
  if (!seen.context.isThere) {
    cluster.cannotTell(
      'kubeconfig',
      seen.context.reason,
      'scripts/gcloud/credentials.sh, once the cluster is there',
    );
    return cluster.findings;
  }
  cluster.ok('kubeconfig', `context ${seen.context.output.trim()}`);
  const isReached = examineServer(cluster, seen.version, plan);
  if (!isReached) return cluster.findings;
  examineKinds(cluster, seen.resources, objects);
  examineOperator(cluster, seen, plan);
  examineWebhook(cluster, seen);
  if (plan.runs.some(({ network }) => network === 'dranet')) {
    cluster.presence(
      `DeviceClass ${DEVICE_CLASS}`,
      seen.deviceClass,
      "GKE's managed DRANET makes it: Dataplane V2, which cannot be added later, and a pool with network cards (scripts/gcloud/node-pools.sh)",
    );
  }
  return cluster.findings;
}

/** kubectl may be one minor version away from the API server. @see https://kubernetes.io/releases/version-skew-policy/ */
const MOST_SKEW = 1;

function examineServer(cluster: Examination, version: Observation, plan: PlannedProject): boolean {
  const server = at(jsonOf(version), 'serverVersion', 'gitVersion');
  if (typeof server !== 'string') {
    const reason = version.isThere ? 'kubectl names no server version' : version.reason;
    cluster.cannotTell(
      'API server',
      reason,
      'log in (gcloud auth login) and fetch credentials: scripts/gcloud/credentials.sh',
    );
    return false;
  }
  const [has, wants] = [minorOf(server), minorOf(plan.platform.cluster.version)];
  if (has !== undefined && wants !== undefined && compareMinors(has, wants) < 0) {
    cluster.missing(
      'API server',
      `${server}, and platform.yaml says ${plan.platform.cluster.version}`,
      'upgrade the control plane, or write its version into cluster.version of platform.yaml and synthesize again',
    );
  } else {
    cluster.ok('API server', server);
  }
  const client = at(jsonOf(version), 'clientVersion', 'gitVersion');
  const own = typeof client === 'string' ? minorOf(client) : undefined;
  if (
    own !== undefined &&
    has !== undefined &&
    (own[0] !== has[0] || Math.abs(own[1] - has[1]) > MOST_SKEW)
  ) {
    cluster.missing(
      'kubectl version',
      `${String(client)}, more than one minor version away from the API server`,
      `use kubectl ${String(has[0])}.${String(has[1])}`,
    );
  }
  return true;
}

function examineKinds(
  cluster: Examination,
  resources: ReadonlyMap<string, Observation>,
  objects: readonly Manifest[],
): void {
  const kinds = new Map<string, Set<string>>();
  for (const { apiVersion, kind } of objects) {
    kinds.set(apiVersion, (kinds.get(apiVersion) ?? new Set()).add(kind));
  }
  for (const [apiVersion, wanted] of [...kinds].sort()) {
    const answer = resources.get(apiVersion);
    const subject = `API ${apiVersion}`;
    const remedy =
      apiVersion === 'ray.io/v1'
        ? 'switch the Ray operator add-on on: scripts/gcloud/cluster.sh'
        : 'use a newer GKE version: the manifests are for cluster.version of platform.yaml';
    if (answer === undefined || !answer.isThere) {
      if (answer?.isNotFound === true) cluster.missing(subject, 'the API server does not serve it', remedy);
      else cluster.cannotTell(subject, answer?.reason ?? 'not asked', remedy);
      continue;
    }
    const served = new Set(list(at(jsonOf(answer), 'resources')).map((resource) => at(resource, 'kind')));
    const lacking = [...wanted].filter((kind) => !served.has(kind));
    if (lacking.length === 0) cluster.ok(subject, [...wanted].sort().join(', '));
    else cluster.missing(subject, `it has no ${lacking.join(', ')}`, remedy);
  }
}

function examineOperator(cluster: Examination, seen: ClusterObservations, plan: PlannedProject): void {
  const schema = schemaOf(jsonOf(seen.rayClusterCrd));
  if (schema === undefined) {
    if (seen.rayClusterCrd.isThere) {
      cluster.missing('RayCluster CRD', 'it serves no version v1', 'upgrade KubeRay');
    } else {
      cluster.presence(
        'RayCluster CRD',
        seen.rayClusterCrd,
        'switch the Ray operator add-on on: scripts/gcloud/cluster.sh',
      );
    }
    return;
  }
  const known = newestRelease(schema);
  const image = operatorImage(jsonOf(seen.operators));
  const operator = image === undefined ? undefined : /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1];
  const detail = `its fields are those of KubeRay ${known}${operator === undefined ? '' : `, and the operator is ${operator}`}`;
  const wanted = parseKubeRayVersion(plan.platform.kubeRayVersion);
  if (wanted !== undefined && compareKubeRayVersions(known, wanted) < 0) {
    cluster.missing(
      'RayCluster CRD',
      `${detail}; platform.yaml says ${wanted}, so that newer fields would be dropped`,
      `write kubeRayVersion: ${known} into platform.yaml, or upgrade the operator`,
    );
    return;
  }
  cluster.ok('RayCluster CRD', detail);
}

function schemaOf(crd: unknown): unknown {
  const version = list(at(crd, 'spec', 'versions')).find(
    (candidate) => at(candidate, 'name') === 'v1' && at(candidate, 'served') === true,
  );
  return at(version, 'schema', 'openAPIV3Schema');
}

/** The newest KubeRay release all of whose new fields a CRD's schema has. */
export function newestRelease(schema: unknown): KubeRayVersion {
  const [oldest, ...newer] = KUBERAY_VERSIONS;
  let newest: KubeRayVersion = oldest;
  for (const version of newer) {
    const added = Object.entries(RAY_CLUSTER_FIELDS).filter(([, age]) => age.since === version);
    if (!added.every(([path]) => hasField(schema, path))) return newest;
    newest = version;
  }
  return newest;
}

function hasField(schema: unknown, path: string): boolean {
  let place = schema;
  for (const step of path.split('.')) {
    place = at(place, 'properties', step.replace(/\[\]$/, ''));
    if (step.endsWith('[]')) place = at(place, 'items');
    if (place === undefined) return false;
  }
  return true;
}

function operatorImage(deployments: unknown): string | undefined {
  const images = list(at(deployments, 'items')).flatMap(imagesOf);
  return images.find((image) => /kuberay.*operator|operator.*kuberay/.test(image)) ?? images[0];
}

function imagesOf(deployment: unknown): string[] {
  return list(at(deployment, 'spec', 'template', 'spec', 'containers')).flatMap((container) => {
    const image = at(container, 'image');
    return typeof image === 'string' ? [image] : [];
  });
}

/** The configuration of the TPU webhook among all: its name says so. */
export function tpuWebhookOf(configurations: unknown): unknown {
  return list(at(configurations, 'items')).find((configuration) =>
    list(at(configuration, 'webhooks')).some(
      (webhook) =>
        /tpu/.test(`${String(at(configuration, 'metadata', 'name'))} ${String(at(webhook, 'name'))}`) &&
        list(at(webhook, 'rules')).some((rule) => list(at(rule, 'resources')).includes('pods')),
    ),
  );
}

const WEBHOOK_REMEDY =
  'use the Ray operator add-on, which brings it (scripts/gcloud/cluster.sh), or install kuberay-tpu-webhook beside your own operator';

function examineWebhook(cluster: Examination, seen: ClusterObservations): void {
  const configurations = jsonOf(seen.webhooks);
  if (configurations === undefined) {
    const reason = seen.webhooks.isThere ? 'kubectl answered no JSON' : seen.webhooks.reason;
    cluster.cannotTell('TPU webhook', reason, 'ask for the right to list mutatingwebhookconfigurations');
    return;
  }
  const webhook = tpuWebhookOf(configurations);
  if (webhook === undefined) {
    cluster.missing('TPU webhook', 'no webhook of that name sees pods', WEBHOOK_REMEDY);
    return;
  }
  const name = String(at(webhook, 'metadata', 'name'));
  const image = imagesOf(jsonOf(seen.webhookDeployment)).find((each) => each.includes('tpu'));
  if (image === undefined) {
    cluster.cannotTell(
      'TPU webhook',
      `${name} is there; its version is not to be seen in the cluster`,
      'nothing while workers carry TPU_WORKER_ID; an old webhook may give an id twice, which the submitter finds',
    );
    return;
  }
  cluster.ok('TPU webhook', `${name}, ${image.split('/').at(-1) ?? image}`);
}
