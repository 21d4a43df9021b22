import { LABELS } from '../kubernetes/well-known';
import type { Problem } from '../problem';
import { asObject, fieldPath } from './json';
import { forEachPod } from './rule';

/** The label and value by which the TPU webhook finds Ray's pods. KubeRay sets it, and lets a template override it. */
const WEBHOOK_LABEL_VALUE = 'kuberay';

const KUBERAY_PREFIX = 'ray.io/';

/** Labels of a Ray pod leave alone what KubeRay sets and the TPU webhook selects by: otherwise no host learns its place in the slice. */
export const webhookLabels = forEachPod((pod) => {
  if (pod.rayNode === undefined) return [];
  return Object.entries(asObject(pod.metadata['labels'])).flatMap(([key, value]): Problem[] => {
    const path = fieldPath('metadata.labels', key);
    if (key === LABELS.name && value !== WEBHOOK_LABEL_VALUE) {
      const rule = `the TPU webhook selects Ray's pods by ${key}=${WEBHOOK_LABEL_VALUE}`;
      return [{ path, value, rule, fix: `remove it, or use ${LABELS.partOf} for your own` }];
    }
    if (!key.startsWith(KUBERAY_PREFIX)) return [];
    return [{ path, value, rule: `labels under ${KUBERAY_PREFIX} are KubeRay's to set`, fix: 'remove it' }];
  });
});
