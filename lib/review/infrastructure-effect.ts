import { isGkeVersionAtLeast, parseGkeVersion } from '../kubernetes/gke-version';
import type { FieldDifference } from './field-differences';
import type { PlannedProject } from '../plan';
import type { PlannedResource, ResourceKind } from './planned-resources';
import { sliceOf } from './pool-slice';

/** What becomes of a resource, in words for people. */
export const ACTION_TEXTS = {
  create: 'create',
  /** It is somebody else's, and must be there. */
  adopt: 'adopt',
  unneeded: 'no longer needed',
  /** It lies in another project or cluster than the plan now names. */
  abandoned: 'left behind',
  recreate: 'delete and create',
  /** The scripts do it, in place. */
  resize: 'resize',
  /** It can be done in place, but the scripts leave it to a person. */
  change: 'change',
  nothing: 'nothing',
} as const;

/** What becomes of a resource. */
export type InfrastructureAction = keyof typeof ACTION_TEXTS;

/** What becomes of a resource, and why or how. */
export interface InfrastructureEffect {
  readonly action: InfrastructureAction;
  readonly why: string;
}

/** What becomes of a resource that is on one side only, or has these fields that differ. */
export function effectOf(
  was: PlannedResource | undefined,
  is: PlannedResource | undefined,
  fields: readonly FieldDifference[],
  plan: PlannedProject,
): InfrastructureEffect {
  if (is === undefined) return was === undefined ? AS_IT_IS : effectOfLoss(was);
  if (was === undefined) return effectOfNewcomer(is);
  const names = new Set(fields.map(({ path }) => path.split(/[.[]/)[0] ?? ''));
  if ([...names].every((name) => name === 'create')) return AS_IT_IS;
  switch (is.kind) {
    case 'cluster':
      return effectOnCluster(fields);
    case 'node pool':
      return effectOnPool(is.name, fields, names, plan);
    case 'bucket':
      // An adopted bucket may lie anywhere.
      return is.isOwn ? byHand('bucket') : AS_IT_IS;
    case 'image':
      return {
        action: 'nothing',
        why: 'a tag that is there is not built again: give the image another tag, or run scripts/gcloud/images.sh --rebuild',
      };
    default:
      return { action: 'recreate', why: 'it cannot be changed in place, and what runs on it ends' };
  }
}

const AS_IT_IS: InfrastructureEffect = { action: 'nothing', why: 'what is there stays as it is' };

function effectOfNewcomer({ kind, isOwn }: PlannedResource): InfrastructureEffect {
  if (!isOwn) return { action: 'adopt', why: 'it must be there' };
  return kind === 'secret'
    ? { action: 'create', why: 'kubectl, or scripts/gcloud/hf-secret.sh for a token of Hugging Face' }
    : { action: 'create', why: 'scripts/gcloud/up.sh' };
}

function effectOfLoss({ isOwn }: PlannedResource): InfrastructureEffect {
  return {
    action: 'unneeded',
    why: isOwn
      ? 'it stays until someone deletes it: up.sh deletes nothing'
      : 'it was adopted, and stays as it is',
  };
}

/** Scripts that look at what is there, by kind. */
const SCRIPTS = { cluster: 'cluster.sh', bucket: 'bucket.sh', 'node pool': 'node-pools.sh' } as const;

function byHand(kind: ResourceKind & keyof typeof SCRIPTS): InfrastructureEffect {
  return {
    action: 'change',
    why: `nothing is changed by itself: scripts/gcloud/${SCRIPTS[kind]} says what differs, and what to do`,
  };
}

/** What a cluster can be given at its creation only. */
const AT_CREATION: ReadonlySet<string> = new Set(['dataplaneV2', 'multiNetworking']);

/**
 * A cluster that is up is held to less than one that is made: it may have more than is asked for, and a newer version.
 * What else differs counts for a new one.
 */
function effectOnCluster(fields: readonly FieldDifference[]): InfrastructureEffect {
  const late = fields.filter(({ path, after }) => AT_CREATION.has(path) && after === true);
  if (late.length > 0) {
    const names = late.map(({ path }) => path).join(' and ');
    return {
      action: 'recreate',
      why: `GKE takes ${names} at a cluster's creation only: delete it, or give another name`,
    };
  }
  return fields.some(isNeededByCluster) ? byHand('cluster') : AS_IT_IS;
}

function isNeededByCluster({ path, before, after }: FieldDifference): boolean {
  if (path === 'version') return isNewer(after, before);
  if (path !== 'addons' || !Array.isArray(after)) return false;
  return !after.every((addon) => Array.isArray(before) && before.includes(addon));
}

function isNewer(after: unknown, before: unknown): boolean {
  const texts = [after, before].map(String);
  const [one = '', other = ''] = texts;
  // A version that is none was written by hand: let a person look.
  return texts.some((text) => parseGkeVersion(text) === undefined) || !isGkeVersionAtLeast(other, one);
}

/** Fields of a pool that GKE changes while it is up. */
const IN_PLACE: ReadonlySet<string> = new Set(['nodes', 'autoscaling']);

/** Fields of any pool that GKE changes on its nodes while they are up. */
const ON_NODES: ReadonlySet<string> = new Set(['labels', 'taints']);

/** A pool of several hosts is one slice, whole or empty, so that nothing of it can be changed, its size included. */
function effectOnPool(
  name: string,
  fields: readonly FieldDifference[],
  names: ReadonlySet<string>,
  plan: PlannedProject,
): InfrastructureEffect {
  if ([...names].every((field) => ON_NODES.has(field))) return byHand('node pool');
  const slice = sliceOf(plan, name);
  if ((slice?.hostsPerSlice ?? 1) > 1 || ![...names].every((field) => IN_PLACE.has(field))) {
    return { action: 'recreate', why: 'GKE cannot change it, and its pods end' };
  }
  const size = fields.find(({ path }) => path === 'nodes');
  // Only the CPU pool is no slice. Fewer nodes would end pods, so that the scripts take none away.
  return slice === undefined && names.size === 1 && Number(size?.after) > Number(size?.before)
    ? { action: 'resize', why: 'scripts/gcloud/node-pools.sh does it in place' }
    : byHand('node pool');
}
