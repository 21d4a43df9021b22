import type { ClusterEvent } from '../kubernetes-object';
import type { Check } from './observation';

/** No Warning event of any object. */
export const warnings: Check = ({ events }) =>
  events
    .filter((event) => event.type === 'Warning' && !isWaitingForVolume(event))
    .map(
      ({ involvedObject, reason, message }) =>
        `Warning of ${involvedObject?.kind ?? ''} ${involvedObject?.name ?? ''}: ${reason ?? ''}: ${message ?? ''}`,
    );

/** A claim that is applied together with its pod is bound a moment later; the pod runs then, as another check shows. */
function isWaitingForVolume({ reason, message }: ClusterEvent): boolean {
  return (
    reason === 'FailedScheduling' && message?.includes('unbound immediate PersistentVolumeClaims') === true
  );
}
