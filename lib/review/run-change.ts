import { fieldDifferences } from './field-differences';
import type { FieldDifference } from './field-differences';
import { ruleOf } from './field-rules';
import type { FieldRule, ObjectEffect } from './field-rules';
import { memoryBars } from './memory-bar';
import type { MemoryBar } from './memory-bar';
import type { Range } from '../plan';
import { comparePods } from './pod-change';
import type { PodChange } from './pod-change';
import { rerunReasons } from './rerun-reasons';
import { titleOf } from './reviewed-project';
import type { Manifest } from './reviewed-project';
import { manifestOf, namespaceOf } from './run-side';
import type { Side } from './run-side';
import { missingShape } from './shape-change';

/** A field that differs, with what comes of it. */
export interface FieldChange extends FieldDifference {
  readonly rule: FieldRule;
  /** The rule's, unless a GitOps tool replaces an object whose change would be refused. */
  readonly effect: ObjectEffect;
}

/** What a change does to one object. */
export interface ObjectChange {
  readonly title: string;
  readonly effect: ObjectEffect;
  readonly fields: readonly FieldChange[];
}

/** A figure before and after; undefined where there is none. */
export interface Figure<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What applying the new manifests does to one run. */
export interface RunChange {
  readonly name: string;
  readonly namespace: string;
  readonly presence: 'added' | 'removed' | 'kept';
  readonly rayCluster: ObjectChange;
  readonly pods: PodChange;
  readonly job: ObjectChange & { readonly why: readonly string[] };
  /** Why the Job waits for hosts that never come, though no pod is added. */
  readonly stuck?: string;
  readonly slices: Figure<Range>;
  /** Chips at the most slices. */
  readonly chips: Figure<number>;
  /** Examples a step. */
  readonly batch: Figure<Range>;
  readonly memory: Figure<readonly MemoryBar[]>;
}

/** The change of a run that is on at least one side; on both sides it is the same RayCluster. */
export function compareRun(before: Side | undefined, after: Side | undefined): RunChange {
  const side = after ?? before;
  const rayCluster = compareObject(manifestOf(before, 'RayCluster'), manifestOf(after, 'RayCluster'));
  const pods = comparePods(
    before,
    after,
    rayCluster.fields.map(({ rule }) => rule),
  );
  const stuck = missingShape(before, after, pods);
  return {
    name: side?.run.name ?? '',
    namespace: side === undefined ? '' : namespaceOf(side),
    presence: before === undefined ? 'added' : after === undefined ? 'removed' : 'kept',
    rayCluster,
    pods,
    job: jobChange(before, after),
    ...(stuck === undefined ? {} : { stuck }),
    slices: { before: before?.run.tpu.slices, after: after?.run.tpu.slices },
    chips: { before: chipsOf(before), after: chipsOf(after) },
    batch: { before: before?.run.trainer.globalBatch, after: after?.run.trainer.globalBatch },
    memory: { before: barsOf(before), after: barsOf(after) },
  };
}

/** What becomes of an object; both sides have the same kind, namespace and name. */
export function compareObject(before: Manifest | undefined, after: Manifest | undefined): ObjectChange {
  const object = after ?? before;
  const title = object === undefined ? '' : titleOf(object);
  if (before === undefined) return { title, effect: after === undefined ? 'unchanged' : 'added', fields: [] };
  if (after === undefined) return { title, effect: 'removed', fields: [] };
  const refusal = isForced(after) ? 'replaced by the GitOps tool' : 'refused by the API server';
  const fields = fieldDifferences(before, after).map((difference): FieldChange => {
    const rule = ruleOf(after.kind, difference.path);
    return {
      ...difference,
      rule,
      effect: rule.effect === 'refused by the API server' ? refusal : rule.effect,
    };
  });
  if (fields.length === 0) return { title, effect: 'unchanged', fields };
  const isRefused = fields.some(({ effect }) => effect === refusal);
  return { title, effect: isRefused ? refusal : 'updated in place', fields };
}

/** Annotations by which Argo CD and Flux delete and make anew what cannot be changed. */
function isForced({ metadata }: Manifest): boolean {
  const { annotations = {} } = metadata;
  return (
    (annotations['argocd.argoproj.io/sync-options'] ?? '').includes('Force=true') ||
    annotations['kustomize.toolkit.fluxcd.io/force'] === 'enabled'
  );
}

function jobChange(before: Side | undefined, after: Side | undefined): RunChange['job'] {
  const one = manifestOf(before, 'Job');
  const other = manifestOf(after, 'Job');
  if (before === undefined || after === undefined || before.run.job === after.run.job) {
    return { ...compareObject(one, other), why: [] };
  }
  return {
    title: other === undefined ? `Job ${after.run.job}` : titleOf(other),
    effect: 'made anew',
    fields: [],
    why: rerunReasons(before.project, before.run, after.project, after.run),
  };
}

function chipsOf(side: Side | undefined): number | undefined {
  return side === undefined ? undefined : side.run.tpu.chipsPerSlice * side.run.tpu.slices.max;
}

function barsOf(side: Side | undefined): MemoryBar[] | undefined {
  return side === undefined ? undefined : memoryBars(side.run, side.project.fits.get(side.run.name));
}
