import { asObject } from './json';
import { CLUSTER_SCOPED_KINDS } from './manifest';
import { forEachManifest } from './rule';

/** Objects of cluster-scoped kinds name no namespace; cdk8s writes its chart's on them, and some tools then fail to find them. */
export const clusterScope = forEachManifest(({ kind, object }) => {
  const value = asObject(object['metadata'])['namespace'];
  if (value === undefined || !CLUSTER_SCOPED_KINDS.has(kind)) return [];
  const rule = `a ${kind} belongs to the whole cluster`;
  return [{ path: 'metadata.namespace', value, rule, fix: 'leave the namespace out' }];
});
