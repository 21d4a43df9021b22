import type { Check } from './observation';

/** No Warning event of any object. */
export const warnings: Check = ({ events }) =>
  events
    .filter(({ type }) => type === 'Warning')
    .map(
      ({ involvedObject, reason, message }) =>
        `Warning of ${involvedObject?.kind ?? ''} ${involvedObject?.name ?? ''}: ${reason ?? ''}: ${message ?? ''}`,
    );
