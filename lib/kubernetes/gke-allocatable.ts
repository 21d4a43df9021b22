const GIB = 2 ** 30;

/** What GKE keeps of a node's memory: the share of each next part, in GiB. The last holds for the rest. */
const MEMORY_SHARES: readonly { readonly upTo: number; readonly share: number }[] = [
  { upTo: 4, share: 0.25 },
  { upTo: 8, share: 0.2 },
  { upTo: 16, share: 0.1 },
  { upTo: 128, share: 0.06 },
  { upTo: Number.POSITIVE_INFINITY, share: 0.02 },
];

/** What GKE keeps of a node's CPUs: the share of each next core. */
const CPU_SHARES: readonly { readonly upTo: number; readonly share: number }[] = [
  { upTo: 1, share: 0.06 },
  { upTo: 2, share: 0.01 },
  { upTo: 4, share: 0.005 },
  { upTo: Number.POSITIVE_INFINITY, share: 0.0025 },
];

/** Kept below the eviction threshold. */
const EVICTION_BYTES = 100 * 2 ** 20;

/**
 * CPUs and bytes of memory that pods can request on a GKE node.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
export function gkeAllocatable(vcpus: number, memoryBytes: number): { cpu: number; memoryBytes: number } {
  const keptMemory = kept(memoryBytes / GIB, MEMORY_SHARES) * GIB + EVICTION_BYTES;
  const cpu = Math.floor((vcpus - kept(vcpus, CPU_SHARES)) * 1000) / 1000;
  return { cpu, memoryBytes: Math.floor(memoryBytes - keptMemory) };
}

function kept(amount: number, shares: readonly { readonly upTo: number; readonly share: number }[]): number {
  let from = 0;
  let total = 0;
  for (const { upTo, share } of shares) {
    if (amount <= from) break;
    total += (Math.min(amount, upTo) - from) * share;
    from = upTo;
  }
  return total;
}
