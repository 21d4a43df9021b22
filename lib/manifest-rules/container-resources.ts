import { parseQuantity, QUANTITY_RULE } from '../kubernetes/quantity';
import type { Problem } from '../problem';
import { asObject, fieldPath, type JsonObject } from './json';
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
    ...sideProblems('resources.requests', requests),
    ...sideProblems('resources.limits', limits),
    ...Object.keys(requests).flatMap((name) => orderProblems(name, requests, limits)),
  ];
});

function sideProblems(path: string, side: JsonObject): Problem[] {
  const missing = REQUIRED.filter((name) => side[name] === undefined).map((name) => ({
    path: fieldPath(path, name),
    value: undefined,
    rule: 'every container states cpu and memory in requests and limits',
    fix: 'add it',
  }));
  const wrong = Object.entries(side).flatMap(([name, value]): Problem[] => {
    const amount = amountOf(value);
    if (amount === undefined)
      return [{ path: fieldPath(path, name), value, rule: QUANTITY_RULE, fix: 'correct it' }];
    const isNothing = amount === 0 && (REQUIRED as readonly string[]).includes(name);
    return isNothing
      ? [
          {
            path: fieldPath(path, name),
            value,
            rule: 'cpu and memory are above zero',
            fix: 'state what the container needs',
          },
        ]
      : [];
  });
  return [...missing, ...wrong];
}

function orderProblems(name: string, requests: JsonObject, limits: JsonObject): Problem[] {
  const request = amountOf(requests[name]);
  const limit = amountOf(limits[name]);
  if (request === undefined || limit === undefined || request <= limit) return [];
  return [
    {
      path: fieldPath('resources.requests', name),
      value: requests[name],
      rule: `a request is at most its limit, here ${String(limits[name])}`,
      fix: 'lower the request or raise the limit',
    },
  ];
}

function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  return typeof value === 'string' ? parseQuantity(value) : undefined;
}
