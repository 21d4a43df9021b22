import { problem } from '../problems';
import type { Problem } from '../problems';
import { GENERATIONS, GENERATION_FACTS } from './generations';
import type { Generation } from './generations';
import { KNOWN_BUT_NOT_OFFERED, MACHINE_FACTS, machineTypesOf } from './machine-types';
import type { MachineType } from './machine-types';
import { podTypeTopologyAdvice, topologyAdvice } from './topology-advice';
import { shapesOf, shapesWithTopology, chipsOf } from './topologies';
import type { Shape } from './topologies';

/** What a user says about one slice. */
export interface SliceSpec {
  readonly generation: string;
  readonly topology: string;
  /** Needed only where a topology exists on two machine types (v5e and v6e `2x4`). */
  readonly machineType?: string;
}

/** One TPU slice with everything that follows from generation, topology and machine type. */
export interface TpuSlice {
  readonly generation: Generation;
  readonly topology: string;
  readonly machineType: MachineType;
  readonly acceleratorLabel: string;
  readonly chips: number;
  readonly hosts: number;
  readonly chipsPerHost: number;
  readonly devicesPerChip: number;
  readonly devices: number;
  readonly devicesPerHost: number;
  readonly hbmBytesPerDevice: number;
  /** Ray's pod type, e.g. `v6e-16`: the slice head's resource is `TPU-v6e-16-head`. */
  readonly rayPodType: string;
  /** The pod type GKE puts into TPU_ACCELERATOR_TYPE, e.g. `tpu7x-16`. */
  readonly gkePodType: string;
  readonly rayAcceleratorType: string;
}

/** The slice a spec describes, or every reason why there is none. Paths are relative to the spec. */
export function resolveSlice(spec: SliceSpec): TpuSlice | readonly Problem[] {
  const generation = GENERATIONS.find((known) => known === spec.generation);
  if (generation === undefined) {
    return [
      problem('TPU_GENERATION', ['generation'], spec.generation, {
        generations: GENERATIONS.join(', '),
        advice: suggestGeneration(spec.generation),
      }),
    ];
  }
  const shapes = shapesWithTopology(generation, spec.topology);
  const machineProblem = checkMachineType(generation, spec.machineType);
  if (shapes.length === 0) {
    const topologyProblem: Problem = problem('TPU_TOPOLOGY', ['topology'], spec.topology, {
      reason: topologyRule(generation),
      advice: topologyAdvice(generation, spec.topology),
    });
    return machineProblem === undefined ? [topologyProblem] : [topologyProblem, machineProblem];
  }
  if (machineProblem !== undefined) return [machineProblem];
  const fitting =
    spec.machineType === undefined ? shapes : shapes.filter((s) => s.machineType === spec.machineType);
  const [shape, other] = fitting;
  if (shape === undefined) {
    const machines = shapes.map((s) => `${s.machineType} (${hostsText(s.hosts)})`);
    return [
      problem('TPU_MACHINE_TOPOLOGY', ['machineType'], spec.machineType, {
        generation,
        topology: spec.topology,
        machines: machines.join(' and '),
        advice:
          shapes.length === 1
            ? 'leave machineType out, or name that one'
            : `name one of ${machines.join(', ')}`,
      }),
    ];
  }
  if (other !== undefined) {
    const machines = fitting.map((s) => `${s.machineType} (${hostsText(s.hosts)})`);
    return [
      problem('TPU_MACHINE_AMBIGUOUS', ['machineType'], undefined, {
        generation,
        topology: spec.topology,
        machines: machines.join(' and '),
        fitting: fitting.map((s) => s.machineType).join(' or '),
      }),
    ];
  }
  return describeShape(shape);
}

/** True when `resolveSlice` gave Problems. */
export function isProblems(result: TpuSlice | readonly Problem[]): result is readonly Problem[] {
  return Array.isArray(result);
}

/** Every derived figure of a shape. */
export function describeShape(shape: Shape): TpuSlice {
  const facts = GENERATION_FACTS[shape.generation];
  const chips = chipsOf(shape.topology);
  const chipsPerHost = MACHINE_FACTS[shape.machineType].chips;
  const podTypeNumber = facts.podTypeCounts === 'chips' ? chips : chips * facts.tensorCoresPerChip;
  return {
    generation: shape.generation,
    topology: shape.topology,
    machineType: shape.machineType,
    acceleratorLabel: facts.acceleratorLabel,
    chips,
    hosts: shape.hosts,
    chipsPerHost,
    devicesPerChip: facts.devicesPerChip,
    devices: chips * facts.devicesPerChip,
    devicesPerHost: chipsPerHost * facts.devicesPerChip,
    hbmBytesPerDevice: facts.hbmBytesPerChip / facts.devicesPerChip,
    rayPodType: `${facts.rayPodTypePrefix}-${String(podTypeNumber)}`,
    gkePodType: `${facts.gkePodTypePrefix}-${String(podTypeNumber)}`,
    rayAcceleratorType: facts.rayAcceleratorType,
  };
}

function hostsText(hosts: number): string {
  return hosts === 1 ? '1 host' : `${String(hosts)} hosts`;
}

function checkMachineType(generation: Generation, machineType: string | undefined): Problem | undefined {
  if (machineType === undefined) return undefined;
  const allowed = machineTypesOf(generation);
  if (allowed.some((known) => known === machineType)) return undefined;
  const reason = KNOWN_BUT_NOT_OFFERED.get(machineType);
  return problem('TPU_MACHINE', ['machineType'], machineType, {
    generation,
    allowed: allowed.join(', '),
    text: reason === undefined ? '' : `; ${machineType} is not offered: ${reason}`,
  });
}

const MARKETING_NAMES: ReadonlyMap<string, Generation> = new Map([
  ['trillium', 'v6e'],
  ['ironwood', 'tpu7x'],
  ['v7x', 'tpu7x'],
  ['tpu-v7x', 'tpu7x'],
  ['tpu7', 'tpu7x'],
  ['v5litepod', 'v5e'],
  ['v5-lite', 'v5e'],
  ['v5lite', 'v5e'],
]);

/** What the user may have meant: a marketing name, a node label, or a pod type such as `v6e-8`. */
function suggestGeneration(text: string): string {
  const lower = text.toLowerCase();
  const exact =
    MARKETING_NAMES.get(lower) ??
    GENERATIONS.find(
      (g) => GENERATION_FACTS[g].acceleratorLabel === lower || `tpu-${g}` === lower || g === lower,
    ) ??
    GENERATIONS.find((g) => lower.startsWith(`${g}-`)) ??
    [...MARKETING_NAMES].find(([name]) => lower.startsWith(`${name}-`))?.[1];
  if (exact === undefined) return 'use the generation only; chips and hosts follow from the topology';
  const topology = podTypeTopologyAdvice(text);
  return topology === undefined
    ? `write ${exact}; chips and hosts follow from the topology`
    : `write ${exact}; as topology, ${topology}`;
}

function topologyRule(generation: Generation): string {
  const facts = GENERATION_FACTS[generation];
  if (facts.dimensions === 2) {
    const topologies = [...new Set(shapesOf(generation).map((shape) => shape.topology))];
    return `${generation} topologies are ${topologies.join(', ')}`;
  }
  const order = generation === 'v4' ? 'in any order' : 'with sides that do not fall';
  return `${generation} topologies are 2x2x1, 2x2x2, 2x2x4, 2x4x4, then AxBxC in multiples of 4 ${order}, up to ${String(facts.maxChipsPerSlice)} chips`;
}
