import type { KubeRayVersion } from '../kuberay/versions';
import { nestProblems, type Problem } from '../problems';
import type { ContainerView, Manifest, ManifestProblem, PodView } from './manifest';

/** An object that is not rendered here but exists in the cluster. */
export interface ExternalObject {
  readonly kind: string;
  readonly name: string;
  /**
   * Unset for cluster-scoped kinds.
   *
   * @default - any namespace
   */
  readonly namespace?: string;
}

/** What the rules must know beside the objects. */
export interface ManifestRuleOptions {
  /** The KubeRay release in the cluster: newer fields are refused, as it would drop them in silence. */
  readonly kubeRayVersion: KubeRayVersion;
  /**
   * Objects that references may name though they are not rendered here.
   *
   * @default - none
   */
  readonly external?: readonly ExternalObject[];
  /**
   * Containers may ask for `privileged`.
   *
   * @default false
   */
  readonly allowPrivileged?: boolean;
  /**
   * Environment variables whose values look like credentials and are none.
   *
   * @default - none
   */
  readonly notSecret?: readonly string[];
}

/** Looks at all rendered objects. Pure: same objects, same Problems. */
export type ManifestRule = (
  manifests: readonly Manifest[],
  options: ManifestRuleOptions,
) => ManifestProblem[];

/** A rule that looks at one object at a time; paths begin in the object. */
export function forEachManifest(
  check: (manifest: Manifest, options: ManifestRuleOptions) => Problem[],
): ManifestRule {
  return (manifests, options) =>
    manifests.flatMap((manifest) =>
      check(manifest, options).map((problem) => ({ object: manifest.id, ...problem })),
    );
}

/** A rule that looks at one pod at a time; paths begin in its template (`metadata`, `spec`). */
export function forEachPod(check: (pod: PodView, options: ManifestRuleOptions) => Problem[]): ManifestRule {
  return forEachManifest((manifest, options) =>
    manifest.pods.flatMap((pod) => nestProblems(pod.path, check(pod, options))),
  );
}

/** A rule that looks at one container at a time; paths begin in the container. */
export function forEachContainer(
  check: (container: ContainerView, pod: PodView, options: ManifestRuleOptions) => Problem[],
): ManifestRule {
  return forEachPod((pod, options) =>
    pod.containers.flatMap((container) => nestProblems(container.path, check(container, pod, options))),
  );
}
