import { LABELS } from '../kubernetes/well-known';
import { clusterDifferences, clusterOf, clusterText } from './cluster-identity';
import { findingsOf } from './findings';
import type { Finding } from './findings';
import { compareChips, compareInfrastructure } from './infrastructure-change';
import type { ChipsChange, InfrastructureChange } from './infrastructure-change';
import { titleOf } from './reviewed-project';
import type { Manifest, ReviewedProject } from './reviewed-project';
import { compareObject, compareRun } from './run-change';
import type { ObjectChange, RunChange } from './run-change';
import { isSameRun, rayClusterOf, sideOf } from './run-side';
import { withWaits } from './pool-room';
import { withTenants } from './standing-pods';

/** What applying the new manifests does to a cluster that has the old ones. */
export interface ProjectChange {
  /** A run that moves to another namespace is there twice: removed and added. */
  readonly runs: readonly RunChange[];
  readonly moves: readonly RunMove[];
  /** Objects that are neither a RayCluster nor a Job and do not stay as they are. */
  readonly objects: readonly ObjectChange[];
  readonly infrastructure: readonly InfrastructureChange[];
  readonly chips: readonly ChipsChange[];
  readonly findings: readonly Finding[];
}

/** A run that stays in the files, but gets a RayCluster and a Job elsewhere. */
export interface RunMove {
  readonly name: string;
  readonly why: string;
}

/** Compares two projects, run by run. Without one before, all is new. */
export function compareProjects(before: ReviewedProject | undefined, after: ReviewedProject): ProjectChange {
  // Nothing of what another cluster holds is changed by applying to this one.
  const here = before !== undefined && isSameCluster(before, after) ? before : undefined;
  const runs = withWaits(compareRuns(here, after), here, after);
  const change = {
    runs,
    moves: movesOf(before, after),
    objects: compareOthers(here?.objects ?? [], after.objects),
    infrastructure: withTenants(compareInfrastructure(before?.plan, after.plan), runs, here, after),
    chips: compareChips(here?.plan, after.plan),
  };
  return { ...change, findings: findingsOf(change) };
}

function isSameCluster(before: ReviewedProject, after: ReviewedProject): boolean {
  return clusterDifferences(before.plan.platform, after.plan.platform).length === 0;
}

function compareRuns(before: ReviewedProject | undefined, after: ReviewedProject): RunChange[] {
  const names = [...new Set([...namesOf(before), ...namesOf(after)])];
  return names.flatMap((name) => {
    const [was, is] = [sideOf(before, name), sideOf(after, name)];
    return was === undefined || is === undefined || isSameRun(was, is)
      ? [compareRun(was, is)]
      : [compareRun(was, undefined), compareRun(undefined, is)];
  });
}

function namesOf(project: ReviewedProject | undefined): string[] {
  return project?.plan.runs.map(({ name }) => name) ?? [];
}

function movesOf(before: ReviewedProject | undefined, after: ReviewedProject): RunMove[] {
  if (before === undefined) return [];
  const [left, taken] = [before, after].map(({ plan }) => clusterText(clusterOf(plan.platform)));
  return namesOf(after).flatMap((name) => {
    const [was, is] = [sideOf(before, name), sideOf(after, name)];
    if (was === undefined || is === undefined) return [];
    if (left !== taken) return [{ name, why: `cluster: ${left ?? ''} -> ${taken ?? ''}` }];
    return isSameRun(was, is)
      ? []
      : [{ name, why: `RayCluster: ${rayClusterOf(was)} -> ${rayClusterOf(is)}` }];
  });
}

/** Kinds that are compared run by run. */
const RUN_KINDS: ReadonlySet<string> = new Set(['RayCluster', 'Job']);

/** Whether an object is told by its run's own rows: the ConfigMap of a submitter says which Job was applied last, and no more. */
function isOfRun({ kind, metadata }: Manifest): boolean {
  return RUN_KINDS.has(kind) || (kind === 'ConfigMap' && metadata.labels?.[LABELS.component] === 'submitter');
}

function compareOthers(before: readonly Manifest[], after: readonly Manifest[]): ObjectChange[] {
  const [one, other] = [before, after].map(
    (objects) =>
      new Map(objects.filter((object) => !isOfRun(object)).map((object) => [titleOf(object), object])),
  );
  return [...new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])]
    .map((title) => compareObject(one?.get(title), other?.get(title)))
    .filter(({ effect }) => effect !== 'unchanged');
}
