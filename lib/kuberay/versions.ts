/** KubeRay releases whose RayCluster CRD this project has read (imports/crds), oldest first. */
export const KUBERAY_VERSIONS = ['1.4.0', '1.5.0', '1.6.0', '1.7.0'] as const;

/** A KubeRay release this project knows, without a leading `v`. */
export type KubeRayVersion = (typeof KUBERAY_VERSIONS)[number];

/** The newest of {@link KUBERAY_VERSIONS}; its CRD gives the types. */
export const NEWEST_KUBERAY_VERSION = '1.7.0' satisfies KubeRayVersion;

/**
 * The known release whose fields a release has: itself, or for a patch release (`1.5.2`) its minor (`1.5.0`).
 * Patch releases are taken to add no fields.
 *
 * @param text `1.5.2` or `v1.5.2`
 * @returns undefined if it is no release of a known minor version
 */
export function parseKubeRayVersion(text: string): KubeRayVersion | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(text);
  return KUBERAY_VERSIONS.find((known) => match !== null && known === `${match[1]}.${match[2]}.0`);
}

/** Negative if `a` is older than `b`, 0 if they are the same, positive if it is newer. */
export function compareKubeRayVersions(a: KubeRayVersion, b: KubeRayVersion): number {
  return KUBERAY_VERSIONS.indexOf(a) - KUBERAY_VERSIONS.indexOf(b);
}

/** The known releases from `oldest` on, oldest first. */
export function kubeRayVersionsFrom(oldest: KubeRayVersion): readonly KubeRayVersion[] {
  return KUBERAY_VERSIONS.slice(KUBERAY_VERSIONS.indexOf(oldest));
}
