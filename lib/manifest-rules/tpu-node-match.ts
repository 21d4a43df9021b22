import { NODE_LABELS, TPU_TAINT_KEY } from '../kubernetes/well-known';
import type { Problem } from '../problem';
import { GENERATIONS, GENERATION_FACTS, parseTopology } from '../tpu';
import { asList, asObject, asText, fieldPath } from './json';
import type { PodView } from './manifest';
import { forEachPod } from './rule';
import { chipsOf } from './tpu-machine';

/**
 * A pod with TPU chips can land on a TPU node: its accelerator label is one that has its topology's dimensions, and it tolerates
 * the taint of TPU nodes. Otherwise it is Pending for ever beside free chips.
 */
export const tpuNodeMatch = forEachPod((pod) =>
  chipsOf(pod) > 0 ? [...labelProblems(pod), ...tolerationProblems(pod)] : [],
);

function labelProblems(pod: PodView): Problem[] {
  const selector = asObject(pod.spec['nodeSelector']);
  const label = asText(selector[NODE_LABELS.accelerator]);
  if (label === undefined) return [];
  const path = fieldPath('spec.nodeSelector', NODE_LABELS.accelerator);
  const generation = GENERATIONS.find((known) => GENERATION_FACTS[known].acceleratorLabel === label);
  if (generation === undefined) {
    const labels = GENERATIONS.map((known) => GENERATION_FACTS[known].acceleratorLabel).join(', ');
    return [{ path, value: label, rule: `TPU nodes are labelled ${labels}`, fix: 'use one of them' }];
  }
  const topology = asText(selector[NODE_LABELS.topology]) ?? '';
  const { dimensions } = GENERATION_FACTS[generation];
  const sides = parseTopology(topology)?.length ?? dimensions;
  if (sides === dimensions) return [];
  return [
    {
      path,
      value: label,
      rule: `${generation} topologies have ${String(dimensions)} dimensions, and this pod asks for ${topology}`,
      fix: 'select the accelerator and the topology of one node pool',
    },
  ];
}

function tolerationProblems(pod: PodView): Problem[] {
  const tolerated = asList(pod.spec['tolerations']).some((item) => {
    const { key, effect, operator } = asObject(item) as Record<string, unknown>;
    const everything = key === undefined && operator === 'Exists';
    return (key === TPU_TAINT_KEY || everything) && (effect === undefined || effect === 'NoSchedule');
  });
  if (tolerated) return [];
  return [
    {
      path: 'spec.tolerations',
      value: pod.spec['tolerations'],
      rule: `TPU nodes carry the taint ${TPU_TAINT_KEY}=present:NoSchedule`,
      fix: `tolerate it: {key: ${TPU_TAINT_KEY}, operator: Exists, effect: NoSchedule}`,
    },
  ];
}
