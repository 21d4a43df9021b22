import type { Path, Problem } from '../problems';
import { asList, asObject, asText, type JsonObject } from './json';

/** A Problem of a rendered object; `path` begins in the object. */
export interface ManifestProblem extends Problem {
  /** `Kind namespace/name`, or `Kind name` for what belongs to no namespace. */
  readonly object: string;
}

/** A rendered object, with its pods found. */
export interface Manifest {
  readonly object: JsonObject;
  readonly kind: string;
  readonly name: string;
  /** The namespace it lands in; undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  /** `Kind namespace/name`, or `Kind name`. */
  readonly id: string;
  readonly pods: readonly PodView[];
  readonly rayClusters: readonly RayClusterView[];
}

/** A pod that an object would make. */
export interface PodView {
  /** Path of the pod's template: holds `metadata` and `spec`. Empty for a Pod. */
  readonly path: Path;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly containers: readonly ContainerView[];
  /** Whether Ray runs in it, and as what. */
  readonly rayNode: 'head' | 'worker' | undefined;
  /** The group that carries the template, for Ray's nodes. */
  readonly group: JsonObject;
}

/** A container of a pod. */
export interface ContainerView {
  /** Path below the pod's template: `spec.containers[0]`. */
  readonly path: Path;
  readonly container: JsonObject;
  /** Whether it ends before the others start. A sidecar (restartPolicy Always) does not. */
  readonly isInit: boolean;
}

/** The spec of a RayCluster, also of one that a RayJob or RayService makes. */
export interface RayClusterView {
  readonly path: Path;
  readonly spec: JsonObject;
  readonly workerGroups: readonly { readonly path: Path; readonly group: JsonObject }[];
}

/** Namespace of objects that name none, as `kubectl apply` takes them. */
export const DEFAULT_NAMESPACE = 'default';

/** Kinds without a namespace, of those this project or its users are likely to write. */
export const CLUSTER_SCOPED_KINDS: ReadonlySet<string> = new Set([
  'APIService',
  'ClusterQueue',
  'ClusterRole',
  'ClusterRoleBinding',
  'ComputeClass',
  'CustomResourceDefinition',
  'DeviceClass',
  'MutatingWebhookConfiguration',
  'Namespace',
  'Network',
  'PersistentVolume',
  'PriorityClass',
  'ResourceFlavor',
  'ResourceSlice',
  'RuntimeClass',
  'StorageClass',
  'ValidatingWebhookConfiguration',
  'WorkloadPriorityClass',
]);

/** Where an object's pod template is, for the kinds that have one. */
const POD_TEMPLATE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  Job: ['spec', 'template'],
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  RayJob: ['spec', 'submitterPodTemplate'],
};

/** Where an object's RayCluster spec is, for the kinds that have one. */
const RAY_CLUSTER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  RayCluster: ['spec'],
  RayJob: ['spec', 'rayClusterSpec'],
  RayService: ['spec', 'rayClusterConfig'],
};

/** What the rules need to know of a rendered object. */
export function viewManifest(rendered: unknown): Manifest {
  const object = asObject(rendered);
  const metadata = asObject(object['metadata']);
  const kind = asText(object['kind']) ?? '';
  const name = asText(metadata['name']) ?? '';
  const isClusterScoped = CLUSTER_SCOPED_KINDS.has(kind);
  const namespace = isClusterScoped ? undefined : (asText(metadata['namespace']) ?? DEFAULT_NAMESPACE);
  const rayClusters = viewRayClusters(object, kind);
  return {
    object,
    kind,
    name,
    namespace,
    id: objectId(kind, namespace, name),
    pods: [...viewPods(object, kind), ...rayClusters.flatMap(viewRayPods)],
    rayClusters,
  };
}

/** `Kind namespace/name`, or `Kind name`. */
export function objectId(kind: string, namespace: string | undefined, name: string): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function viewPods(object: JsonObject, kind: string): PodView[] {
  const fields = POD_TEMPLATE_FIELDS[kind];
  if (fields === undefined) return [];
  const template = descend(object, fields);
  return template['spec'] === undefined ? [] : [viewPod(fields, template, undefined, {})];
}

function viewRayClusters(object: JsonObject, kind: string): RayClusterView[] {
  const fields = RAY_CLUSTER_FIELDS[kind];
  if (fields === undefined) return [];
  const path = fields;
  const spec = descend(object, fields);
  const workerGroups = asList(spec['workerGroupSpecs']).map((group, index) => ({
    path: [...path, 'workerGroupSpecs', index],
    group: asObject(group),
  }));
  return [{ path, spec, workerGroups }];
}

function viewRayPods({ path, spec, workerGroups }: RayClusterView): PodView[] {
  const head = asObject(spec['headGroupSpec']);
  return [
    ...(spec['headGroupSpec'] === undefined
      ? []
      : [viewPod([...path, 'headGroupSpec', 'template'], asObject(head['template']), 'head', head)]),
    ...workerGroups.map((worker) =>
      viewPod([...worker.path, 'template'], asObject(worker.group['template']), 'worker', worker.group),
    ),
  ];
}

function viewPod(path: Path, template: JsonObject, rayNode: PodView['rayNode'], group: JsonObject): PodView {
  const spec = asObject(template['spec']);
  const containers = (['initContainers', 'containers'] as const).flatMap((field) =>
    asList(spec[field]).map((value, index): ContainerView => {
      const container = asObject(value);
      const isInit = field === 'initContainers' && container['restartPolicy'] !== 'Always';
      return { path: ['spec', field, index], container, isInit };
    }),
  );
  return { path, metadata: asObject(template['metadata']), spec, containers, rayNode, group };
}

function descend(object: JsonObject, fields: readonly string[]): JsonObject {
  return fields.reduce<JsonObject>((parent, field) => asObject(parent[field]), object);
}
