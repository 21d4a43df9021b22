import type { Check } from './observation';
import { byReplica } from './observation';

/** One head, slices x hosts workers, whole slices, one submitter. */
export const podCounts: Check = ({ run, slices, workers, submitters }) => {
  const expected = slices * run.tpu.hostsPerSlice;
  const problems: string[] = [];
  if (workers.length !== expected) {
    problems.push(`${String(workers.length)} workers, ${String(expected)} expected`);
  }
  for (const [replica, pods] of byReplica(workers)) {
    if (run.tpu.hostsPerSlice > 1 && pods.length !== run.tpu.hostsPerSlice) {
      problems.push(
        `replica ${replica} has ${String(pods.length)} hosts, ${String(run.tpu.hostsPerSlice)} expected`,
      );
    }
  }
  if (submitters.length !== 1) problems.push(`${String(submitters.length)} submitter pods, 1 expected`);
  return problems;
};
