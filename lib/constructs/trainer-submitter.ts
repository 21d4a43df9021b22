import { ApiObject, JsonPatch, Lazy } from 'cdk8s';
import { ApiResource, ConfigMap, Role, RoleBinding, ServiceAccount } from 'cdk8s-plus-29';
import { Construct } from 'constructs';
import type { PodTemplate } from '../kuberay/ray-cluster-types';
import { LABELS, MANAGED_BY, MESH_INJECTION_LABEL } from '../kubernetes/well-known';
import { jobNameOf } from '../run';
import type { ContainerResources, SubmitterFacts, TrainingRun } from '../run';
import { SUBMITTER_FINAL_EXIT_CODES, SUBMITTER_MODULE } from '../training';
import { keepUnknownFields } from './keep-unknown-fields';
import type { TpuRayCluster } from './tpu-ray-cluster';
import type { TrainerSources } from './trainer-sources';
import { requireWholeNumbers } from './whole-numbers';

/** Where the submitter sees the trainer's sources. */
export const SOURCES_PATH = '/opt/tpu-trainers';

const TOKEN_PATH = '/var/run/secrets/ray-token';
const TOKEN_KEY = 'auth_token';

/** Where the submitter sees which submission of its run was applied last. */
const CURRENT_PATH = '/var/run/tpu-ray-current';
const CURRENT_FILE = 'current.json';

/** Properties of a `TrainerSubmitter`. */
export interface TrainerSubmitterProps {
  /** Name of the run, shown in logs and used to find other runs of it. */
  readonly runName: string;
  readonly namespace: string;
  /** The id under which Ray knows the run, see `TrainingRun.submissionId`; the Job's name begins with it. */
  readonly submissionId: string;
  /** The RayCluster the trainer runs on. */
  readonly cluster: TpuRayCluster;
  /** The trainer's sources. */
  readonly sources: TrainerSources;
  /** The command Ray runs inside the sources. */
  readonly command: readonly string[];
  /** An image with Python 3.11 or newer; the run's own needs no further pull. */
  readonly image: string;
  /**
   * When nodes pull the image.
   *
   * @default 'IfNotPresent'
   */
  readonly imagePullPolicy?: 'IfNotPresent' | 'Always' | 'Never';
  readonly serviceAccountName: string;
  /** Slices and hosts that must be there before the trainer is submitted. */
  readonly wait: {
    readonly slices: number;
    /**
     * Slices of the largest size of an elastic run.
     *
     * @default - as many as `slices`
     */
    readonly mostSlices?: number;
    readonly hostsPerSlice: number;
    readonly podType: string;
    readonly tpuPerHost: number;
  };
  /** Deadlines and policies. */
  readonly submitter: SubmitterFacts;
  readonly resources: ContainerResources;
  /**
   * Secret with Ray's token under the key auth_token.
   *
   * @default - no authentication
   */
  readonly authTokenSecret?: string;
  /**
   * Annotations of the Job.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a submitter may do with one kind of object, all of them or those of the names. */
interface Right {
  readonly suffix: string;
  readonly verbs: readonly string[];
  readonly resource: ApiResource;
  readonly names?: readonly string[];
}

/** A `batch/v1` Job's spec, as far as it is written here. */
interface JobSpec {
  readonly backoffLimit: number;
  readonly podFailurePolicy: {
    readonly rules: readonly (
      | {
          readonly action: 'Ignore';
          readonly onPodConditions: readonly { readonly type: string; readonly status: string }[];
        }
      | {
          readonly action: 'FailJob';
          readonly onExitCodes: {
            readonly containerName: string;
            readonly operator: 'In';
            readonly values: readonly number[];
          };
        }
    )[];
  };
  readonly template: PodTemplate;
}

const CONTAINER_NAME = 'submitter';

/** Numeric user of the submitter: `ray` in Ray's images, and as good as any other where the image has none. */
const SUBMITTER_USER = { uid: 1000, gid: 100 } as const;

/**
 * The Job that submits a trainer to Ray, follows it and ends as it ends. Its pod asks for no TPU, and is started again
 * only after failures of the infrastructure.
 */
export class TrainerSubmitter extends Construct {
  /** Props of the submitter that a run describes. */
  public static propsOf(
    run: TrainingRun,
    cluster: TpuRayCluster,
    sources: TrainerSources,
  ): TrainerSubmitterProps {
    return {
      runName: run.name,
      namespace: run.platform.namespace,
      submissionId: run.submissionId,
      cluster,
      sources,
      command: run.trainer.command,
      image: run.image,
      imagePullPolicy: run.imagePullPolicy,
      serviceAccountName: run.platform.serviceAccount.name,
      wait: {
        slices: run.wait.slices,
        ...(run.slices.max > run.wait.slices ? { mostSlices: run.slices.max } : {}),
        hostsPerSlice: run.slice.hosts,
        podType: run.slice.rayPodType,
        tpuPerHost: run.slice.chipsPerHost * run.trainer.tpuResourcePerChip,
      },
      submitter: run.submitter,
      resources: run.resources.submitter,
      ...(run.authTokenSecret === undefined ? {} : { authTokenSecret: run.authTokenSecret }),
    };
  }

  /** The Job, for patches; its name, which depends on them, is written when it is synthesized. */
  public readonly apiObject: ApiObject;
  /** Roles and bindings that onFinish and repairSlices need; empty without them. */
  public readonly accessObjects: readonly ApiObject[];
  /**
   * The ConfigMap that names the submission of the run that was applied last. Every Job of the run mounts it under the same
   * name, so that an older one leaves the RayCluster to a newer one.
   */
  public readonly currentObject: ApiObject;

  public constructor(scope: Construct, id: string, props: TrainerSubmitterProps) {
    super(scope, id);
    checkNumbers(props);
    const labels = {
      [LABELS.managedBy]: MANAGED_BY,
      [LABELS.component]: 'submitter',
      [LABELS.instance]: props.runName,
    };
    const { onFinish, repairSlices } = props.submitter;
    this.accessObjects = [
      ...(onFinish === 'deleteCluster'
        ? this.allow(props, labels, {
            suffix: 'delete',
            verbs: ['get', 'delete'],
            resource: ApiResource.custom({ apiGroup: 'ray.io', resourceType: 'rayclusters' }),
            names: [props.cluster.clusterName],
          })
        : []),
      // Names of pods are not known beforehand, so this right is that of the namespace.
      ...(repairSlices === true
        ? this.allow(props, labels, {
            suffix: 'repair',
            verbs: ['list', 'delete'],
            resource: ApiResource.PODS,
          })
        : []),
    ];
    this.currentObject = keepUnknownFields(
      new ConfigMap(this, 'Current', {
        metadata: { name: currentName(props), namespace: props.namespace, labels: { ...labels } },
        data: { [CURRENT_FILE]: currentFile(props) },
      }),
    );
    this.apiObject = new ContentNamedJob(this, 'Resource', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: props.submissionId,
        namespace: props.namespace,
        labels,
        ...(props.annotations === undefined || Object.keys(props.annotations).length === 0
          ? {}
          : { annotations: { ...props.annotations } }),
      },
      spec: Lazy.any({ produce: () => renderSpec(props, labels) }) as unknown,
    });
  }

  /** A Role with these rights, bound to the submitter's service account. */
  private allow(
    props: TrainerSubmitterProps,
    labels: Readonly<Record<string, string>>,
    { suffix, verbs, resource, names }: Right,
  ): ApiObject[] {
    const scope = new Construct(this, suffix);
    const metadata = {
      name: `${props.cluster.clusterName}-${suffix}`,
      namespace: props.namespace,
      labels: { ...labels },
    };
    const role = new Role(scope, 'Role', { metadata });
    const roleObject = keepUnknownFields(role);
    role.allow([...verbs], resource);
    if (names !== undefined) roleObject.addJsonPatch(JsonPatch.add('/rules/0/resourceNames', [...names]));
    const binding = new RoleBinding(scope, 'RoleBinding', {
      metadata,
      role,
    });
    binding.addSubjects(
      ServiceAccount.fromServiceAccountName(scope, 'Account', props.serviceAccountName, {
        namespaceName: props.namespace,
      }),
    );
    const bindingObject = keepUnknownFields(binding);
    // cdk8s-plus writes an empty group, which the API server drops: every apply would say that something changed.
    bindingObject.addJsonPatch(JsonPatch.remove('/subjects/0/apiGroup'));
    return [roleObject, bindingObject];
  }
}

function currentName({ runName }: TrainerSubmitterProps): string {
  return `${runName}-current`;
}

/** What `submit_current.py` reads. */
function currentFile({ submissionId, submitter }: TrainerSubmitterProps): string {
  return `${JSON.stringify({ submission: submissionId, onActiveRun: submitter.onActiveRun })}\n`;
}

function checkNumbers({ wait, submitter }: TrainerSubmitterProps): void {
  requireWholeNumbers([
    { path: ['wait', 'slices'], value: wait.slices, least: 0 },
    { path: ['wait', 'hostsPerSlice'], value: wait.hostsPerSlice, least: 1 },
    { path: ['wait', 'tpuPerHost'], value: wait.tpuPerHost, least: 1 },
    {
      path: ['submitter', 'startDeadlineSeconds'],
      value: submitter.startDeadlineSeconds,
      least: 1,
      most: Number.MAX_SAFE_INTEGER,
    },
    {
      path: ['submitter', 'runDeadlineSeconds'],
      value: submitter.runDeadlineSeconds,
      least: 1,
      most: Number.MAX_SAFE_INTEGER,
    },
    { path: ['submitter', 'backoffLimit'], value: submitter.backoffLimit, least: 0 },
  ]);
}

/** A Job whose name ends with a hash over what it is rendered to, patches included: see `jobNameOf`. */
class ContentNamedJob extends ApiObject {
  public override toJson(): unknown {
    const job = super.toJson() as { metadata: { name: string }; spec: Readonly<Record<string, unknown>> };
    return { ...job, metadata: { ...job.metadata, name: jobNameOf(job.metadata.name, job.spec) } };
  }
}

function renderSpec(props: TrainerSubmitterProps, labels: Readonly<Record<string, string>>): JobSpec {
  return {
    backoffLimit: props.submitter.backoffLimit,
    podFailurePolicy: {
      rules: [
        // A drained or preempted node says nothing about the run: start again without counting it.
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        {
          action: 'FailJob',
          onExitCodes: {
            containerName: CONTAINER_NAME,
            operator: 'In',
            values: [...SUBMITTER_FINAL_EXIT_CODES],
          },
        },
      ],
    },
    template: renderTemplate(props, labels),
  };
}

function renderTemplate(props: TrainerSubmitterProps, labels: Readonly<Record<string, string>>): PodTemplate {
  const { resources, submitter, authTokenSecret } = props;
  return {
    metadata: { labels: { ...labels, [MESH_INJECTION_LABEL]: 'false' } },
    spec: {
      restartPolicy: 'Never',
      serviceAccountName: props.serviceAccountName,
      automountServiceAccountToken: submitter.onFinish === 'deleteCluster' || submitter.repairSlices === true,
      ...(Object.keys(submitter.nodeSelector).length === 0
        ? {}
        : { nodeSelector: { ...submitter.nodeSelector } }),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: SUBMITTER_USER.uid,
        runAsGroup: SUBMITTER_USER.gid,
        fsGroup: SUBMITTER_USER.gid,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: CONTAINER_NAME,
          image: props.image,
          imagePullPolicy: props.imagePullPolicy ?? 'IfNotPresent',
          workingDir: SOURCES_PATH,
          command: ['python3', '-m', SUBMITTER_MODULE],
          args: submitterArguments(props),
          env: [
            { name: 'PYTHONUNBUFFERED', value: '1' },
            { name: 'PYTHONDONTWRITEBYTECODE', value: '1' },
          ],
          resources: {
            limits: { cpu: resources.cpuLimit, memory: resources.memory },
            requests: { cpu: resources.cpu, memory: resources.memory },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [
            { name: 'sources', mountPath: `${SOURCES_PATH}/${props.sources.packageFolder}`, readOnly: true },
            { name: 'current', mountPath: CURRENT_PATH, readOnly: true },
            { name: 'tmp', mountPath: '/tmp' },
            ...(authTokenSecret === undefined
              ? []
              : [{ name: 'ray-token', mountPath: TOKEN_PATH, readOnly: true }]),
          ],
        },
      ],
      volumes: [
        {
          name: 'sources',
          configMap: { name: props.sources.configMapName },
        },
        // Optional: without it a submitter has nothing to go by, but starts.
        { name: 'current', configMap: { name: currentName(props), optional: true } },
        { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
        ...(authTokenSecret === undefined
          ? []
          : [
              {
                name: 'ray-token',
                secret: { secretName: authTokenSecret, items: [{ key: TOKEN_KEY, path: 'token' }] },
              },
            ]),
      ],
    },
  };
}

function submitterArguments(props: TrainerSubmitterProps): string[] {
  const { submitter, wait, cluster } = props;
  const deletes = submitter.onFinish === 'deleteCluster';
  return [
    ['--address', cluster.dashboardAddress],
    ['--run', props.runName],
    ['--submission-id', props.submissionId],
    ['--sources', SOURCES_PATH],
    ['--slices', String(wait.slices)],
    ...(wait.mostSlices === undefined ? [] : [['--most-slices', String(wait.mostSlices)]]),
    ['--hosts-per-slice', String(wait.hostsPerSlice)],
    ['--pod-type', wait.podType],
    ['--tpu-per-host', String(wait.tpuPerHost)],
    ['--start-deadline', String(submitter.startDeadlineSeconds)],
    ...(submitter.runDeadlineSeconds === undefined
      ? []
      : [['--run-deadline', String(submitter.runDeadlineSeconds)]]),
    ['--current', `${CURRENT_PATH}/${CURRENT_FILE}`],
    ['--on-active-run', submitter.onActiveRun],
    ['--on-finish', deletes ? 'delete-cluster' : 'keep'],
    ['--on-sigterm', submitter.onTermination],
    ['--cluster', cluster.clusterName],
    ['--namespace', props.namespace],
    ...(submitter.repairSlices === true ? [['--repair-slices']] : []),
    ...(props.authTokenSecret === undefined ? [] : [['--auth-token-file', `${TOKEN_PATH}/token`]]),
    ['--'],
    props.command,
  ].flat();
}
