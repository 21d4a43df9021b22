import type { InfrastructureChange } from './infrastructure-change';
import type { ReviewedProject } from './reviewed-project';
import type { RunChange } from './run-change';
import { manifestOf, sideOf, slicesOf } from './run-side';

/** A run whose pods stay in node pools when the change is applied. */
interface Tenant {
  readonly run: string;
  readonly pools: readonly string[];
  /** Slices that stay. */
  readonly slices: number;
}

/**
 * The changes, with the runs that are still on a node pool which nothing needs any more or which has to be made anew:
 * pods that no change reaches stay where they are, and deleting the pool ends them.
 */
export function withTenants(
  changes: readonly InfrastructureChange[],
  runs: readonly RunChange[],
  before: ReviewedProject | undefined,
  after: ReviewedProject,
): InfrastructureChange[] {
  const tenants = runs.flatMap((run) => tenantOf(run, before, after) ?? []);
  return changes.map((change) => {
    const isLost = change.action === 'unneeded' || change.action === 'recreate';
    const found = tenants.filter(({ pools }) => pools.includes(change.name));
    return change.kind === 'node pool' && isLost && found.length > 0
      ? { ...change, why: `${change.why}; ${tenantsText(found)}` }
      : change;
  });
}

function tenantOf(
  { name, presence, pods }: RunChange,
  before: ReviewedProject | undefined,
  after: ReviewedProject,
): Tenant | undefined {
  const was = presence === 'added' ? undefined : sideOf(before, name);
  if (was === undefined || (presence === 'kept' && pods.effect === 'recreated')) return undefined;
  const had = slicesOf(manifestOf(was, 'RayCluster'));
  const has = presence === 'kept' ? slicesOf(manifestOf(sideOf(after, name), 'RayCluster')) : had;
  return { run: name, pools: was.run.nodePools, slices: Math.min(had, has) };
}

function tenantsText(tenants: readonly Tenant[]): string {
  const [first] = tenants;
  // Runs that share pools take turns, and nobody knows which of several pools a slice was given.
  const isSure = tenants.length === 1 && first !== undefined && first.slices >= first.pools.length;
  const names = tenants.map(({ run }) => run).join(', ');
  const until = tenants.length === 1 ? 'its RayCluster is deleted' : 'their RayClusters are deleted';
  return `pods of ${names} ${isSure ? 'still run' : 'may still run'} there until ${until}`;
}
