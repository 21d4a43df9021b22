import { TPU_RESOURCE } from '../kubernetes/well-known';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { asObject } from './json';
import { forEachContainer } from './rule';

/** TPU chips cannot be overcommitted: request and limit are both there, equal, and a whole number. */
export const tpuResources = forEachContainer(({ container }): Problem[] => {
  const resources = asObject(container['resources']);
  const request = asObject(resources['requests'])[TPU_RESOURCE];
  const limit = asObject(resources['limits'])[TPU_RESOURCE];
  if (request === undefined && limit === undefined) return [];
  const path = ['resources', 'requests', TPU_RESOURCE];
  if (String(request) !== String(limit)) {
    return [problem('TPU_REQUEST_LIMIT', path, request, { limit: String(limit) })];
  }
  if (/^[1-9][0-9]*$/.test(String(request))) return [];
  return [problem('TPU_REQUEST', path, request)];
});
