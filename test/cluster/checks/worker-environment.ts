import type { Pod } from '../kubernetes-object';
import { tpuOfPod } from '../tpu-webhook/topology';
import type { Check, Observation } from './observation';
import { replicaOf, variableOf } from './observation';

/** Variables that only Ray may set, while there is more than one slice: a stale number hangs the survivors of a loss. */
const LEFT_TO_RAY = ['MEGASCALE_NUM_SLICES', 'MEGASCALE_SLICE_ID', 'MEGASCALE_COORDINATOR_ADDRESS'];

/** Environment of the first and the last worker, and distinct places of all. */
export const workerEnvironment: Check = (observation) => {
  const { workers } = observation;
  const places = workers.map(
    (pod) => `${variableOf(pod, 'TPU_NAME') ?? '?'}/${variableOf(pod, 'TPU_WORKER_ID') ?? '?'}`,
  );
  const doubled = places.filter((place, index) => places.indexOf(place) !== index);
  const sorted = [...workers].sort((a, b) => placeOrder(a) - placeOrder(b));
  const [first] = sorted;
  const last = sorted.at(-1);
  return [
    ...doubled.map((place) => `two workers have the place ${place}`),
    ...(first === undefined ? ['there is no worker'] : environmentProblems(first, 0, 0, observation)),
    ...(last === undefined
      ? []
      : environmentProblems(
          last,
          observation.slices - 1,
          observation.run.tpu.hostsPerSlice - 1,
          observation,
        )),
  ];
};

function placeOrder(pod: Pod): number {
  const replica = Number(replicaOf(pod).split('-').at(-1));
  return replica * 100_000 + Number(variableOf(pod, 'TPU_WORKER_ID'));
}

function environmentProblems(pod: Pod, replica: number, host: number, { run }: Observation): string[] {
  const group = pod.metadata.labels?.['ray.io/group'] ?? '';
  const expected: Record<string, string> = {
    TPU_NAME: `${group}-${String(replica)}`,
    TPU_WORKER_ID: String(host),
  };
  const problems = Object.entries(expected)
    .filter(([name, value]) => variableOf(pod, name) !== value)
    .map(
      ([name, value]) =>
        `${name} of ${pod.metadata.name ?? ''} is '${variableOf(pod, name) ?? ''}', '${value}' expected`,
    );
  if (tpuOfPod(pod.spec) !== run.tpu.chipsPerHost) {
    problems.push(
      `${pod.metadata.name ?? ''} asks for ${String(tpuOfPod(pod.spec))} chips, ${String(run.tpu.chipsPerHost)} expected`,
    );
  }
  for (const name of LEFT_TO_RAY) {
    if (variableOf(pod, name) !== undefined) problems.push(`${pod.metadata.name ?? ''} carries ${name}`);
  }
  return problems;
}
