import { MUTABLE_JOB_FIELDS } from '../run';

/** What a change of a field does to the object that has it, in words for people. */
export const OBJECT_EFFECTS = {
  unchanged: 'unchanged',
  updated: 'updated in place',
  recreated: 'made anew',
  added: 'added',
  removed: 'removed',
  rejected: 'refused by the API server',
  /** The object gets another name, and what it does is taken up from the one before. */
  attaches: 'attaches',
} as const;

/** What a change of a field does to the object that has it. */
export type ObjectEffect = keyof typeof OBJECT_EFFECTS;

/** What a change of a field does to the pods of a RayCluster that is up, in words for people, the gravest first. */
export const POD_EFFECTS = {
  recreated: 'made anew',
  removed: 'removed',
  pending: 'added, and never placed',
  added: 'added',
  ignored: 'ignored by the operator',
  unchanged: 'unchanged',
} as const;

/** What a change of a field does to the pods of a RayCluster that is up. */
export type PodEffect = keyof typeof POD_EFFECTS;

/** How the pods of a RayCluster follow a field. */
export type PodRule =
  /** They do not. */
  | 'unchanged'
  /** Slices come or go. */
  | 'scaled'
  /** Hosts come to slices that are up, or leave them. */
  | 'rehosted'
  /** New pods would have it: ignored by the operator, or all made anew under upgradeStrategy Recreate. */
  | 'template';

/** What a change of fields does. */
export interface FieldRule {
  readonly kind: string;
  /** Dotted keys; `[]` is any item, a last `**` everything below. */
  readonly path: string;
  readonly effect: ObjectEffect;
  /** RayClusters only. */
  readonly pods?: PodRule;
  readonly why: string;
}

/**
 * What a change of a rendered field does, the first rule that matches. The effects on RayCluster and Job are those of
 * docs/verification.md, which the suite on a real control plane compares with what it sees.
 * @see https://github.com/ray-project/kuberay raycluster_controller.go (reconcilePods), utils.GenerateHashWithoutReplicasAndWorkersToDelete
 * @see https://github.com/kubernetes/kubernetes pkg/apis/batch/validation (ValidateJobSpecUpdate)
 */
export const FIELD_RULES: readonly FieldRule[] = [
  {
    kind: 'RayCluster',
    path: 'metadata.**',
    effect: 'updated',
    pods: 'unchanged',
    why: 'labels and annotations of the object reach no pod',
  },
  ...['replicas', 'minReplicas', 'maxReplicas'].map((field): FieldRule => ({
    kind: 'RayCluster',
    path: `spec.workerGroupSpecs[].${field}`,
    effect: 'updated',
    pods: 'scaled',
    why: 'the operator adds or removes whole slices',
  })),
  {
    kind: 'RayCluster',
    path: 'spec.workerGroupSpecs[].numOfHosts',
    effect: 'updated',
    pods: 'rehosted',
    why: 'the operator makes up the number of hosts, but new ones belong to slices whose old hosts lie in another node pool',
  },
  {
    kind: 'RayCluster',
    path: 'spec.upgradeStrategy.**',
    effect: 'updated',
    pods: 'unchanged',
    why: 'it counts from the next change on',
  },
  {
    kind: 'RayCluster',
    path: 'spec.**',
    effect: 'updated',
    pods: 'template',
    why: 'the operator changes no pod that is up, unless ray.recreateOnChange is set; then it deletes and makes all anew',
  },
  {
    kind: 'Job',
    path: 'metadata.**',
    effect: 'updated',
    why: 'labels and annotations of the object reach no pod',
  },
  ...MUTABLE_JOB_FIELDS.map((field): FieldRule => ({
    kind: 'Job',
    path: `spec.${field}`,
    effect: 'updated',
    why: 'Kubernetes lets it be changed',
  })),
  {
    kind: 'Job',
    path: 'spec.**',
    effect: 'attaches',
    why: "it changes the Job's name and not the submission id: the new Job attaches to the run that is there",
  },
  {
    kind: 'ResourceClaimTemplate',
    path: 'spec.**',
    effect: 'rejected',
    why: 'the spec of a claim template is immutable',
  },
  {
    kind: 'PersistentVolumeClaim',
    path: 'spec.resources.**',
    effect: 'updated',
    why: 'a claim may grow',
  },
  {
    kind: 'PersistentVolumeClaim',
    path: 'spec.**',
    effect: 'rejected',
    why: 'the spec of a claim is immutable but for its size',
  },
  {
    kind: 'PersistentVolume',
    path: 'spec.csi.**',
    effect: 'rejected',
    why: 'the source of a volume is immutable',
  },
  {
    kind: 'RoleBinding',
    path: 'roleRef.**',
    effect: 'rejected',
    why: 'the role of a binding is immutable',
  },
  {
    kind: '*',
    path: '**',
    effect: 'updated',
    why: 'nothing of it is immutable',
  },
];

/** The rule for a field; `path` has keys or numbers in its brackets. */
export function ruleOf(kind: string, path: string): FieldRule {
  const general = path.replace(/\[[^\]]*\]/g, '[]');
  const rule = FIELD_RULES.find(
    (candidate) => (candidate.kind === kind || candidate.kind === '*') && matches(candidate.path, general),
  );
  if (rule === undefined) throw new Error(`no rule for ${kind} ${path}: the last rule takes everything`);
  return rule;
}

function matches(pattern: string, path: string): boolean {
  if (pattern === '**') return true;
  if (!pattern.endsWith('.**')) return pattern === path;
  const above = pattern.slice(0, -'.**'.length);
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}
