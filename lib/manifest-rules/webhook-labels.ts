import { LABELS } from '../kubernetes/well-known';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { asObject } from './json';
import { forEachPod } from './rule';

/** The label and value by which the TPU webhook finds Ray's pods. KubeRay sets it, and lets a template override it. */
const WEBHOOK_LABEL_VALUE = 'kuberay';

const KUBERAY_PREFIX = 'ray.io/';

/** Labels of a Ray pod leave alone what KubeRay sets and the TPU webhook selects by: otherwise no host learns its place in the slice. */
export const webhookLabels = forEachPod((pod) => {
  if (pod.rayNode === undefined) return [];
  return Object.entries(asObject(pod.metadata['labels'])).flatMap(([key, value]): Problem[] => {
    const path = ['metadata', 'labels', key];
    if (key === LABELS.name && value !== WEBHOOK_LABEL_VALUE) {
      return [problem('WEBHOOK_LABEL', path, value, { key, partOf: LABELS.partOf })];
    }
    if (!key.startsWith(KUBERAY_PREFIX)) return [];
    return [problem('KUBERAY_LABEL', path, value)];
  });
});
