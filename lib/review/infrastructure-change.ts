import type { NodePoolPlan } from '../infrastructure';
import { clusterDifferences, clusterOf, clusterText } from './cluster-identity';
import { fieldDifferences } from './field-differences';
import type { FieldDifference } from './field-differences';
import { effectOf } from './infrastructure-effect';
import type { InfrastructureEffect } from './infrastructure-effect';
import type { PlannedProject } from '../plan';
import { sliceOf } from './pool-slice';
import { resourcesOf } from './planned-resources';
import type { PlannedResource, ResourceKind } from './planned-resources';
import { capacityText } from './words';

/** A resource of Google Cloud, or one that the cluster must hold, that differs. */
export interface InfrastructureChange extends InfrastructureEffect {
  readonly kind: ResourceKind | 'project';
  readonly name: string;
  readonly fields: readonly FieldDifference[];
}

/** Chips that are bought in one way, at the most. */
export interface ChipsChange {
  /** Generation and capacity, as in `v6e spot`. */
  readonly what: string;
  readonly before: number;
  readonly after: number;
}

/** Everything that is to be made, that nothing needs any more, or that differs. Without a plan before, all is new. */
export function compareInfrastructure(
  before: PlannedProject | undefined,
  after: PlannedProject,
): InfrastructureChange[] {
  const left = before === undefined ? [] : leftBehind(before, after);
  const isComparable = ({ within }: PlannedResource): boolean =>
    within === 'world' || !left.some(({ kind }) => kind === within || kind === 'project');
  const one = byIdentity(before === undefined ? [] : resourcesOf(before.infrastructure).filter(isComparable));
  const other = byIdentity(resourcesOf(after.infrastructure));
  const changes = [...new Set([...one.keys(), ...other.keys()])].flatMap((key) =>
    compareResource(one.get(key), other.get(key), after),
  );
  return [...left, ...changes];
}

/** The cluster, and the project, that the plan names no more. Whatever lies in them stays with them, row by row. */
function leftBehind(before: PlannedProject, after: PlannedProject): InfrastructureChange[] {
  const fields = clusterDifferences(before.platform, after.platform);
  if (fields.length === 0) return [];
  const [was, is] = [clusterOf(before.platform), clusterOf(after.platform)];
  const runs = before.runs.map(({ name }) => name).join(', ');
  const holds = runs === '' ? 'with all that is in it' : `with all that is in it, so with ${runs}`;
  const isNamesake = was.project === is.project && was.name === is.name;
  const cluster: InfrastructureChange = {
    kind: 'cluster',
    name: clusterText(was),
    action: 'abandoned',
    why: `the runs go to ${clusterText(is)}; this one stays and costs, ${holds}, until someone deletes it${
      isNamesake ? '; up.sh makes no second cluster of its name: delete it first, or give another name' : ''
    }`,
    fields,
  };
  if (was.project === is.project) return [cluster];
  const project: InfrastructureChange = {
    kind: 'project',
    name: was.project,
    action: 'abandoned',
    why: 'its networks, roles, images and all else that the plan named there stay until someone deletes them',
    fields: [],
  };
  return [project, cluster];
}

function byIdentity(resources: readonly PlannedResource[]): Map<string, PlannedResource> {
  return new Map(resources.map((resource) => [`${resource.kind} ${resource.name}`, resource]));
}

function compareResource(
  was: PlannedResource | undefined,
  is: PlannedResource | undefined,
  plan: PlannedProject,
): InfrastructureChange[] {
  const { kind, name } = is ?? was ?? {};
  const fields = was === undefined || is === undefined ? [] : fieldDifferences(was.fields, is.fields);
  if (kind === undefined || name === undefined) return [];
  if (was !== undefined && is !== undefined && fields.length === 0) return [];
  return [{ kind, name, ...effectOf(was, is, fields, plan), fields }];
}

/** Chips by generation and capacity on both sides: those of the node pools, or of the runs on Autopilot. */
export function compareChips(before: PlannedProject | undefined, after: PlannedProject): ChipsChange[] {
  const one = before === undefined ? new Map<string, number>() : chipsOf(before);
  const other = chipsOf(after);
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
    const generation = sliceOf(plan, pool.name)?.generation ?? pool.machineType;
    add(`${generation} ${capacityText(pool.capacity)}`, mostNodes(pool) * pool.allocatable.tpu);
  }
  return chips;
}

function mostNodes({ nodes, autoscaling }: NodePoolPlan): number {
  return autoscaling?.maxNodes ?? nodes;
}
