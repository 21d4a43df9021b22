import type { CapacitySpec } from '../run';

export { rangeText } from '../training';

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
