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
    const rule = `the pod of a Job${hasPolicy ? ' with a podFailurePolicy' : ''} has restartPolicy ${allowed.join(' or ')}`;
    return [{ path: `${pod.path}.spec.restartPolicy`, value, rule, fix: 'set it to Never' }];
  });
});
