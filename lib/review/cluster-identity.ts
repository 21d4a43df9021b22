import { fieldDifferences } from './field-differences';
import type { FieldDifference } from './field-differences';
import type { PlannedPlatform } from '../plan';

/** What makes a GKE cluster the one it is. */
export interface ClusterIdentity {
  readonly project: string;
  readonly location: string;
  readonly name: string;
  /** A Standard cluster does not become an Autopilot one. */
  readonly mode: 'standard' | 'autopilot';
}

/** The cluster that a platform names. */
export function clusterOf({ project, cluster }: PlannedPlatform): ClusterIdentity {
  return { project, location: cluster.location, name: cluster.name, mode: cluster.mode };
}

/** By what two platforms name different clusters; nothing when it is one and the same. */
export function clusterDifferences(before: PlannedPlatform, after: PlannedPlatform): FieldDifference[] {
  return fieldDifferences(clusterOf(before), clusterOf(after));
}

/** `tpu-ray (standard) in us-east5-b of my-project`. */
export function clusterText({ project, location, name, mode }: ClusterIdentity): string {
  return `${name} (${mode}) in ${location} of ${project}`;
}
