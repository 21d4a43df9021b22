import { claims } from './claims';
import { hostNames } from './host-names';
import { nodePools } from './node-pools';
import type { Check } from './observation';
import { podCounts } from './pod-counts';
import { submitter } from './submitter';
import { warnings } from './warnings';
import { workerEnvironment } from './worker-environment';

/** Every property of a reconciled run. */
export const CHECKS: readonly Check[] = [
  podCounts,
  nodePools,
  claims,
  hostNames,
  workerEnvironment,
  submitter,
  warnings,
];
