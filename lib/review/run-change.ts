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
  const fields = fieldDifferences(before, after).map((difference): FieldChange => {
    const rule = ruleOf(after.kind, difference.path);
    return { ...difference, rule, effect: rule.effect };
  });
  return { title, effect: gravest(fields), fields };
}

function gravest(fields: readonly FieldChange[]): ObjectEffect {
  if (fields.length === 0) return 'unchanged';
  const order = ['rejected', 'attaches'] as const;
  return order.find((grave) => fields.some(({ effect }) => effect === grave)) ?? 'updated';
}

function jobChange(before: Side | undefined, after: Side | undefined): RunChange['job'] {
  const one = manifestOf(before, 'Job');
  const other = manifestOf(after, 'Job');
  if (before === undefined || after === undefined) return { ...compareObject(one, other), why: [] };
  if (before.run.submissionId !== after.run.submissionId) {
    return {
      title: other === undefined ? `Job ${after.run.job}` : titleOf(other),
      effect: 'recreated',
      fields: [],
      why: rerunReasons(before.run, after.run),
    };
  }
  if (one === undefined || other === undefined) return { ...compareObject(one, other), why: [] };
  // Another name follows from another field, and is no difference of its own.
  const renamed = { ...one, metadata: { ...one.metadata, name: other.metadata.name } };
  return { ...compareObject(renamed, other), why: [] };
}

function chipsOf(side: Side | undefined): number | undefined {
  return side === undefined ? undefined : side.run.tpu.chipsPerSlice * side.run.tpu.slices.max;
}

function barsOf(side: Side | undefined): MemoryBar[] | undefined {
  return side === undefined ? undefined : memoryBars(side.run, side.project.fits.get(side.run.name));
}
