import { problem } from '../problems';
import type { Problem } from '../problems';
import type { CapacitySpec, TpuSlice } from '../tpu';
import { PROJECT_ID } from './platform';

const RESERVATION_NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Its nodes come by a ProvisioningRequest, which only a queue such as Kueue's makes. */
const QUEUE_IS_MISSING: Problem = problem('CAPACITY_QUEUED', ['kind'], 'queued');

/** Problems of a capacity; paths are relative to it. */
export function checkCapacity(capacity: CapacitySpec): Problem[] {
  if (capacity.kind === 'queued') return [QUEUE_IS_MISSING];
  if (capacity.kind !== 'reservation') return [];
  return [...checkReservationName(capacity.name), ...checkReservationProject(capacity.project)];
}

function checkReservationProject(project: string | undefined): Problem[] {
  if (project === undefined || PROJECT_ID.test(project)) return [];
  return [problem('RESERVATION_PROJECT', ['project'], project)];
}

function checkReservationName(name: string): Problem[] {
  if (RESERVATION_NAME.test(name)) return [];
  const parts = /^projects\/([^/]+)\/reservations\/([^/]+)$/.exec(name);
  return [
    problem('RESERVATION_NAME', ['name'], name, {
      advice:
        parts === null
          ? 'write the name as `gcloud compute reservations list` shows it'
          : `write name: ${parts[2] ?? ''} and project: ${parts[1] ?? ''}`,
    }),
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
