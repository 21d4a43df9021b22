import { DURATION_RULE, parseDuration } from '../kubernetes/duration';
import { labelKeyError, labelValueError } from '../kubernetes/labels';
import { misreading } from '../kubernetes/yaml-text';
import type { Problem } from '../problem';
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
      problems.push({ path: key, value, rule: DURATION_RULE, fix: 'write it as in 12h' });
    }
  }
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    const keyRule = labelKeyError(key) ?? misreading(key);
    if (keyRule !== undefined) {
      const fix = 'write the label as kubectl get nodes --show-labels has it';
      problems.push({ path: `nodeSelector.${key}`, value: key, rule: keyRule, fix });
    }
    const valueRule = labelValueError(value);
    if (valueRule !== undefined) {
      const fix = 'write the value as kubectl get nodes --show-labels has it';
      problems.push({ path: `nodeSelector.${key}`, value, rule: valueRule, fix });
    }
    if (key.startsWith('cloud.google.com/gke-tpu-')) {
      problems.push({
        path: `nodeSelector.${key}`,
        value,
        rule: 'the submitter needs no TPU and must not hold a TPU host',
        fix: 'remove it',
      });
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
      ? [
          {
            path: 'onFinish',
            value: spec.onFinish,
            rule: `git still wants the RayCluster: ${tool} would make it again, TPU hosts included, with nothing to train on them`,
            fix: 'leave it out, and remove the run file when the run has ended: pruning deletes the RayCluster',
          },
        ]
      : []),
    ...(spec.onTermination === 'stop'
      ? [
          {
            path: 'onTermination',
            value: spec.onTermination,
            rule: `a change of the submitter makes another Job, which follows the same run; ${tool} prunes the Job before it, which would stop that run`,
            fix: 'write detach; to stop a run, use ray job stop or remove its file',
          },
        ]
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
