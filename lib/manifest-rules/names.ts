import {
  MULTI_HOST_RAY_CLUSTER_NAME_MAX,
  MULTI_HOST_RAY_JOB_NAME_MAX,
  RAY_CLUSTER_NAME_MAX,
  RAY_JOB_NAME_MAX,
  tpuGroupNameMax,
} from '../kuberay/limits';
import {
  dns1035LabelError,
  dns1123LabelError,
  dns1123SubdomainError,
  DNS_LABEL_MAX,
} from '../kubernetes/names';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asList, asObject, type JsonObject } from './json';
import type { Manifest, PodView } from './manifest';
import { forEachManifest } from './rule';

/** A CronJob's Jobs are called `<name>-` and 10 digits of minutes. @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ */
const CRON_JOB_NAME_MAX = DNS_LABEL_MAX - '-0123456789'.length;

/** A container port's name is an IANA service name. @see https://www.rfc-editor.org/rfc/rfc6335#section-5.1 */
const PORT_NAME = /^(?=[a-z0-9-]{1,15}$)(?=.*[a-z])[a-z0-9](?:-?[a-z0-9])*$/;

const CONFIG_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** RBAC names are URL path segments and may hold colons. */
const PATH_SEGMENT_KINDS: ReadonlySet<string> = new Set([
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
]);

/**
 * Names are legal for their kind, and within the tightest limit of what is made from them: Services of a RayCluster, host names of a
 * slice, labels of a Job's pods. Too long names are refused, never cut.
 */
export const names = forEachManifest((manifest) => [
  ...objectName(manifest),
  ...namespaceName(manifest),
  ...workerGroupNames(manifest),
  ...configKeys(manifest),
  ...manifest.pods.flatMap(podNames),
]);

function objectName(manifest: Manifest): Problem[] {
  const value = asObject(manifest.object['metadata'])['name'];
  if (typeof value !== 'string') {
    return [problem('OBJECT_NAME_MISSING', ['metadata', 'name'], value)];
  }
  return nameProblem(['metadata', 'name'], value, objectNameError(manifest, value));
}

function objectNameError(manifest: Manifest, name: string): string | undefined {
  switch (manifest.kind) {
    case 'RayCluster':
      return dns1035LabelError(
        name,
        hasMultiHostGroup(manifest) ? MULTI_HOST_RAY_CLUSTER_NAME_MAX : RAY_CLUSTER_NAME_MAX,
      );
    case 'RayJob':
    case 'RayService':
      return dns1035LabelError(
        name,
        hasMultiHostGroup(manifest) ? MULTI_HOST_RAY_JOB_NAME_MAX : RAY_JOB_NAME_MAX,
      );
    case 'Service':
      return dns1035LabelError(name);
    case 'Job':
    case 'Namespace':
    case 'Pod':
      return dns1123LabelError(name);
    case 'CronJob':
      return dns1123LabelError(name, CRON_JOB_NAME_MAX);
    default:
      return PATH_SEGMENT_KINDS.has(manifest.kind) ? pathSegmentError(name) : dns1123SubdomainError(name);
  }
}

function pathSegmentError(name: string): string | undefined {
  const isLegal = name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
  return isLegal ? undefined : 'a name here is not empty, not . or .., and holds neither / nor %';
}

function hasMultiHostGroup({ rayClusters }: Manifest): boolean {
  return rayClusters.some(({ workerGroups }) => workerGroups.some(({ group }) => hostsOf(group) > 1));
}

function hostsOf(group: JsonObject): number {
  return typeof group['numOfHosts'] === 'number' ? group['numOfHosts'] : 1;
}

function namespaceName({ object }: Manifest): Problem[] {
  return optionalName(
    ['metadata', 'namespace'],
    asObject(object['metadata'])['namespace'],
    dns1123LabelError,
  );
}

function workerGroupNames({ rayClusters }: Manifest): Problem[] {
  return rayClusters.flatMap(({ workerGroups }) =>
    workerGroups.flatMap(({ path, group }) => {
      const replicas = Math.max(
        1,
        ...[group['maxReplicas'], group['replicas']].map((count) => (isIndex(count) ? count : 1)),
      );
      const max = tpuGroupNameMax(replicas, hostsOf(group));
      return optionalName([...path, 'groupName'], group['groupName'], (name) => dns1123LabelError(name, max));
    }),
  );
}

/** The CRD's default of maxReplicas, 2147483647, says that nobody meant a bound. */
function isIndex(count: unknown): count is number {
  return typeof count === 'number' && count < 2147483647;
}

function configKeys({ kind, object }: Manifest): Problem[] {
  if (kind !== 'ConfigMap' && kind !== 'Secret') return [];
  return ['data', 'binaryData', 'stringData'].flatMap((field) =>
    Object.keys(asObject(object[field])).flatMap((key) =>
      nameProblem(
        [field],
        key,
        CONFIG_KEY.test(key) ? undefined : 'a key has at most 253 letters, digits, -, _ and .',
      ),
    ),
  );
}

function podNames(pod: PodView): Problem[] {
  const volumes = asList(pod.spec['volumes']).flatMap((volume, index) =>
    optionalName(
      [...pod.path, 'spec', 'volumes', index, 'name'],
      asObject(volume)['name'],
      dns1123LabelError,
    ),
  );
  const containers = pod.containers.flatMap(({ path, container }) => [
    ...optionalName([...pod.path, ...path, 'name'], container['name'], dns1123LabelError),
    ...asList(container['ports']).flatMap((port, index) =>
      optionalName([...pod.path, ...path, 'ports', index, 'name'], asObject(port)['name'], portNameError),
    ),
  ]);
  return [...volumes, ...containers];
}

function portNameError(name: string): string | undefined {
  if (PORT_NAME.test(name)) return undefined;
  return 'a port name has at most 15 lower-case letters, digits and single -, with at least one letter';
}

/** A missing name is the schema's business. */
function optionalName(path: Path, value: unknown, errorOf: (name: string) => string | undefined): Problem[] {
  return typeof value === 'string' ? nameProblem(path, value, errorOf(value)) : [];
}

function nameProblem(path: Path, value: string, rule: string | undefined): Problem[] {
  return rule === undefined ? [] : [problem('OBJECT_NAME', path, value, { reason: rule })];
}
