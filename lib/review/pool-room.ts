import type { ReviewedProject } from './reviewed-project';
import { at, list } from './reviewed-project';
import type { RunChange } from './run-change';
import { manifestOf, namespaceOf, sideOf, slicesOf } from './run-side';
import type { Side } from './run-side';
import { count } from './words';

/** Slices that a RayCluster takes of node pools, each of which is one slice. */
interface Claim {
  readonly run: string;
  readonly namespace: string;
  readonly pools: readonly string[];
  readonly slices: number;
  /** True when the run deletes its RayCluster at its end, and so gives them back by itself. */
  readonly isReturned: boolean;
  /** True when the run is gone from the files, so that pruning gives them back. */
  readonly isPruned: boolean;
}

/** New slices that a run asks for. */
interface Request extends Claim {
  /** Slices without which the run does not start. */
  readonly least: number;
}

/**
 * The changes, with what their new pods wait for. Runs of one shape share node pools, and a RayCluster keeps its slices
 * until it is deleted, whether or not its run has ended. Those that are up come first, then the new ones in the order
 * in which `kubectl apply` takes their files.
 */
export function withWaits(
  changes: readonly RunChange[],
  before: ReviewedProject | undefined,
  after: ReviewedProject,
): RunChange[] {
  const ahead = changes.flatMap((change) => standingClaim(change, before, after) ?? []);
  const settled = new Map<RunChange, RunChange>();
  const inOrder = [...after.plan.runs].sort((one, other) => (one.manifest < other.manifest ? -1 : 1));
  for (const { name } of inOrder) {
    const change = changes.find((each) => each.name === name && each.presence !== 'removed');
    const request = change === undefined ? undefined : requestOf(change, before, after);
    // Without node pools, as on Autopilot, nodes come with the pods.
    if (change === undefined || request === undefined || request.pools.length === 0) continue;
    const { room, holders } = roomFor(request, ahead);
    const free = Math.max(0, room - slicesIn(holders));
    const kept = holders.filter(({ isReturned }) => !isReturned);
    const isForever = request.least > room - slicesIn(kept);
    if (!isForever)
      ahead.push({ ...request, slices: Math.max(request.least, Math.min(request.slices, free)) });
    if (request.least <= free) continue;
    const wait = waitText(request, room, free, isForever ? kept : holders);
    settled.set(change, { ...change, pods: waiting(change.pods, isForever, wait) });
  }
  return changes.map((change) => settled.get(change) ?? change);
}

/** What a RayCluster that is up goes on to hold: pods that are not made anew stay in the node pools where they are. */
function standingClaim(
  change: RunChange,
  before: ReviewedProject | undefined,
  after: ReviewedProject,
): Claim | undefined {
  const was = change.presence === 'added' ? undefined : sideOf(before, change.name);
  if (was === undefined) return undefined;
  const is = change.presence === 'kept' ? sideOf(after, change.name) : undefined;
  if (is === undefined) return { ...claimOf(was), isPruned: true };
  return change.pods.effect === 'recreated'
    ? claimOf(is)
    : { ...claimOf(was), slices: Math.min(claimOf(was).slices, claimOf(is).slices) };
}

function requestOf(
  change: RunChange,
  before: ReviewedProject | undefined,
  after: ReviewedProject,
): Request | undefined {
  const is = sideOf(after, change.name);
  if (is === undefined || change.pods.effect !== 'added') return undefined;
  const claim = claimOf(is);
  const was = change.presence === 'kept' ? sideOf(before, change.name) : undefined;
  const has = was === undefined ? 0 : claimOf(was).slices;
  return { ...claim, slices: claim.slices - has, least: Math.max(0, is.run.tpu.slices.min - has) };
}

function claimOf(side: Side): Claim {
  return {
    run: side.run.name,
    namespace: namespaceOf(side),
    pools: side.run.nodePools,
    slices: slicesOf(manifestOf(side, 'RayCluster')),
    isReturned: deletesItsCluster(side),
    isPruned: false,
  };
}

/** Whether the submitter deletes the RayCluster when the run is over. */
function deletesItsCluster(side: Side): boolean {
  const containers = list(at(manifestOf(side, 'Job')?.spec, 'template', 'spec', 'containers'));
  return containers.some((container) => {
    const words = list(at(container, 'args'));
    return words[words.indexOf('--on-finish') + 1] === 'delete-cluster';
  });
}

/** Node pools that a request can come to, in slices, and who holds them: all that share one with it, or with each other. */
function roomFor(request: Request, ahead: readonly Claim[]): { room: number; holders: Claim[] } {
  const pools = new Set(request.pools);
  const holders = new Set<Claim>();
  let isGrowing = true;
  while (isGrowing) {
    const found = ahead.filter((claim) => !holders.has(claim) && claim.pools.some((pool) => pools.has(pool)));
    for (const claim of found) {
      holders.add(claim);
      for (const pool of claim.pools) pools.add(pool);
    }
    isGrowing = found.length > 0;
  }
  return { room: pools.size, holders: [...holders] };
}

function slicesIn(claims: readonly Claim[]): number {
  return claims.reduce((sum, { slices }) => sum + slices, 0);
}

function waiting(pods: RunChange['pods'], isForever: boolean, wait: string): RunChange['pods'] {
  return isForever ? { ...pods, effect: 'pending', why: wait } : { ...pods, why: `${pods.why}; ${wait}` };
}

function waitText(request: Request, room: number, free: number, claims: readonly Claim[]): string {
  // A run that grows does not wait for what it has itself.
  const isOwn = ({ run, namespace }: Claim): boolean =>
    run === request.run && namespace === request.namespace;
  const holders = claims.filter((claim) => claim.slices > 0 && !isOwn(claim));
  const left =
    free === 0
      ? 'none is free'
      : `${String(free)} of the ${String(request.least)} that it needs ${free === 1 ? 'is' : 'are'} free`;
  return `its node pools take ${count(room, 'slice')}, and ${left}: it waits until ${endText(request, holders)}`;
}

/** What has to happen to those who hold the node pools. */
function endText(request: Request, holders: readonly Claim[]): string {
  const names = holders.map(({ run, namespace }) =>
    namespace === request.namespace ? run : `${namespace}/${run}`,
  );
  const [name = ''] = names;
  if (holders.some(({ isReturned }) => isReturned)) {
    return names.length === 1
      ? `${name} ends, which deletes its RayCluster`
      : `enough of these have ended or are deleted: ${names.join(', ')}`;
  }
  const means = holders.every(({ isPruned }) => isPruned) ? 'pruning or kubectl delete' : 'kubectl delete';
  return names.length === 1
    ? `${name}'s RayCluster is deleted, which only ${means} does`
    : `enough of these RayClusters are deleted, which only ${means} does: ${names.join(', ')}`;
}
