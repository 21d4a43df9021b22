import type { CapacitySpec } from '../run';
import type { Range } from './planned-project';

/** `2`, or `1–2`. */
export function rangeText({ min, max }: Range): string {
  return min === max ? String(max) : `${String(min)}–${String(max)}`;
}

/** `1 host`, `4 hosts`. */
export function count(amount: number, thing: string): string {
  return `${String(amount)} ${thing}${amount === 1 ? '' : 's'}`;
}

/** `spot`, or `reservation NAME of PROJECT`. */
export function capacityText(capacity: CapacitySpec): string {
  if (capacity.kind !== 'reservation') return capacity.kind;
  return capacity.project === undefined
    ? `reservation ${capacity.name}`
    : `reservation ${capacity.name} of ${capacity.project}`;
}
