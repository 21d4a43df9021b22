import { problem } from '../problems';
import { forEachManifest } from './rule';

/** A Job's pod states restartPolicy Never or OnFailure, and Never where a podFailurePolicy reads its exit code. */
export const jobRestartPolicy = forEachManifest(({ kind, object, pods }) => {
  if (kind !== 'Job') return [];
  const hasPolicy =
    (object['spec'] as Record<string, unknown> | undefined)?.['podFailurePolicy'] !== undefined;
  const allowed = hasPolicy ? ['Never'] : ['Never', 'OnFailure'];
  return pods.flatMap((pod) => {
    const value = pod.spec['restartPolicy'];
    if (allowed.includes(String(value))) return [];
    return [
      problem('JOB_RESTART_POLICY', [...pod.path, 'spec', 'restartPolicy'], value, {
        job: hasPolicy ? 'a Job with a podFailurePolicy' : 'a Job',
        allowed: allowed.join(' or '),
      }),
    ];
  });
});
