import type { Cluster } from './cluster';
import type { KubernetesObject } from './kubernetes-object';
import { titleOf } from './kubernetes-object';
import type { Project } from './project';
import { inParallel, isRefusal } from './stage';

/**
 * Sends every object of a project to the API server as a dry run, which passes schema, admission and the TPU webhook but
 * changes nothing. Gives what was refused or warned of.
 */
export async function admitProject(cluster: Cluster, project: Project): Promise<string[]> {
  const { client } = cluster.controlPlane;
  const problems: string[] = [];
  const namespace: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: project.plan.platform.namespace },
  };
  await client.apply(namespace);
  await inParallel([...project.files.values()].flat(), async (object) => {
    try {
      const { warnings } = await client.apply(object, true);
      problems.push(...warnings.map((warning) => `${titleOf(object)}: the API server warns: ${warning}`));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      problems.push(`${titleOf(object)}: ${error.message}`);
    }
  });
  return problems;
}
