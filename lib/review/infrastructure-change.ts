import type { NodePoolPlan } from '../infrastructure';
import { fieldDifferences } from './field-differences';
import type { FieldDifference } from './field-differences';
import type { PlannedProject, PlannedSlice } from './planned-project';
import { capacityText } from './words';

/** What has to be done to a node pool or a network. */
export type InfrastructureAction = 'create' | 'delete' | 'delete and create' | 'resize';

/** A node pool or a network that differs. */
export interface InfrastructureChange {
  readonly kind: 'node pool' | 'network';
  readonly name: string;
  readonly action: InfrastructureAction;
  readonly fields: readonly FieldDifference[];
}

/** Chips that are bought in one way, at the most. */
export interface ChipsChange {
  /** Generation and capacity, as in `v6e spot`. */
  readonly what: string;
  readonly before: number;
  readonly after: number;
}

/** Fields of a pool that say nothing of the machines. */
const ONLY_WORDS: ReadonlySet<string> = new Set([
  'runs',
  'slice',
  'allocatable',
  'nodeLabels',
  'networkCards',
]);

/** Fields that GKE changes on a pool that is up. A multi-host TPU pool is whole or empty, so that its size is none. */
const RESIZED: ReadonlySet<string> = new Set(['nodes', 'autoscaling']);

/** Node pools and networks that are to be made, removed or changed. */
export function compareInfrastructure(before: PlannedProject, after: PlannedProject): InfrastructureChange[] {
  const [one, other] = [before.infrastructure, after.infrastructure];
  return [
    ...compareNamed('network', one.networks, other.networks, () => 'delete and create'),
    ...compareNamed('node pool', one.nodePools, other.nodePools, (fields, pool) => {
      const isMultiHost = hostsOf(after, pool) > 1;
      const keys = fields.map(({ path }) => path.split(/[.[]/)[0] ?? '');
      return !isMultiHost && keys.every((key) => RESIZED.has(key)) ? 'resize' : 'delete and create';
    }),
  ];
}

function compareNamed<T extends { readonly name: string }>(
  kind: InfrastructureChange['kind'],
  before: readonly T[],
  after: readonly T[],
  actionOf: (fields: readonly FieldDifference[], after: T) => InfrastructureAction,
): InfrastructureChange[] {
  const [one, other] = [byName(before), byName(after)];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name): InfrastructureChange[] => {
    const [was, is] = [one.get(name), other.get(name)];
    if (is === undefined) return [{ kind, name, action: 'delete', fields: [] }];
    if (was === undefined) return [{ kind, name, action: 'create', fields: [] }];
    const fields = fieldDifferences(was, is).filter(
      ({ path }) => !ONLY_WORDS.has(path.split(/[.[]/)[0] ?? ''),
    );
    return fields.length === 0 ? [] : [{ kind, name, action: actionOf(fields, is), fields }];
  });
}

function byName<T extends { readonly name: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}

/** Chips by generation and capacity on both sides: those of the node pools, or of the runs on Autopilot. */
export function compareChips(before: PlannedProject, after: PlannedProject): ChipsChange[] {
  const [one, other] = [chipsOf(before), chipsOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].map((what) => ({
    what,
    before: one.get(what) ?? 0,
    after: other.get(what) ?? 0,
  }));
}

function chipsOf(plan: PlannedProject): Map<string, number> {
  const chips = new Map<string, number>();
  const add = (what: string, amount: number): void => {
    chips.set(what, (chips.get(what) ?? 0) + amount);
  };
  if (plan.platform.cluster.mode === 'autopilot') {
    for (const { tpu, capacity } of plan.runs) {
      add(`${tpu.generation} ${capacityText(capacity)}`, tpu.chipsPerSlice * tpu.slices.max);
    }
    return chips;
  }
  for (const pool of plan.infrastructure.nodePools) {
    if (pool.role !== 'tpu') continue;
    add(`${generationOf(plan, pool)} ${capacityText(pool.capacity)}`, mostNodes(pool) * pool.allocatable.tpu);
  }
  return chips;
}

function generationOf(plan: PlannedProject, pool: NodePoolPlan): string {
  return sliceOf(plan, pool)?.generation ?? pool.machineType;
}

/** Hosts of the slice that a TPU pool is; 1 for the CPU pool, whose nodes are no slice. */
function hostsOf(plan: PlannedProject, pool: NodePoolPlan): number {
  return pool.role === 'tpu' ? (sliceOf(plan, pool)?.hostsPerSlice ?? 1) : 1;
}

/** The slice of a TPU pool, as the runs that use it have it: all of them have the same. */
function sliceOf(plan: PlannedProject, pool: NodePoolPlan): PlannedSlice | undefined {
  return plan.runs.find(({ name }) => pool.runs.includes(name))?.tpu;
}

function mostNodes({ nodes, autoscaling }: NodePoolPlan): number {
  return autoscaling?.maxNodes ?? nodes;
}
