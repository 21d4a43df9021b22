import { DURATION_RULE, parseDuration } from '../kubernetes/duration';
import { labelKeyError, labelValueError } from '../kubernetes/labels';
import { misreading } from '../kubernetes/yaml-text';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { DEFAULT_BACKOFF_LIMIT, DEFAULT_START_DEADLINE, SHORT_START_DEADLINE_SECONDS } from './defaults';
import type { SubmitterSpec } from './run-spec';

/** Deadlines and policies of a submitter with every default filled in. */
export interface SubmitterFacts {
  readonly startDeadlineSeconds: number;
  readonly runDeadlineSeconds?: number;
  readonly onActiveRun: 'fail' | 'wait' | 'replace';
  readonly onFinish: 'keep' | 'deleteCluster';
  /** Whether torn slices are healed by deleting all worker pods at once. */
  readonly repairSlices?: true;
  readonly onTermination: 'detach' | 'stop';
  readonly backoffLimit: number;
  readonly nodeSelector: Readonly<Record<string, string>>;
}

/** Problems of a submitter's options; paths are relative to `submitter`. */
export function checkSubmitter(spec: SubmitterSpec): Problem[] {
  const problems: Problem[] = [];
  for (const key of ['startDeadline', 'runDeadline'] as const) {
    const value = spec[key];
    if (value !== undefined && parseDuration(value) === undefined) {
      problems.push(problem('SUBMITTER_DEADLINE', [key], value, { reason: DURATION_RULE }));
    }
  }
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    const keyRule = labelKeyError(key) ?? misreading(key);
    if (keyRule !== undefined) {
      problems.push(problem('NODE_SELECTOR_KEY', ['nodeSelector', key], key, { reason: keyRule }));
    }
    const valueRule = labelValueError(value);
    if (valueRule !== undefined) {
      problems.push(problem('NODE_SELECTOR_VALUE', ['nodeSelector', key], value, { reason: valueRule }));
    }
    if (key.startsWith('cloud.google.com/gke-tpu-')) {
      problems.push(problem('NODE_SELECTOR_TPU', ['nodeSelector', key], value));
    }
  }
  return problems;
}

/**
 * Problems of a submitter's options under a tool that keeps the cluster as git has it, and would undo or be undone by what they do; paths are
 * relative to `submitter`.
 */
export function checkUnderGitOps(spec: SubmitterSpec, tool: 'argo-cd' | 'flux' | undefined): Problem[] {
  if (tool === undefined) return [];
  return [
    ...(spec.onFinish === 'deleteCluster'
      ? [problem('GITOPS_ON_FINISH', ['onFinish'], spec.onFinish, { tool })]
      : []),
    ...(spec.onTermination === 'stop'
      ? [problem('GITOPS_ON_TERMINATION', ['onTermination'], spec.onTermination, { tool })]
      : []),
  ];
}

/** A submitter's options without Problems. */
export function resolveSubmitter(spec: SubmitterSpec | undefined): SubmitterFacts {
  const runDeadlineSeconds = spec?.runDeadline === undefined ? undefined : parseDuration(spec.runDeadline);
  return {
    startDeadlineSeconds: parseDuration(spec?.startDeadline ?? DEFAULT_START_DEADLINE) ?? 0,
    ...(runDeadlineSeconds === undefined ? {} : { runDeadlineSeconds }),
    onActiveRun: spec?.onActiveRun ?? 'fail',
    onFinish: spec?.onFinish ?? 'keep',
    ...(spec?.repairSlices === true ? { repairSlices: true } : {}),
    onTermination: spec?.onTermination ?? 'detach',
    backoffLimit: spec?.backoffLimit ?? DEFAULT_BACKOFF_LIMIT,
    nodeSelector: spec?.nodeSelector ?? {},
  };
}

/** A remark on a start deadline that ends before a head is up, or undefined. */
export function submitterWarning(submitter: SubmitterFacts): string | undefined {
  return submitter.startDeadlineSeconds < SHORT_START_DEADLINE_SECONDS
    ? `a start deadline of ${String(submitter.startDeadlineSeconds)} s is over before images are pulled and nodes are up: at least ${String(SHORT_START_DEADLINE_SECONDS)} s`
    : undefined;
}
