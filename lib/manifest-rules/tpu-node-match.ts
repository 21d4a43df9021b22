import { NODE_LABELS, TPU_TAINT_KEY } from '../kubernetes/well-known';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { GENERATIONS, GENERATION_FACTS, parseTopology } from '../tpu';
import { asList, asObject, asText } from './json';
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
  const path = ['spec', 'nodeSelector', NODE_LABELS.accelerator];
  const generation = GENERATIONS.find((known) => GENERATION_FACTS[known].acceleratorLabel === label);
  if (generation === undefined) {
    const labels = GENERATIONS.map((known) => GENERATION_FACTS[known].acceleratorLabel).join(', ');
    return [problem('TPU_NODE_LABEL', path, label, { labels })];
  }
  const topology = asText(selector[NODE_LABELS.topology]) ?? '';
  const { dimensions } = GENERATION_FACTS[generation];
  const sides = parseTopology(topology)?.length ?? dimensions;
  if (sides === dimensions) return [];
  return [problem('TPU_NODE_DIMENSIONS', path, label, { generation, dimensions, topology })];
}

function tolerationProblems(pod: PodView): Problem[] {
  const tolerated = asList(pod.spec['tolerations']).some((item) => {
    const { key, effect, operator } = asObject(item) as Record<string, unknown>;
    const everything = key === undefined && operator === 'Exists';
    return (key === TPU_TAINT_KEY || everything) && (effect === undefined || effect === 'NoSchedule');
  });
  if (tolerated) return [];
  return [
    problem('TPU_TOLERATION', ['spec', 'tolerations'], pod.spec['tolerations'], {
      tpuTaintKey: TPU_TAINT_KEY,
    }),
  ];
}
