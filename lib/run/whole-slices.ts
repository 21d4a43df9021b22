import { compareKubeRayVersions } from '../kuberay/versions';
import type { Platform } from './platform';

/** The first KubeRay that numbers the hosts of a slice itself; with its feature gate RayMultiHostIndexing the one before does too. */
const WHOLE_SLICES_SINCE = '1.6.0';
const GATE_SINCE = '1.5.0';

/** Whether the operator may have the feature gate RayMultiHostIndexing: before it there was none, after it it is on. */
export function hasIndexingGate(version: Platform['kubeRayVersion']): boolean {
  return compareKubeRayVersions(version, GATE_SINCE) >= 0;
}

/**
 * What becomes of several slices with an operator that does not handle them whole, or undefined.
 *
 * @param mostSlices slices of the run at its largest
 * @param repairs whether the submitter may heal them
 * @see docs/multislice.md, which has what was seen with each version
 */
export function wholeSlicesWarning(
  { kubeRayVersion, multiHostIndexing }: Platform,
  mostSlices: number,
  repairs: boolean,
): string | undefined {
  if (mostSlices < 2 || multiHostIndexing || repairs) return undefined;
  if (compareKubeRayVersions(kubeRayVersion, WHOLE_SLICES_SINCE) >= 0) return undefined;
  return `KubeRay ${kubeRayVersion} does not number the hosts of a slice: after the loss of another slice than the last, new pods stay Pending, and scaling in leaves hosts of several slices. Set submitter.repairSlices: true, or delete all worker pods of the run when it happens. If the operator is newer, raise kubeRayVersion; if it runs with the feature gate RayMultiHostIndexing, set multiHostIndexing: true`;
}
