import { NODE_LABELS } from '../kubernetes/well-known';
import type { Problem } from '../problem';
import type { TpuSlice } from '../tpu';
import { PROJECT_ID } from './platform';
import type { CapacitySpec } from './run-spec';

/** What a way of buying nodes means for the pods that run on them. */
export interface CapacityScheduling {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** A toleration as in a pod spec. */
export interface Toleration {
  readonly key: string;
  readonly operator: 'Equal' | 'Exists';
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule';
}

/**
 * Selectors and tolerations of worker pods for a capacity. On Standard a reservation is chosen by the node pool, on
 * Autopilot by the pod.
 */
export function schedulingOf(capacity: CapacitySpec, mode: 'standard' | 'autopilot'): CapacityScheduling {
  switch (capacity.kind) {
    case 'on-demand':
      return { nodeSelector: {}, tolerations: [] };
    case 'spot':
      return {
        nodeSelector: { [NODE_LABELS.spot]: 'true' },
        tolerations: [{ key: NODE_LABELS.spot, operator: 'Equal', value: 'true', effect: 'NoSchedule' }],
      };
    case 'flex-start':
      return { nodeSelector: { [NODE_LABELS.flexStart]: 'true' }, tolerations: [] };
    case 'queued':
      return {
        nodeSelector: {},
        tolerations: [{ key: NODE_LABELS.queued, operator: 'Exists', effect: 'NoSchedule' }],
      };
    case 'reservation':
      if (mode === 'standard') return { nodeSelector: {}, tolerations: [] };
      return {
        nodeSelector: {
          [NODE_LABELS.reservation]: capacity.name,
          [NODE_LABELS.reservationAffinity]: 'specific',
          ...(capacity.project === undefined ? {} : { [NODE_LABELS.reservationProject]: capacity.project }),
        },
        tolerations: [],
      };
  }
}

const RESERVATION_NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Problems of a capacity; paths are relative to it. */
export function checkCapacity(capacity: CapacitySpec): Problem[] {
  if (capacity.kind !== 'reservation') return [];
  return [...checkReservationName(capacity.name), ...checkReservationProject(capacity.project)];
}

function checkReservationProject(project: string | undefined): Problem[] {
  if (project === undefined || PROJECT_ID.test(project)) return [];
  return [
    {
      path: 'project',
      value: project,
      rule: 'a project id has 6 to 30 lower-case letters, digits and dashes and begins with a letter',
      fix: 'write the id of the project that owns the reservation',
    },
  ];
}

function checkReservationName(name: string): Problem[] {
  if (RESERVATION_NAME.test(name)) return [];
  const parts = /^projects\/([^/]+)\/reservations\/([^/]+)$/.exec(name);
  return [
    {
      path: 'name',
      value: name,
      rule: 'a reservation is named without its path: lower-case letters, digits and dashes, at most 63',
      fix:
        parts === null
          ? 'write the name as `gcloud compute reservations list` shows it'
          : `write name: ${parts[2] ?? ''} and project: ${parts[1] ?? ''}`,
    },
  ];
}

/** A remark on a capacity that works only for some projects, or undefined. */
export function capacityWarning(capacity: CapacitySpec, slice: TpuSlice): string | undefined {
  if (
    slice.generation === 'tpu7x' &&
    (capacity.kind === 'spot' || capacity.kind === 'flex-start' || capacity.kind === 'queued')
  ) {
    return `${capacity.kind} nodes of tpu7x are given only to projects on an allow list: ask before you plan on them`;
  }
  return undefined;
}
