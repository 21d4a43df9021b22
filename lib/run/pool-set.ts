import { NODE_LABELS, POOL_SET_KEY } from '../kubernetes/well-known';
import { capacityFacts, shapesWithTopology } from '../tpu';
import type { CapacitySpec, Taint, Toleration, TpuSlice } from '../tpu';
import { digestOf } from './identity';
import type { NetworkFacts } from './network';
import type { Platform } from './platform';

/** Digits of a digest in a pool's name. */
const TAG_DIGITS = 4;

/** What pods must carry to run on certain nodes, and on no others. */
export interface WorkerScheduling {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** The node pools that a run's slices can take: one per slice, all alike. Standard clusters only. */
export interface PoolSet {
  /** Names of the pools without their index, and the value of their label. */
  readonly name: string;
  /** Labels the pools are created with. */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints the pools are created with. */
  readonly taints: readonly Taint[];
}

/** What decides which pools a run takes. */
export interface PoolSetInput {
  readonly name: string;
  readonly slice: TpuSlice;
  readonly capacity: CapacitySpec;
  readonly shareNodePools: boolean;
  readonly network: NetworkFacts;
}

/**
 * The node pools of a run. Runs with the same name of a set share its pools; whatever else tells pools apart (shape,
 * capacity, network cards, a run's own) is part of that name, and so of the label that workers select.
 */
export function poolSetOf(platform: Platform, run: PoolSetInput): PoolSet {
  const { slice, capacity, network } = run;
  const facts = capacityFacts(capacity);
  const identity = facts.poolIdentity(capacity);
  const ambiguous = shapesWithTopology(slice.generation, slice.topology).length > 1;
  const dranet = network.mode === 'dranet';
  const name = [
    `${slice.generation}-${slice.topology}${ambiguous ? `-${String(slice.chipsPerHost)}t` : ''}`,
    facts.poolTag,
    identity.length === 0 ? '' : shortDigest(identity),
    dranet ? 'dra' : '',
    dranet && platform.network.profile === 'auto' ? 'auto' : '',
    run.shareNodePools ? '' : shortDigest(run.name),
  ]
    .filter((part) => part !== '')
    .join('-');
  const keepsOthersOut = facts.keepsOthersOut || !run.shareNodePools;
  return {
    name,
    labels: {
      [POOL_SET_KEY]: name,
      ...(dranet ? { [NODE_LABELS.networkingDraDriver]: 'true' } : {}),
    },
    taints: keepsOthersOut ? [{ key: POOL_SET_KEY, value: name, effect: 'NoSchedule' }] : [],
  };
}

/** Selectors and tolerations of a run's workers, beside those of every TPU pod. */
export function workerSchedulingOf(capacity: CapacitySpec, pools: PoolSet | undefined): WorkerScheduling {
  const { nodeSelector, tolerations } = capacityFacts(capacity);
  // Autopilot makes nodes for pods by labels of its own; a label of ours would be none that it knows.
  if (pools === undefined) return { nodeSelector: nodeSelector.autopilot(capacity), tolerations };
  return {
    nodeSelector: { ...nodeSelector.standard, [POOL_SET_KEY]: pools.name },
    tolerations: [
      ...tolerations,
      ...pools.taints.map(({ key, value, effect }): Toleration => ({
        key,
        operator: 'Equal',
        value,
        effect,
      })),
    ],
  };
}

function shortDigest(value: unknown): string {
  return digestOf(value).slice(0, TAG_DIGITS);
}
