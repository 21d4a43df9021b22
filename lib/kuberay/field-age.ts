import type { KubeRayVersion } from './versions';

/** Which KubeRay releases have a field of the RayCluster CRD. */
export interface FieldAge {
  /** The first release that has it. */
  readonly since: KubeRayVersion;
  /** The first release that no longer has it. Unset: the newest known release has it. */
  readonly removed?: KubeRayVersion;
}
