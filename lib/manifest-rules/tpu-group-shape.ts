import { NODE_LABELS } from '../kubernetes/well-known';
import type { Problem } from '../problem';
import { asObject, fieldPath } from './json';
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
  const at = (label: string): string => fieldPath(`${pod.path}.spec.nodeSelector`, label);
  const missing = [NODE_LABELS.accelerator, NODE_LABELS.topology]
    .filter((label) => selector[label] === undefined)
    .map((label) => ({
      path: at(label),
      value: undefined,
      rule: 'a TPU worker group selects accelerator and topology of its nodes',
      fix: 'add it',
    }));
  const topology = selector[NODE_LABELS.topology];
  if (topology === undefined) return missing;
  if (typeof topology !== 'string' || !TOPOLOGY.test(topology)) {
    const rule = 'a topology is chips by chips, as in 4x4 or 2x2x2';
    return [...missing, { path: at(NODE_LABELS.topology), value: topology, rule, fix: 'correct it' }];
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
    {
      path: `${pod.path.replace(/\.template$/, '')}.numOfHosts`,
      value,
      rule: `topology ${topology} has ${chips} chips, ${perHost} in a pod, so ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`,
      fix: 'derive numOfHosts from the topology',
    },
  ];
}
