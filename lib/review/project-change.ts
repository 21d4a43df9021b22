import { compareChips, compareInfrastructure } from './infrastructure-change';
import type { ChipsChange, InfrastructureChange } from './infrastructure-change';
import { compareObject, compareRun, isSameRun } from './run-change';
import type { ObjectChange, RunChange, Side } from './run-change';
import { titleOf } from './reviewed-project';
import type { ReviewedProject } from './reviewed-project';

/** What applying the new manifests does to a cluster that has the old ones. */
export interface ProjectChange {
  readonly runs: readonly RunChange[];
  /** Objects that are neither a RayCluster nor a Job and do not stay as they are. */
  readonly objects: readonly ObjectChange[];
  readonly infrastructure: readonly InfrastructureChange[];
  readonly chips: readonly ChipsChange[];
  readonly findings: readonly Finding[];
}

/** Conditions a pipeline can be made to fail on, with their meanings. */
export const CONDITIONS = {
  recreate: 'pods of a run that stays are deleted and made anew',
  remove: 'a run is gone, or has fewer slices',
  rerun: 'a run that stays gets another Job, and trains again',
  refuse: 'the API server refuses a change of an immutable field',
  stuck: 'new pods that can never be placed',
  ignored: 'a change that pods which are up do not get',
  pools: 'a node pool is deleted, or deleted and created',
  chips: 'more chips than before',
} as const;

/** The name of a condition. */
export type Condition = keyof typeof CONDITIONS;

/** A condition that holds, and of what. */
export interface Finding {
  readonly condition: Condition;
  readonly subject: string;
  readonly text: string;
}

/** Compares two projects, run by run. */
export function compareProjects(before: ReviewedProject, after: ReviewedProject): ProjectChange {
  const names = [...new Set([...namesOf(before), ...namesOf(after)])];
  const compared = names.flatMap((name) => {
    const [was, is] = [sideOf(before, name), sideOf(after, name)];
    // Another namespace is another RayCluster: the old one goes, or stays, and a second one comes beside it.
    return was === undefined || is === undefined || isSameRun(was, is)
      ? [compareRun(was, is)]
      : [compareRun(was, undefined), compareRun(undefined, is)];
  });
  const runs = compared.map((change) => blockedByRemoved(change, compared, before, after));
  const infrastructure = compareInfrastructure(before.plan, after.plan);
  const chips = compareChips(before.plan, after.plan);
  const objects = compareOthers(before, after);
  return { runs, objects, infrastructure, chips, findings: findingsOf(runs, objects, infrastructure, chips) };
}

function namesOf({ plan }: ReviewedProject): string[] {
  return plan.runs.map(({ name }) => name);
}

function sideOf(project: ReviewedProject, name: string): Side | undefined {
  const run = project.plan.runs.find((candidate) => candidate.name === name);
  return run === undefined ? undefined : { project, run };
}

/** A new run whose node pools are held by one that is gone from the files waits until that RayCluster is deleted. */
function blockedByRemoved(
  change: RunChange,
  changes: readonly RunChange[],
  before: ReviewedProject,
  after: ReviewedProject,
): RunChange {
  if (change.presence !== 'added') return change;
  const pools = sideOf(after, change.name)?.run.nodePools ?? [];
  const holder = changes.find(
    ({ name, presence }) =>
      presence === 'removed' &&
      sideOf(before, name)?.run.nodePools.some((pool) => pools.includes(pool)) === true,
  );
  if (holder === undefined) return change;
  return {
    ...change,
    pods: {
      effect: 'added, and never placed',
      why: `its node pools are those of ${holder.name}, whose RayCluster nothing but pruning or kubectl delete removes`,
    },
  };
}

/** Kinds that are compared run by run. */
const RUN_KINDS: ReadonlySet<string> = new Set(['RayCluster', 'Job']);

function compareOthers(before: ReviewedProject, after: ReviewedProject): ObjectChange[] {
  const one = new Map(before.objects.map((object) => [titleOf(object), object]));
  const other = new Map(after.objects.map((object) => [titleOf(object), object]));
  return [...new Set([...one.keys(), ...other.keys()])]
    .map((title) => ({
      object: other.get(title) ?? one.get(title),
      change: compareObject(one.get(title), other.get(title)),
    }))
    .filter(({ object, change }) => !RUN_KINDS.has(object?.kind ?? '') && change.effect !== 'unchanged')
    .map(({ change }) => change);
}

function findingsOf(
  runs: readonly RunChange[],
  objects: readonly ObjectChange[],
  infrastructure: readonly InfrastructureChange[],
  chips: readonly ChipsChange[],
): Finding[] {
  return [
    ...runs.flatMap(runFindings),
    ...runs.flatMap((run) => movedFindings(run, runs)),
    ...objects
      .filter(({ effect }) => effect === 'refused by the API server')
      .map(({ title, fields }) => refusal(title, fields)),
    ...infrastructure
      .filter(({ kind, action }) => kind === 'node pool' && action.startsWith('delete'))
      .map(({ name, action }) => finding('pools', name, `node pool ${name}: ${action}`)),
    ...chips
      .filter(({ before, after }) => after > before)
      .map(({ what, before, after }) =>
        finding('chips', what, `${what}: ${String(before)} -> ${String(after)} chips`),
      ),
  ];
}

function runFindings({ name, namespace, presence, pods, job, slices }: RunChange): Finding[] {
  const findings: Finding[] = [];
  if (presence === 'removed') {
    findings.push(finding('remove', name, `${name} is gone from namespace ${namespace}`));
  }
  if (presence === 'kept' && pods.effect === 'made anew') {
    findings.push(finding('recreate', name, `${name}: ${pods.why}`));
  }
  if (presence === 'kept' && (slices.after?.max ?? 0) < (slices.before?.max ?? 0)) {
    findings.push(finding('remove', name, `${name} has fewer slices`));
  }
  if (pods.effect === 'added, and never placed')
    findings.push(finding('stuck', name, `${name}: ${pods.why}`));
  if (pods.effect === 'ignored by the operator')
    findings.push(finding('ignored', name, `${name}: ${pods.why}`));
  if (presence === 'kept' && job.effect === 'made anew') {
    findings.push(finding('rerun', name, `${name} trains again: ${job.why.join('; ')}`));
  }
  if (job.effect === 'refused by the API server') findings.push(refusal(job.title, job.fields));
  return findings;
}

/** A run that goes on under its name in another namespace gets a Job there, and trains again. */
function movedFindings({ name, namespace, presence }: RunChange, runs: readonly RunChange[]): Finding[] {
  const left = runs.find((run) => run.name === name && run.presence === 'removed');
  if (presence !== 'added' || left === undefined) return [];
  return [finding('rerun', name, `${name} trains again: namespace: ${left.namespace} -> ${namespace}`)];
}

function refusal(title: string, fields: ObjectChange['fields']): Finding {
  const refused = fields.filter(({ rule }) => rule.effect === 'refused by the API server');
  const paths = refused.map(({ path }) => path).join(', ');
  return finding('refuse', title, `${title}: ${paths}: ${refused[0]?.rule.why ?? ''}`);
}

function finding(condition: Condition, subject: string, text: string): Finding {
  return { condition, subject, text };
}
