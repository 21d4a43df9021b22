import type { PlannedRun } from '../plan';
import { at, list } from '../review';
import { Examination, jsonOf, textAt } from './finding';
import type { Finding, Observation } from './finding';

/** What was seen of one run. */
export interface RunObservations {
  readonly rayCluster: Observation;
  /** Pods of the RayCluster. */
  readonly pods: Observation;
  readonly job: Observation;
}

/** Variables that the TPU webhook gives to every worker. */
const WORKER_VARIABLES = ['TPU_WORKER_ID', 'TPU_NAME'] as const;

/** Most pods that are named in one line. */
const MOST_NAMED = 4;

/** The RayCluster, the pods that hold it up, what workers were given, and the submitter. */
export function examineRun(run: PlannedRun, seen: RunObservations): Finding[] {
  const examination = new Examination('run');
  const subject = `RayCluster ${run.rayCluster}`;
  if (!seen.rayCluster.isThere) {
    if (seen.rayCluster.isNotFound) {
      examination.cannotTell(subject, 'not applied yet', 'kubectl apply -f dist/');
    } else {
      examination.cannotTell(subject, seen.rayCluster.reason, 'kubectl get raycluster says why');
    }
    return examination.findings;
  }
  examineState(examination, subject, jsonOf(seen.rayCluster));
  const pods = list(at(jsonOf(seen.pods), 'items'));
  examinePods(examination, run, pods, seen.pods);
  examineWorkers(examination, run, pods);
  examineJob(examination, run, seen.job);
  return examination.findings;
}

function examineState(examination: Examination, subject: string, rayCluster: unknown): void {
  const state = textAt(rayCluster, 'status', 'state') ?? 'not looked at by the operator yet';
  const failing = list(at(rayCluster, 'status', 'conditions'))
    .filter((condition) => isFailing(String(at(condition, 'type')), at(condition, 'status')))
    .map(
      (condition) =>
        `${String(at(condition, 'type'))}: ${textAt(condition, 'message') ?? textAt(condition, 'reason') ?? ''}`,
    );
  const reason = at(rayCluster, 'status', 'reason');
  const detail = [state, ...failing, ...(typeof reason === 'string' && reason !== '' ? [reason] : [])].join(
    '; ',
  );
  if (state === 'ready' && failing.length === 0) examination.ok(subject, detail);
  else {
    examination.missing(
      subject,
      detail,
      `kubectl describe raycluster ${subject.split(' ')[1] ?? ''}: its events say what the operator refuses`,
    );
  }
}

/** Conditions that are bad when true, and those that are bad when false. */
function isFailing(type: string, status: unknown): boolean {
  if (type === 'ReplicaFailure' || type === 'RayClusterReplicaFailure') return status === 'True';
  return (type === 'HeadPodReady' || type === 'RayClusterProvisioned') && status === 'False';
}

function examinePods(
  examination: Examination,
  run: PlannedRun,
  pods: readonly unknown[],
  observation: Observation,
): void {
  const subject = `pods of ${run.rayCluster}`;
  if (!observation.isThere) {
    examination.cannotTell(subject, observation.reason, 'ask for the right to list pods');
    return;
  }
  const wanted = 1 + run.wait.hosts;
  const holding = pods.flatMap((pod) => {
    const reason = whyNotReady(pod);
    return reason === undefined ? [] : [`${nameOf(pod)}: ${reason}`];
  });
  const ready = pods.length - holding.length;
  const figures = `${String(ready)} of ${String(wanted)} ready`;
  if (ready >= wanted) {
    examination.ok(subject, figures);
    return;
  }
  const named = [
    ...holding.slice(0, MOST_NAMED),
    ...(holding.length > MOST_NAMED ? [`and ${String(holding.length - MOST_NAMED)} more`] : []),
  ];
  examination.missing(
    subject,
    [figures, ...named].join('; '),
    'docs/troubleshooting.md, "Pods do not start"; kubectl describe pod NAME has the whole story',
  );
}

/** Why a pod is not ready, as far as Kubernetes says it. */
function whyNotReady(pod: unknown): string | undefined {
  const conditions = list(at(pod, 'status', 'conditions'));
  const condition = (type: string): unknown => conditions.find((each) => at(each, 'type') === type);
  if (at(condition('Ready'), 'status') === 'True') return undefined;
  const unscheduled = condition('PodScheduled');
  if (at(unscheduled, 'status') === 'False') return textAt(unscheduled, 'message') ?? 'not scheduled';
  const waiting = [
    ...list(at(pod, 'status', 'initContainerStatuses')),
    ...list(at(pod, 'status', 'containerStatuses')),
  ]
    .map((status) => at(status, 'state', 'waiting'))
    .find((state) => state !== undefined);
  if (waiting !== undefined) {
    return [at(waiting, 'reason'), at(waiting, 'message')]
      .filter((part) => typeof part === 'string')
      .join(': ');
  }
  return textAt(pod, 'status', 'phase') ?? 'unknown';
}

function examineWorkers(examination: Examination, run: PlannedRun, pods: readonly unknown[]): void {
  const workers = pods.filter((pod) => at(pod, 'metadata', 'labels', 'ray.io/node-type') === 'worker');
  if (workers.length === 0) return;
  const subject = `TPU environment of ${run.rayCluster}`;
  const lacking = WORKER_VARIABLES.filter((name) =>
    workers.some((worker) => environmentOf(worker).get(name) === undefined),
  );
  if (lacking.length > 0) {
    examination.missing(
      subject,
      `not all of ${String(workers.length)} workers have ${lacking.join(' and ')}`,
      'the TPU webhook did not see them: see to the webhook, then delete the workers',
    );
    return;
  }
  const places = workers.map((worker) => {
    const variables = environmentOf(worker);
    return `${variables.get('TPU_NAME') ?? ''} ${variables.get('TPU_WORKER_ID') ?? ''}`;
  });
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined && run.tpu.hostsPerSlice > 1) {
    const [slice = '', id = ''] = twice.split(' ');
    examination.missing(
      subject,
      `worker id ${id} of slice ${slice} is carried twice`,
      'delete the RayCluster and apply again; an old TPU webhook counts wrongly after fast re-creation',
    );
    return;
  }
  examination.ok(subject, `${String(workers.length)} workers, each with an id and a slice of its own`);
}

function environmentOf(pod: unknown): Map<string, string> {
  const variables = list(at(pod, 'spec', 'containers')).flatMap((container) => list(at(container, 'env')));
  return new Map(
    variables.flatMap((variable): [string, string][] => {
      const [name, value] = [at(variable, 'name'), at(variable, 'value')];
      return typeof name === 'string' && typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function examineJob(examination: Examination, run: PlannedRun, observation: Observation): void {
  const subject = `Job ${run.job}`;
  if (!observation.isThere) {
    if (observation.isNotFound) examination.cannotTell(subject, 'not applied yet', 'kubectl apply -f dist/');
    else examination.cannotTell(subject, observation.reason, 'ask for the right to get jobs');
    return;
  }
  const job = jsonOf(observation);
  const ended = list(at(job, 'status', 'conditions')).find(
    (condition) =>
      ['Complete', 'Failed'].includes(String(at(condition, 'type'))) && at(condition, 'status') === 'True',
  );
  if (at(ended, 'type') === 'Failed') {
    examination.missing(
      subject,
      `failed: ${textAt(ended, 'message') ?? textAt(ended, 'reason') ?? ''}`,
      `kubectl logs job/${run.job}: its last line has the verdict; docs/submitter.md has the exit codes`,
    );
  } else if (ended !== undefined) examination.ok(subject, 'complete');
  else examination.ok(subject, `${textAt(job, 'status', 'active') ?? '0'} pod active`);
}

function nameOf(pod: unknown): string {
  return textAt(pod, 'metadata', 'name') ?? '';
}
