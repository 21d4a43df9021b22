import { collectionPath } from './api-paths';
import type { Cluster } from './cluster';
import type { Job, KubernetesObject } from './kubernetes-object';
import { isRefusal } from './stage';

/** Namespace that enforces the strictest level; nothing is ever made in it. */
const NAMESPACE = 'pod-security-restricted';

/**
 * Whether the strictest Pod Security level admits the submitter's pod, which needs no right that it would refuse. Gives
 * what it objects to.
 */
export async function submitterIsRestricted(cluster: Cluster, job: Job): Promise<string[]> {
  const { client } = cluster.controlPlane;
  const namespace: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  };
  await client.apply(namespace);
  const { serviceAccountName: _account, ...spec } = job.spec.template.spec;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: 'submitter-',
      namespace: NAMESPACE,
      labels: job.spec.template.metadata?.labels,
    },
    // The account is another matter: here only the default one exists, and nothing waits for its token.
    spec: { ...spec, automountServiceAccountToken: false },
  };
  try {
    await client.send('POST', `${collectionPath('v1 Pod', NAMESPACE)}?dryRun=All&fieldValidation=Strict`, {
      body: pod,
    });
    return [];
  } catch (error) {
    if (isRefusal(error)) return [`Pod Security: ${error.message}`];
    throw error;
  }
}
