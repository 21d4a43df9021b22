import { problem } from '../problems';
import { asObject } from './json';
import { CLUSTER_SCOPED_KINDS } from './manifest';
import { forEachManifest } from './rule';

/** Objects of cluster-scoped kinds name no namespace; cdk8s writes its chart's on them, and some tools then fail to find them. */
export const clusterScope = forEachManifest(({ kind, object }) => {
  const value = asObject(object['metadata'])['namespace'];
  if (value === undefined || !CLUSTER_SCOPED_KINDS.has(kind)) return [];
  return [problem('CLUSTER_SCOPED_NAMESPACE', ['metadata', 'namespace'], value, { kind })];
});
