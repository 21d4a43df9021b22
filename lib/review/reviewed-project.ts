import type { Fit } from '../training';
import type { PlannedProject, PlannedRun } from '../plan';

/** A project as a reviewer sees it: its plan, its manifests, and what the compile check said. */
export interface ReviewedProject {
  readonly plan: PlannedProject;
  /** Every object of dist/. */
  readonly objects: readonly Manifest[];
  /** Verdicts of the compile check, by run. */
  readonly fits: ReadonlyMap<string, Fit>;
}

/** A Kubernetes object as it is rendered. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** The part of a pod that a review shows. */
export interface ReviewedPod {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly { readonly key?: string }[];
  readonly resources: Readonly<Record<string, string>>;
  /** Plain values of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Network cards of claims. */
  readonly claims: readonly string[];
  readonly mounts: readonly Mount[];
}

/** A volume and where the first container sees it. */
export interface Mount {
  readonly path: string;
  /** What is mounted, in one line. */
  readonly source: string;
  readonly isStorage: boolean;
}

/** Whether a value is an object that Kubernetes takes. */
export function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string') {
    return false;
  }
  return isRecord(value['metadata']) && typeof value['metadata']['name'] === 'string';
}

/** `Kind namespace/name`, which identifies an object. */
export function titleOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** The object of a kind and name: in the project's namespace, or one that belongs to no namespace. */
export function findManifest(
  { plan, objects }: ReviewedProject,
  kind: string,
  name: string,
): Manifest | undefined {
  return objects.find(
    ({ kind: its, metadata }) =>
      its === kind &&
      metadata.name === name &&
      (metadata.namespace ?? plan.platform.namespace) === plan.platform.namespace,
  );
}

/** A worker of a run as its RayCluster has it; undefined when the manifest is not there. */
export function workerOf(project: ReviewedProject, run: PlannedRun): ReviewedPod | undefined {
  const spec = findManifest(project, 'RayCluster', run.rayCluster)?.spec;
  const [group] = list(at(spec, 'workerGroupSpecs'));
  const pod = at(group, 'template', 'spec');
  return pod === undefined ? undefined : readPod(project, pod);
}

/** Name of the ConfigMap with the trainer's sources that a run's Job mounts. */
export function sourcesOf(project: ReviewedProject, run: PlannedRun): string | undefined {
  const volumes = list(at(findManifest(project, 'Job', run.job)?.spec, 'template', 'spec', 'volumes'));
  return volumes.map((volume) => text(at(volume, 'configMap', 'name'))).find((name) => name !== undefined);
}

function readPod(project: ReviewedProject, pod: unknown): ReviewedPod {
  const [container] = list(at(pod, 'containers'));
  const volumes = new Map(list(at(pod, 'volumes')).map((volume) => [text(at(volume, 'name')), volume]));
  const environment = list(at(container, 'env')).flatMap((variable) => {
    const [name, value] = [text(at(variable, 'name')), text(at(variable, 'value'))];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  const mounts = list(at(container, 'volumeMounts')).flatMap((mount) => {
    const path = text(at(mount, 'mountPath'));
    const volume = volumes.get(text(at(mount, 'name')));
    return path === undefined || volume === undefined ? [] : [describeMount(project, path, volume)];
  });
  return {
    nodeSelector: (at(pod, 'nodeSelector') ?? {}) as Readonly<Record<string, string>>,
    tolerations: list(at(pod, 'tolerations')) as readonly { readonly key?: string }[],
    resources: (at(container, 'resources', 'limits') ?? {}) as Readonly<Record<string, string>>,
    environment: Object.fromEntries(environment),
    claims: list(at(container, 'resources', 'claims')).flatMap((claim) => text(at(claim, 'name')) ?? []),
    mounts,
  };
}

function describeMount(project: ReviewedProject, path: string, volume: unknown): Mount {
  const bucket = text(at(volume, 'csi', 'volumeAttributes', 'bucketName'));
  if (bucket !== undefined) return { path, source: `gs://${bucket} (GCS FUSE)`, isStorage: true };
  const claim = text(at(volume, 'persistentVolumeClaim', 'claimName'));
  if (claim !== undefined) return { path, source: describeClaim(project, claim), isStorage: true };
  const medium = text(at(volume, 'emptyDir', 'medium')) === 'Memory' ? 'memory' : 'disk';
  const size = text(at(volume, 'emptyDir', 'sizeLimit'));
  const limit = size === undefined ? '' : `, at most ${size}`;
  return { path, source: `the node's ${medium}${limit}`, isStorage: false };
}

/** A claim of this project leads to a bucket through its volume. */
function describeClaim(project: ReviewedProject, claim: string): string {
  const volume = text(at(findManifest(project, 'PersistentVolumeClaim', claim)?.spec, 'volumeName'));
  const handle =
    volume === undefined
      ? undefined
      : text(at(findManifest(project, 'PersistentVolume', volume)?.spec, 'csi', 'volumeHandle'));
  return handle === undefined ? `claim ${claim}` : `gs://${handle} (GCS FUSE, claim ${claim})`;
}

/** What lies under keys, or undefined. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((place, key) => (isRecord(place) ? place[key] : undefined), value);
}

/** A list, or none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
