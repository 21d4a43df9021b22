import { TPU_RESOURCE } from '../kubernetes/well-known';
import type { Problem } from '../problem';
import { asObject, fieldPath } from './json';
import { forEachContainer } from './rule';

/** TPU chips cannot be overcommitted: request and limit are both there, equal, and a whole number. */
export const tpuResources = forEachContainer(({ container }): Problem[] => {
  const resources = asObject(container['resources']);
  const request = asObject(resources['requests'])[TPU_RESOURCE];
  const limit = asObject(resources['limits'])[TPU_RESOURCE];
  if (request === undefined && limit === undefined) return [];
  const path = fieldPath('resources.requests', TPU_RESOURCE);
  if (String(request) !== String(limit)) {
    const rule = `TPU requests equal TPU limits, here ${String(limit)}`;
    return [{ path, value: request, rule, fix: 'give both the chips of the host' }];
  }
  if (/^[1-9][0-9]*$/.test(String(request))) return [];
  return [
    {
      path,
      value: request,
      rule: 'TPU chips are a whole number above zero',
      fix: 'give the chips of the host',
    },
  ];
});
