import { parseQuantity, QUANTITY_RULE } from '../kubernetes/quantity';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asObject, type JsonObject } from './json';
import { forEachContainer } from './rule';

const REQUIRED = ['cpu', 'memory'] as const;

/**
 * Every container says what it needs and may use: cpu and memory in requests and limits, above zero, requests within limits. The Ray
 * autoscaler and quotas count them, and a default nobody chose would starve a TPU host.
 */
export const containerResources = forEachContainer(({ container }) => {
  const resources = asObject(container['resources']);
  const requests = asObject(resources['requests']);
  const limits = asObject(resources['limits']);
  return [
    ...sideProblems(['resources', 'requests'], requests),
    ...sideProblems(['resources', 'limits'], limits),
    ...Object.keys(requests).flatMap((name) => orderProblems(name, requests, limits)),
  ];
});

function sideProblems(path: Path, side: JsonObject): Problem[] {
  const missing = REQUIRED.filter((name) => side[name] === undefined).map((name) =>
    problem('CONTAINER_RESOURCE_MISSING', [...path, name], undefined),
  );
  const wrong = Object.entries(side).flatMap(([name, value]): Problem[] => {
    const amount = amountOf(value);
    if (amount === undefined)
      return [problem('CONTAINER_QUANTITY', [...path, name], value, { reason: QUANTITY_RULE })];
    const isNothing = amount === 0 && (REQUIRED as readonly string[]).includes(name);
    return isNothing ? [problem('CONTAINER_RESOURCE_ZERO', [...path, name], value)] : [];
  });
  return [...missing, ...wrong];
}

function orderProblems(name: string, requests: JsonObject, limits: JsonObject): Problem[] {
  const request = amountOf(requests[name]);
  const limit = amountOf(limits[name]);
  if (request === undefined || limit === undefined || request <= limit) return [];
  return [
    problem('CONTAINER_REQUEST_ABOVE_LIMIT', ['resources', 'requests', name], requests[name], {
      limit: String(limits[name]),
    }),
  ];
}

function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  return typeof value === 'string' ? parseQuantity(value) : undefined;
}
