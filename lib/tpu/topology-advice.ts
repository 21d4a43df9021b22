import { GENERATION_FACTS } from './generations';
import type { Generation } from './generations';
import { chipsOf, parseTopology, shapesOf } from './topologies';

const MOST_SUGGESTIONS = 6;

/** What to do about a topology that a generation does not have: the one that was meant, or the nearest in chips. */
export function topologyAdvice(generation: Generation, topology: string): string {
  const offered = [...new Set(shapesOf(generation).map((shape) => shape.topology))];
  const tidy = tidyTopology(topology);
  if (offered.includes(tidy)) return `write ${tidy}`;
  const pod = podTypeOf(topology);
  if (pod?.generation === generation) return podTypeAdvice(pod, offered);
  if (parseTopology(tidy) === undefined) return oneOf(offered);
  return oneOf(nearestTopologies(offered, chipsOf(tidy), tidy));
}

/** What a pod type written as the generation says of the topology, or undefined for other texts. */
export function podTypeTopologyAdvice(text: string): string | undefined {
  const pod = podTypeOf(text);
  if (pod === undefined) return undefined;
  const offered = [...new Set(shapesOf(pod.generation).map((shape) => shape.topology))];
  return podTypeAdvice(pod, offered);
}

/** A topology without blanks, in lower case, its sides joined by `x`. */
function tidyTopology(text: string): string {
  return text.toLowerCase().replaceAll(/\s/g, '').replaceAll(/[×*]/g, 'x');
}

/** A pod type such as `tpu7x-128` or `v5litepod-16`. */
interface PodType {
  readonly text: string;
  readonly generation: Generation;
  readonly chips: number;
}

function podTypeOf(text: string): PodType | undefined {
  const match = /^([a-z0-9]+)-([1-9][0-9]{0,5})$/.exec(text.trim().toLowerCase());
  if (match === null) return undefined;
  const [tidy, prefix] = match;
  for (const [generation, facts] of Object.entries(GENERATION_FACTS)) {
    if (![generation, facts.rayPodTypePrefix, facts.gkePodTypePrefix].includes(prefix ?? '')) continue;
    const units = facts.podTypeCounts === 'chips' ? 1 : facts.tensorCoresPerChip;
    return { text: tidy, generation: generation as Generation, chips: Number(match[2]) / units };
  }
  return undefined;
}

function podTypeAdvice({ text, generation, chips }: PodType, offered: readonly string[]): string {
  const exact = offered
    .filter((topology) => chipsOf(topology) === chips)
    // The most cubic first: it has the shortest ways between chips.
    .sort((a, b) => longestSide(a) - longestSide(b));
  const found = exact.length > 0 ? exact : nearestTopologies(offered, chips);
  const counted =
    GENERATION_FACTS[generation].podTypeCounts === 'chips' ? 'counts chips' : 'counts TensorCores';
  const total = Number.isInteger(chips) ? `: ${String(chips)} ${chips === 1 ? 'chip' : 'chips'}` : '';
  return `${oneOf(found)}, since ${text} ${counted}${total}`;
}

function longestSide(topology: string): number {
  return Math.max(...(parseTopology(topology) ?? []));
}

function oneOf(topologies: readonly string[]): string {
  const shown = topologies.slice(0, MOST_SUGGESTIONS);
  return shown.length === 1 ? `write ${String(shown[0])}` : `use one of ${shown.join(', ')}`;
}

/** Offered topologies nearest in chips; the sorted form of what was typed comes first when it exists. */
function nearestTopologies(offered: readonly string[], chips: number, typed?: string): string[] {
  const sorted = typed === undefined ? '' : [...(parseTopology(typed) ?? [])].sort((a, b) => a - b).join('x');
  const distance = (candidate: string): number =>
    candidate === sorted ? -1 : Math.abs(Math.log(chipsOf(candidate) / chips));
  return [...offered].sort((a, b) => distance(a) - distance(b) || chipsOf(a) - chipsOf(b));
}
