import type { Platform } from '../run';
import { CAPACITY_POOL_FIELDS, capacityFacts } from '../tpu';
import type { CapacitySpec } from '../tpu';
import type { NodePoolPlan } from './infrastructure-plan';

/** How a pool is bought, as the scripts pass it to gcloud and read it back. */
export function describeCapacity(
  capacity: CapacitySpec,
  platform: Platform,
): Pick<NodePoolPlan, 'capacity' | 'capacityFlags' | 'capacityFields'> {
  const facts = capacityFacts(capacity);
  const fields = facts.poolFields(capacity, platform.project);
  return {
    capacity,
    capacityFlags: facts.poolFlags(capacity, platform.project),
    capacityFields: Object.fromEntries(CAPACITY_POOL_FIELDS.map((field) => [field, fields[field] ?? ''])),
  };
}
