import { ACTION_TEXTS } from './infrastructure-effect';
import type { InfrastructureAction } from './infrastructure-effect';
import type { InfrastructureChange } from './infrastructure-change';
import type { ProjectChange } from './project-change';
import type { ObjectChange, RunChange } from './run-change';

/** Conditions a pipeline can be made to fail on, with their meanings. */
export const CONDITIONS = {
  recreated: 'pods of a run that stays are deleted and made anew',
  removed: 'a run is gone, or loses slices or hosts of them',
  rerun: 'a run that stays gets another Job, and trains again',
  rejected: 'the API server refuses a change of an immutable field',
  pending: 'pods that a run needs are never placed, or never made, unless a RayCluster is deleted',
  ignored: 'a change that pods which are up do not get',
  cluster: 'the runs go to another cluster, or theirs has to be made anew',
  pools: 'a node pool is no longer needed, or has to be made anew',
  chips: 'more chips than before',
} as const;

/** Conditions that had other names before 0.2.0, with those they have now. */
export const RENAMED_CONDITIONS: Readonly<Record<string, Condition>> = {
  recreate: 'recreated',
  remove: 'removed',
  refuse: 'rejected',
  stuck: 'pending',
};

/** The name of a condition. */
export type Condition = keyof typeof CONDITIONS;

/** A condition that holds, and of what. */
export interface Finding {
  readonly condition: Condition;
  readonly subject: string;
  readonly text: string;
}

/** Every condition that holds for a change. */
export function findingsOf(change: Omit<ProjectChange, 'findings'>): Finding[] {
  const { runs, moves, objects, infrastructure, chips } = change;
  return [
    ...runs.flatMap(runFindings),
    ...moves.map(({ name, why }) => finding('rerun', name, `${name} trains again: ${why}`)),
    ...objects
      .filter(({ effect }) => effect === 'rejected')
      .map(({ title, fields }) => refusal(title, fields)),
    ...infrastructure.flatMap(infrastructureFindings),
    ...chips
      .filter(({ before, after }) => after > before)
      .map(({ what, before, after }) =>
        finding('chips', what, `${what}: ${String(before)} -> ${String(after)} chips`),
      ),
  ];
}

/** What becomes of a cluster or node pool when there is no other way than to make it anew, or to have done with it. */
const GRAVE: ReadonlySet<InfrastructureAction> = new Set(['abandoned', 'unneeded', 'recreate']);

function infrastructureFindings({ kind, name, action, why }: InfrastructureChange): Finding[] {
  if (!GRAVE.has(action)) return [];
  if (kind === 'cluster')
    return [finding('cluster', name, `cluster ${name}: ${ACTION_TEXTS[action]}: ${why}`)];
  return kind === 'node pool' ? [finding('pools', name, `node pool ${name}: ${ACTION_TEXTS[action]}`)] : [];
}

function runFindings({ name, namespace, presence, pods, job, slices, stuck }: RunChange): Finding[] {
  const findings: Finding[] = [];
  if (presence === 'removed') {
    findings.push(finding('removed', name, `${name} is gone from namespace ${namespace}`));
  }
  if (presence === 'kept' && pods.effect === 'recreated') {
    findings.push(finding('recreated', name, `${name}: ${pods.why}`));
  }
  if (presence === 'kept' && (slices.after?.max ?? 0) < (slices.before?.max ?? 0)) {
    findings.push(finding('removed', name, `${name} has fewer slices`));
  } else if (presence === 'kept' && pods.effect === 'removed') {
    // The range is no smaller, but fewer of it are asked for: an autoscaler begins at the minimum.
    findings.push(finding('removed', name, `${name} loses pods: ${pods.why}`));
  }
  const missing = pods.effect === 'pending' ? pods.why : stuck;
  if (missing !== undefined) findings.push(finding('pending', name, `${name}: ${missing}`));
  const ignored = pods.effect === 'ignored' ? pods.why : pods.ignored;
  if (ignored !== undefined) findings.push(finding('ignored', name, `${name}: ${ignored}`));
  if (presence === 'kept' && job.effect === 'recreated') {
    findings.push(finding('rerun', name, `${name} trains again: ${job.why.join('; ')}`));
  }
  if (job.effect === 'rejected') findings.push(refusal(job.title, job.fields));
  return findings;
}

function refusal(title: string, fields: ObjectChange['fields']): Finding {
  const refused = fields.filter(({ effect }) => effect === 'rejected');
  const paths = refused.map(({ path }) => path).join(', ');
  return finding('rejected', title, `${title}: ${paths}: ${refused[0]?.rule.why ?? ''}`);
}

function finding(condition: Condition, subject: string, text: string): Finding {
  return { condition, subject, text };
}
