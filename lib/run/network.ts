import { problem } from '../problems';
import type { Problem } from '../problems';
import { MACHINE_FACTS } from '../tpu';
import type { TpuSlice } from '../tpu';
import { isClusterOlder } from './cluster-version';
import type { Platform } from './platform';
import type { NetworkSpec } from './run-spec';

/** How slices of a run reach each other. */
export type NetworkFacts =
  | { readonly mode: 'none' }
  | {
      readonly mode: 'dranet' | 'host-network' | 'pod-network';
      /** Why this mode, for the summary. */
      readonly reason: string;
      /** Network cards each worker claims; 0 unless the mode is dranet. */
      readonly networkCards: number;
      /** Flags of LIBTPU_INIT_ARGS. */
      readonly libtpuInitArgs: readonly string[];
    };

/**
 * First GKE version with managed DRANET, by mode.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/allocate-network-resources-dra
 */
const DRANET_GKE_VERSIONS = { standard: '1.34.1-gke.1829001', autopilot: '1.35.2-gke.1842000' } as const;

/**
 * First GKE version that runs Multislice, by mode.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice
 */
const MULTISLICE_GKE_VERSIONS = { standard: '1.27.4-gke.900', autopilot: '1.29.2-gke.1521000' } as const;

/** Flags of libtpu that this project sets by network mode. */
const INTERFACE_FLAG = '--megascale_grpc_interface_prefixes';

/** Problems of a run's network; paths are relative to the run. */
export function checkNetwork(
  spec: NetworkSpec | undefined,
  slice: TpuSlice,
  slices: number,
  platform: Platform,
): Problem[] {
  if (slices === 1) {
    return spec === undefined ? [] : [problem('NETWORK_SINGLE_SLICE', ['network'], spec.mode)];
  }
  const problems: Problem[] = [];
  const mode = platform.cluster.mode;
  if (slice.hosts === 1) {
    problems.push(
      problem('MULTISLICE_SINGLE_HOST', ['tpu', 'slices'], slices, {
        generation: slice.generation,
        topology: slice.topology,
      }),
    );
  }
  if (isClusterOlder(platform, MULTISLICE_GKE_VERSIONS[mode])) {
    problems.push(
      problem('MULTISLICE_GKE_VERSION', ['platform', 'cluster', 'version'], platform.cluster.version, {
        multisliceGkeVersions: MULTISLICE_GKE_VERSIONS[mode],
        mode,
      }),
    );
  }
  if (spec?.mode === 'dranet') {
    const reason = dranetRefusal(slice, platform);
    if (reason !== undefined) {
      problems.push(
        problem('NETWORK_DRANET', ['network', 'mode'], 'dranet', {
          reason,
          advice:
            mode === 'standard'
              ? 'use host-network'
              : 'use pod-network, or a Standard cluster with host-network',
        }),
      );
    }
  }
  if (spec?.mode === 'host-network' && mode === 'autopilot') {
    problems.push(problem('NETWORK_AUTOPILOT', ['network', 'mode'], 'host-network'));
  }
  if (spec?.mode === 'host-network' && platform.ownNamespace) {
    problems.push(
      problem('NETWORK_POD_SECURITY', ['network', 'mode'], 'host-network', { namespace: platform.namespace }),
    );
  }
  for (const [index, flag] of (spec?.libtpuInitArgs ?? []).entries()) {
    const path = ['network', 'libtpuInitArgs', index];
    if (!/^--[a-z0-9_]+(=\S+)?$/.test(flag)) {
      problems.push(problem('LIBTPU_FLAG', path, flag));
    } else if (flag.startsWith(`${INTERFACE_FLAG}=`)) {
      problems.push(problem('LIBTPU_FLAG_OWNED', path, flag));
    }
  }
  return problems;
}

/** The network of a run without Problems. */
export function resolveNetwork(
  spec: NetworkSpec | undefined,
  slice: TpuSlice,
  slices: number,
  platform: Platform,
): NetworkFacts {
  if (slices === 1) return { mode: 'none' };
  const refusal = dranetRefusal(slice, platform);
  const fallback =
    platform.cluster.mode === 'standard' && !platform.ownNamespace ? 'host-network' : 'pod-network';
  const mode = spec?.mode ?? (refusal === undefined ? 'dranet' : fallback);
  const networkCards = mode === 'dranet' ? (MACHINE_FACTS[slice.machineType].networkCards ?? 0) : 0;
  const reason =
    spec === undefined
      ? refusal === undefined
        ? 'the default where machine type and cluster version allow it'
        : `dranet is not to be had: ${refusal}`
      : 'chosen in the run file';
  return {
    mode,
    reason,
    networkCards,
    libtpuInitArgs: [...interfaceFlags(mode, networkCards), ...(spec?.libtpuInitArgs ?? [])],
  };
}

/** A remark on a network that works but is slow, or undefined. */
export function networkWarning(network: NetworkFacts): string | undefined {
  if (network.mode !== 'pod-network') return undefined;
  return `slices talk over the pod network (${network.reason}): it works, only several times slower than with dranet or host-network`;
}

/** Claimed cards appear as eth1, eth2 …; without a claim those interfaces do not exist in the pod. */
function interfaceFlags(mode: string, networkCards: number): string[] {
  if (mode !== 'dranet') return [];
  const claimed = Array.from({ length: networkCards }, (_, index) => `eth${String(index + 1)}`);
  return [`${INTERFACE_FLAG}=${[...claimed, 'lo'].join(',')}`];
}

function dranetRefusal(slice: TpuSlice, platform: Platform): string | undefined {
  const machine = MACHINE_FACTS[slice.machineType];
  if (!machine.dranet || machine.networkCards === undefined) {
    return `managed DRANET does not list the machine type ${slice.machineType}`;
  }
  const minimum = DRANET_GKE_VERSIONS[platform.cluster.mode];
  if (isClusterOlder(platform, minimum)) {
    return `managed DRANET needs GKE ${minimum} on ${platform.cluster.mode}, the cluster has ${platform.cluster.version}`;
  }
  return undefined;
}
