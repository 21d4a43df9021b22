import { MULTI_HOST_RAY_CLUSTER_NAME_MAX } from '../kuberay/limits';
import { compareKubeRayVersions } from '../kuberay/versions';
import { credentialIn, credentialOf } from '../kubernetes/credentials';
import { dns1035LabelError, dns1123SubdomainError } from '../kubernetes/names';
import { nestProblems, problem, problemsElsewhere } from '../problems';
import type { Path, Problem } from '../problems';
import { GENERATION_FACTS, isProblems, rayTrainRefusal, resolveSlice } from '../tpu';
import type { CapacitySpec, TpuSlice } from '../tpu';
import { missedRayFloors, parseRayVersion, planTrainer, rayVersionOfImage, trainerKind } from '../training';
import type { RayUse, SliceRange, TrainerContext, TrainerPlan } from '../training';
import { capacityWarning, checkCapacity } from './capacity';
import { DEFAULT_RAY_VERSION } from './defaults';
import { checkEnvironment, declaredPlain, valuesOf } from './environment-rules';
import { checkpointWarning } from './checkpoint-size';
import { isClusterOlder } from './cluster-version';
import { fitKey } from './fit-key';
import { checkImage, imageOf } from './image';
import { submissionIdOf } from './identity';
import { checkManifestTexts } from './manifest-texts';
import { checkMemoryVolumes } from './memory-volumes';
import { checkMountPath } from './mount-path';
import { checkNetwork, networkWarning, resolveNetwork } from './network';
import type { NetworkFacts } from './network';
import { resolvePlatform } from './platform';
import type { Platform } from './platform';
import type { PlatformSpec } from './platform-spec';
import { poolSetOf, workerSchedulingOf } from './pool-set';
import type { PoolSet, WorkerScheduling } from './pool-set';
import { ProblemsError } from './problems-error';
import { checkResources, resolveResources, resourceWarnings } from './resources';
import type { ResolvedResources } from './resources';
import type { RunSpec, SecretReference, UserSpec, VolumeSpec } from './run-spec';
import { checkForm, joinProblems } from './spec-form';
import { checkSubmitter, checkUnderGitOps, resolveSubmitter, submitterWarning } from './submitter';
import type { SubmitterFacts } from './submitter';
import { bucketOf, checkVolumes } from './volumes';
import { wholeSlicesWarning } from './whole-slices';

/** A remark on something that works but costs: printed, never fatal. */
export interface RunWarning {
  /** Where in the run file. */
  readonly path: Path;
  readonly message: string;
}

/** A key of a Secret's data. @see https://kubernetes.io/docs/concepts/configuration/secret/ */
const SECRET_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** Everything that follows from a platform and a run: the one place where it is derived. */
export class TrainingRun {
  /**
   * The run that platform and spec describe.
   * @throws ProblemsError with every Problem of both.
   */
  public static of(platformSpec: PlatformSpec, spec: RunSpec): TrainingRun {
    const resolved = resolvePlatform(platformSpec);
    const checked = TrainingRun.check(resolved.platform, spec);
    const problems = [
      ...nestProblems(['platform'], resolved.problems),
      ...checked.problems.filter(({ path }) => !resolved.isStandIn || path[0] !== 'platform'),
    ];
    if (checked.run === undefined || problems.length > 0) throw new ProblemsError(problems);
    return checked.run;
  }

  /**
   * The run, or every Problem of its spec, whatever it is: types are checked here too. Paths are relative to the run's document; those that
   * begin with `platform.` point into platform.yaml. `spec` is what was checked, where something could be made of what was given.
   */
  public static check(
    platform: Platform,
    given: RunSpec,
  ): { run?: TrainingRun; spec?: RunSpec; problems: readonly Problem[] } {
    const form = checkForm('RunSpec', given);
    if (form.spec === undefined) return { problems: form.problems };
    const { run, problems } = TrainingRun.derive(platform, form.spec);
    return {
      ...(run === undefined || form.problems.length > 0 ? {} : { run }),
      spec: form.spec,
      problems: joinProblems(form.problems, problems),
    };
  }

  private static derive(platform: Platform, spec: RunSpec): { run?: TrainingRun; problems: Problem[] } {
    const problems = checkSpec(platform, spec);
    const slice = resolveSlice(spec.tpu);
    if (isProblems(slice)) return { problems: [...problems, ...nestProblems(['tpu'], slice)] };
    const slices = sliceRangeOf(spec);
    problems.push(...checkSlice(platform, spec, slice, slices));
    const rayVersion = spec.ray?.version ?? DEFAULT_RAY_VERSION;
    if (parseRayVersion(rayVersion) === undefined || !isUsable(slices)) return { problems };
    problems.push(...checkRayVersion(platform, spec, slice, slices, rayVersion));
    const trainer = planTrainer(spec.trainer, {
      runName: spec.name,
      slice,
      slices,
      rayVersion,
      ...mountsOf(spec.volumes ?? [], platform),
    });
    if (!('command' in trainer)) problems.push(...nestProblems(['trainer'], trainer));
    if (problems.length > 0 || !('command' in trainer)) return { problems };
    return { run: new TrainingRun(platform, spec, slice, slices, rayVersion, trainer), problems };
  }

  public readonly name: string;
  public readonly platform: Platform;
  public readonly slice: TpuSlice;
  public readonly slices: SliceRange;
  public readonly image: string;
  public readonly imagePullPolicy: 'IfNotPresent' | 'Always' | 'Never';
  public readonly rayVersion: string;
  public readonly autoscaler: boolean;
  public readonly recreateOnChange: boolean;
  public readonly authTokenSecret?: string;
  public readonly trainer: TrainerPlan;
  public readonly volumes: readonly VolumeSpec[];
  public readonly network: NetworkFacts;
  public readonly resources: ResolvedResources;
  /** Environment of head and workers. */
  public readonly environment: Readonly<Record<string, string | SecretReference>>;
  /** Variables whose values look like credentials and are declared to be none. */
  public readonly notSecret: readonly string[];
  /** Environment of workers only: what the trainer kind needs and the run does not set itself. */
  public readonly workerEnvironment: Readonly<Record<string, string>>;
  /** Numeric user of the Ray pods, where the image has one. */
  public readonly user?: { readonly uid: number; readonly gid: number };
  public readonly submitter: SubmitterFacts;
  /** Whether a PodMonitoring is rendered. */
  public readonly monitoring: boolean;
  public readonly capacity: CapacitySpec;
  public readonly shareNodePools: boolean;
  /** The node pools that the slices can take; undefined on Autopilot, which has none. */
  public readonly poolSet?: PoolSet;
  /** Selectors and tolerations of workers that follow from the capacity and the node pools. */
  public readonly scheduling: WorkerScheduling;
  public readonly warnings: readonly RunWarning[];
  private readonly runId?: string;

  private constructor(
    platform: Platform,
    spec: RunSpec,
    slice: TpuSlice,
    slices: SliceRange,
    rayVersion: string,
    trainer: TrainerPlan,
  ) {
    this.name = spec.name;
    this.platform = platform;
    this.slice = slice;
    this.slices = slices;
    this.image = imageOf(spec, platform) ?? '';
    this.imagePullPolicy = spec.imagePullPolicy ?? 'IfNotPresent';
    this.rayVersion = rayVersion;
    this.autoscaler = spec.ray?.autoscaler ?? false;
    this.recreateOnChange = spec.ray?.recreateOnChange ?? false;
    if (spec.ray?.authTokenSecret !== undefined) this.authTokenSecret = spec.ray.authTokenSecret;
    this.trainer = trainer;
    this.volumes = spec.volumes ?? [];
    this.network = resolveNetwork(spec.network, slice, slices.max, platform);
    this.resources = resolveResources(spec.resources, slice);
    this.environment = valuesOf(spec.env);
    this.notSecret = declaredPlain(spec.env);
    this.workerEnvironment = Object.fromEntries(
      Object.entries(trainer.workerEnvironment).filter(([name]) => !(name in this.environment)),
    );
    const user = userOf(spec);
    if (user !== undefined) this.user = user;
    this.submitter = resolveSubmitter(spec.submitter);
    this.monitoring = spec.monitoring ?? false;
    this.capacity = spec.tpu.capacity ?? { kind: 'on-demand' };
    this.shareNodePools = spec.tpu.shareNodePools ?? true;
    if (platform.cluster.mode === 'standard') this.poolSet = poolSetOf(platform, this);
    this.scheduling = workerSchedulingOf(this.capacity, this.poolSet);
    if (spec.runId !== undefined) this.runId = spec.runId;
    this.warnings = this.collectWarnings();
  }

  /** Name of the RayCluster. */
  public get rayClusterName(): string {
    return this.name;
  }

  /** Slices and hosts that must be there before the trainer is submitted: the smallest size it can start with. */
  public get wait(): { readonly slices: number; readonly hosts: number } {
    return { slices: this.slices.min, hosts: this.slices.min * this.slice.hosts };
  }

  /** The id under which Ray knows the run: another one for whatever changes what it trains. */
  public get submissionId(): string {
    return submissionIdOf(this.name, {
      image: this.image,
      command: this.trainer.command,
      environment: this.environment,
      generation: this.slice.generation,
      topology: this.slice.topology,
      machineType: this.slice.machineType,
      slices: this.slices,
      ...(this.runId === undefined ? {} : { runId: this.runId }),
    });
  }

  /** Flags of libtpu that change what is compiled: the network's interfaces are none of them. */
  public get compilerFlags(): readonly string[] {
    if (this.network.mode !== 'none') {
      return this.network.libtpuInitArgs.filter((flag) => !flag.startsWith('--megascale_'));
    }
    const flags = this.environment['LIBTPU_INIT_ARGS'];
    return typeof flags === 'string' ? flags.split(/\s+/).filter((flag) => flag !== '') : [];
  }

  /** Key of the compile check's verdict on this run; undefined for trainers without one. */
  public get fitKey(): string | undefined {
    const { compiled } = trainerKind(this.trainer.kind);
    if (compiled === undefined) return undefined;
    const { generation, topology } = this.slice;
    return fitKey({
      generation,
      topology,
      slices: this.slices,
      maxtextArguments: compiled(this.trainer).maxtextArguments,
      libtpuInitArgs: this.compilerFlags,
    });
  }

  private collectWarnings(): RunWarning[] {
    const single: (RunWarning | undefined)[] = [
      warningAt(['tpu', 'capacity'], capacityWarning(this.capacity, this.slice)),
      warningAt(['network'], networkWarning(this.network)),
      warningAt(['volumes'], checkpointWarning(this.trainer, this.volumes, this.platform, this.wait.hosts)),
      warningAt(
        ['ray', 'autoscaler'],
        this.autoscaler
          ? `every kubectl apply puts the number of slices back to the minimum of ${String(this.slices.min)}, since the manifest leaves replicas to the autoscaler and the CRD fills in 0: do not apply a running elastic cluster again`
          : undefined,
      ),
      warningAt(['submitter', 'startDeadline'], submitterWarning(this.submitter)),
      warningAt(
        ['tpu', 'slices'],
        wholeSlicesWarning(this.platform, this.slices.max, this.submitter.repairSlices ?? false),
      ),
      warningAt(
        ['tpu', 'generation'],
        GENERATION_FACTS[this.slice.generation].unverified
          ? `figures of ${this.slice.generation} could not be checked against a published page`
          : undefined,
      ),
    ];
    return [
      ...this.notSecret.map((name) => ({
        path: ['env', name],
        message:
          'it stands in the manifest for everyone who can read that, since notSecret says that it is no credential',
      })),
      ...single.filter((warning) => warning !== undefined),
      ...resourceWarnings(this.resources, this.slice).map(({ path, message }) => ({
        path: ['resources', ...path],
        message,
      })),
      ...this.trainer.warnings.map(({ path, message }) => ({ path: ['trainer', ...path], message })),
    ];
  }
}

function warningAt(path: Path, message: string | undefined): RunWarning | undefined {
  return message === undefined ? undefined : { path, message };
}

/** Numeric user of the Ray pods: the run's, or that of the trainer kind's images where one is known. */
function userOf(spec: RunSpec): UserSpec | undefined {
  return spec.user ?? trainerKind(spec.trainer.kind).user;
}

function sliceRangeOf(spec: RunSpec): SliceRange {
  const slices = spec.tpu.slices ?? 1;
  return typeof slices === 'number' ? { min: slices, max: slices } : slices;
}

/** Mounts the head and every worker share: buckets and claims, not emptyDirs. */
function mountsOf(
  volumes: readonly VolumeSpec[],
  platform: Platform,
): Pick<TrainerContext, 'mounts' | 'flatBucketMounts'> {
  const shared = volumes.filter((volume) => volume.kind !== 'empty-dir');
  const flat = shared.filter(
    (volume) =>
      volume.kind === 'gcs-fuse' &&
      !(
        platform.bucket?.hierarchicalNamespace === true && bucketOf(volume, platform) === platform.bucket.name
      ),
  );
  return {
    mounts: shared.map(({ mountPath, readOnly }) => ({
      // A path that is refused may have been meant for whatever lies beneath the root.
      path: checkMountPath([], mountPath).length > 0 ? '' : mountPath,
      readOnly: readOnly === true,
    })),
    flatBucketMounts: flat.map(({ mountPath }) => mountPath),
  };
}

/** Problems that need neither slice nor trainer. */
function checkSpec(platform: Platform, spec: RunSpec): Problem[] {
  const kind = trainerKind(spec.trainer.kind);
  const problems: Problem[] = [];
  const nameProblem = dns1035LabelError(spec.name, MULTI_HOST_RAY_CLUSTER_NAME_MAX);
  if (nameProblem !== undefined) {
    problems.push(problem('RUN_NAME', ['name'], spec.name, { reason: nameProblem }));
  }
  problems.push(...checkImage(spec, platform));
  problems.push(
    ...nestProblems(
      ['env'],
      checkEnvironment(
        spec.env ?? {},
        'put it into a Secret and write {secretName: …, key: …}; if it is none, write {value: …, notSecret: true}',
      ),
    ),
    ...nestProblems(
      ['trainer', 'env'],
      checkEnvironment(
        spec.trainer.env ?? {},
        'put it into a Secret and reference that in the run’s env; if it is none, write it there as {value: …, notSecret: true}',
      ),
    ),
    ...nestProblems(['env'], kind.checkEnvironment(valuesOf(spec.env))),
    ...nestProblems(['trainer', 'env'], kind.checkEnvironment(spec.trainer.env ?? {})),
    ...nestProblems(['volumes'], checkVolumes(spec.volumes ?? [], platform, userOf(spec) !== undefined)),
    ...nestProblems(['submitter'], checkSubmitter(spec.submitter ?? {})),
    ...nestProblems(['submitter'], checkUnderGitOps(spec.submitter ?? {}, platform.gitOps)),
    ...nestProblems(['tpu', 'capacity'], checkCapacity(spec.tpu.capacity ?? { kind: 'on-demand' })),
    ...checkArgumentsForSecrets(spec.trainer.arguments ?? []),
    ...checkSecretReferences(spec),
  );
  const rayVersion = spec.ray?.version ?? DEFAULT_RAY_VERSION;
  if (parseRayVersion(rayVersion) === undefined) {
    problems.push(problem('RAY_VERSION', ['ray', 'version'], rayVersion));
  }
  // Where a value is refused already, what is wrong with it is said, or must not be shown.
  return [...problems, ...problemsElsewhere(checkManifestTexts(spec), problems)];
}

function checkArgumentsForSecrets(entries: readonly string[]): Problem[] {
  return entries.flatMap((entry, index) => {
    const credential = credentialIn(entry) ?? credentialArgument(entry);
    return credential === undefined
      ? []
      : [problem('ARGUMENT_CREDENTIAL', ['trainer', 'arguments', index], '(not shown)', { credential })];
  });
}

/** An option such as `hf_access_token=…` or `--hf-token=…` holds a credential whatever its form. */
function credentialArgument(entry: string): string | undefined {
  const [key = '', ...value] = entry.split('=');
  return credentialOf(key.replace(/^--/, '').replaceAll('-', '_'), value.join('='));
}

function checkSecretReferences(spec: RunSpec): Problem[] {
  const secrets = Object.entries(valuesOf(spec.env)).flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [{ path: ['env', name], ...value }],
  );
  const references = secrets.map(({ path, secretName }) => ({
    path: [...path, 'secretName'],
    name: secretName,
  }));
  const token = spec.ray?.authTokenSecret;
  if (token !== undefined) references.push({ path: ['ray', 'authTokenSecret'], name: token });
  const badNames = references.flatMap(({ path, name }) => {
    const rule = dns1123SubdomainError(name);
    return rule === undefined ? [] : [problem('SECRET_NAME', path, name, { reason: rule })];
  });
  const badKeys = secrets
    .filter(({ key }) => !SECRET_KEY.test(key))
    .map(({ path, key }) => problem('SECRET_KEY', [...path, 'key'], key));
  return [...badNames, ...badKeys];
}

/** Whether every size of the range can be looked at. */
function isUsable({ min, max }: SliceRange): boolean {
  return min <= max;
}

/** Problems of the slice on this platform. */
function checkSlice(platform: Platform, spec: RunSpec, slice: TpuSlice, slices: SliceRange): Problem[] {
  const problems: Problem[] = [];
  if (slices.min > slices.max) {
    problems.push(
      problem('TPU_SLICES_RANGE', ['tpu', 'slices'], `${String(slices.min)} to ${String(slices.max)}`),
    );
  }
  const refusal = rayTrainRefusal(
    {
      generation: slice.generation,
      topology: slice.topology,
      machineType: slice.machineType,
      hosts: slice.hosts,
    },
    slices.max,
  );
  if (refusal !== undefined) {
    problems.push(problem('TPU_TOPOLOGY_RAY', ['tpu', 'topology'], slice.topology, { reason: refusal }));
  }
  const minimum = GENERATION_FACTS[slice.generation].minimumGkeVersion[platform.cluster.mode];
  if (minimum !== undefined && isClusterOlder(platform, minimum)) {
    problems.push(
      problem('TPU_GKE_VERSION', ['platform', 'cluster', 'version'], platform.cluster.version, {
        generation: slice.generation,
        mode: platform.cluster.mode,
        minimum,
      }),
    );
  }
  problems.push(
    ...checkNetwork(spec.network, slice, slices.max, platform),
    ...nestProblems(
      ['resources'],
      checkResources(spec.resources ?? {}, slice, platform, spec.ray?.autoscaler ?? false),
    ),
    ...checkMemoryVolumes(spec, slice, platform),
  );
  if (slices.max > 1 && spec.env !== undefined && 'LIBTPU_INIT_ARGS' in spec.env) {
    problems.push(problem('LIBTPU_INIT_ARGS', ['env', 'LIBTPU_INIT_ARGS'], spec.env['LIBTPU_INIT_ARGS']));
  }
  return problems;
}

/** Problems of Ray's and KubeRay's versions against what the run asks for. */
function checkRayVersion(
  platform: Platform,
  spec: RunSpec,
  { generation }: TpuSlice,
  slices: SliceRange,
  rayVersion: string,
): Problem[] {
  const problems: Problem[] = [];
  const uses: readonly (readonly [RayUse, boolean])[] = [
    ['slices', slices.max > 1],
    ['elastic', slices.min !== slices.max],
    ['autoscaler', spec.ray?.autoscaler === true],
    ['token', spec.ray?.authTokenSecret !== undefined],
  ];
  const missed = missedRayFloors(rayVersion, {
    kind: spec.trainer.kind,
    generation,
    uses: uses.flatMap(([use, holds]) => (holds ? [use] : [])),
  });
  if (missed[0] !== undefined) {
    const needs = missed.map(({ what, minimum, reason }) => `${what} needs Ray ${minimum} (${reason})`);
    problems.push(
      problem('RAY_VERSION_TOO_OLD', ['ray', 'version'], rayVersion, {
        needs: needs.join(', '),
        minimum: missed[0].minimum,
      }),
    );
  }
  for (const option of ['authTokenSecret', 'recreateOnChange'] as const) {
    const value = spec.ray?.[option];
    if (
      value !== undefined &&
      value !== false &&
      compareKubeRayVersions(platform.kubeRayVersion, '1.6.0') < 0
    ) {
      problems.push(
        problem('KUBERAY_TOO_OLD', ['ray', option], value, { kubeRayVersion: platform.kubeRayVersion }),
      );
    }
  }
  const tag = rayVersionOfImage(spec.image ?? '');
  if (tag !== undefined && tag !== rayVersion) {
    problems.push(problem('RAY_VERSION_IMAGE', ['ray', 'version'], rayVersion, { tag }));
  }
  return problems;
}
