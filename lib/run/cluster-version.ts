import { isGkeVersionAtLeast, parseGkeVersion } from '../kubernetes/gke-version';
import type { Platform } from './platform';

/** True when the cluster's version is older than `minimum`; false for a version that cannot be read, which is a Problem of its own. */
export function isClusterOlder(platform: Platform, minimum: string): boolean {
  const { version } = platform.cluster;
  return parseGkeVersion(version) !== undefined && !isGkeVersionAtLeast(version, minimum);
}
