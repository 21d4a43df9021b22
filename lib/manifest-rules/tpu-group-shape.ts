import { NODE_LABELS } from '../kubernetes/well-known';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asObject } from './json';
import type { PodView } from './manifest';
import { forEachManifest } from './rule';
import { chipsOf } from './tpu-machine';

const TOPOLOGY = /^[1-9]\d*(x[1-9]\d*){1,2}$/;

/**
 * A worker group with TPU chips selects accelerator and topology, and numOfHosts is what the topology has: the TPU webhook refuses the
 * group otherwise. The formula is the webhook's: chips of the topology by chips of the pod, at least 1.
 *
 * @see https://github.com/ai-on-gke/kuberay-tpu-webhook
 */
export const tpuGroupShape = forEachManifest(({ pods }) =>
  pods.filter((pod) => pod.rayNode === 'worker' && chipsOf(pod) > 0).flatMap(shapeProblems),
);

function shapeProblems(pod: PodView): Problem[] {
  const selector = asObject(pod.spec['nodeSelector']);
  const at = (label: string): Path => [...pod.path, 'spec', 'nodeSelector', label];
  const missing = [NODE_LABELS.accelerator, NODE_LABELS.topology]
    .filter((label) => selector[label] === undefined)
    .map((label) => problem('TPU_SELECTOR_MISSING', at(label), undefined));
  const topology = selector[NODE_LABELS.topology];
  if (topology === undefined) return missing;
  if (typeof topology !== 'string' || !TOPOLOGY.test(topology)) {
    return [...missing, problem('TPU_SELECTOR_TOPOLOGY', at(NODE_LABELS.topology), topology)];
  }
  return [...missing, ...hostsProblems(pod, topology)];
}

function hostsProblems(pod: PodView, topology: string): Problem[] {
  const chips = topology.split('x').reduce((product, side) => product * Number(side), 1);
  const perHost = chipsOf(pod);
  const hosts = Math.max(1, Math.floor(chips / perHost));
  const value = pod.group['numOfHosts'];
  if (value === hosts || typeof value !== 'number') return [];
  return [
    problem('NUM_OF_HOSTS', [...pod.path.slice(0, -1), 'numOfHosts'], value, {
      topology,
      chips,
      perHost,
      hosts: hosts === 1 ? '1 host' : `${String(hosts)} hosts`,
    }),
  ];
}
