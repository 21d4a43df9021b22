import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { admitProject } from './admission';
import { objectPath } from './api-paths';
import type { Cluster } from './cluster';
import type { KubernetesObject, RayCluster } from './kubernetes-object';
import { only } from './project';
import type { Project } from './project';
import { isOfRayCluster, untilRunning } from './scenario';
import { ServerSideApplier } from './server-side-applier';
import { offeredShapes, platformOf, shapeCase } from './shapes';
import { Stage, isRefusal } from './stage';
import { synthesizeProject } from './synthesized-project';
import type { Tally } from './tally';

/** Releases whose schema replaces the running one, each with a field that the one before does not know. */
const UPGRADES = [
  { version: '1.6.0', newField: { upgradeStrategy: { type: 'None' } } },
  { version: '1.7.0', newField: { networkPolicy: {} } },
] as const;

/** How often, and how many times, one looks whether the API server has taken the new schema. */
const LOOK_EVERY_MS = 200;
const LOOKS = 300;

/**
 * Replaces the RayCluster schema under a running RayCluster: the object and its pods stay, and everything that was
 * admitted before is admitted still. It must be the last thing that a cluster is used for.
 */
export async function upgradeSchema(
  cluster: Cluster,
  projects: ReadonlyMap<string, Project>,
  tally: Tally,
): Promise<void> {
  const shape = offeredShapes().find(({ generation, hosts }) => generation === 'v5p' && hosts === 2);
  if (shape === undefined) throw new Error('no v5p shape has two hosts');
  const project = synthesizeProject(platformOf('schema-upgrade'), [shapeCase(shape, 1, 'none').run]);
  const [run] = project.plan.runs;
  if (run === undefined) throw new Error('the plan has no run');
  const objects = [...project.files.values()].flat();
  const stage = await Stage.set(cluster, 'schema-upgrade', project.plan, 'baseline');
  try {
    const applier = new ServerSideApplier(cluster.controlPlane.client, objects);
    await applier.apply();
    await untilRunning(cluster, stage.namespace, run, 1 + run.tpu.hostsPerSlice);
    const pods = podsOf(cluster, stage, run.rayCluster);
    for (const { version, newField } of UPGRADES) {
      await replaceSchema(cluster, version, only<RayCluster>(objects, 'RayCluster'), newField);
      const problems = [...(await applier.applyAgain())];
      if (podsOf(cluster, stage, run.rayCluster) !== pods) problems.push('other pods run');
      for (const [name, admitted] of projects) {
        problems.push(...(await admitProject(cluster, admitted)).map((problem) => `${name}: ${problem}`));
      }
      tally.record(`schema of KubeRay ${version}`, problems);
    }
  } finally {
    await stage.clear();
  }
}

function podsOf(cluster: Cluster, { namespace }: Stage, name: string): string {
  const pods = cluster.caches.pods.in(namespace).filter((pod) => isOfRayCluster(pod, name));
  return pods
    .map(({ metadata }) => metadata.uid ?? '')
    .sort()
    .join(' ');
}

async function replaceSchema(
  cluster: Cluster,
  version: string,
  rayCluster: RayCluster,
  newField: object,
): Promise<void> {
  const { client } = cluster.controlPlane;
  const file = join(__dirname, `../../imports/crds/${version}/rayclusters.yaml`);
  const definition = parse(readFileSync(file, 'utf8')) as KubernetesObject & {
    spec: { versions: { name: string }[] };
  };
  const path = objectPath(definition);
  const { metadata } = await client.get<KubernetesObject>(path);
  const versions = definition.spec.versions.filter(({ name }) => name === 'v1');
  await client.send('PUT', path, {
    body: {
      ...definition,
      metadata: { ...definition.metadata, resourceVersion: metadata.resourceVersion },
      spec: { ...definition.spec, versions },
    },
  });
  const newer = { ...rayCluster, spec: { ...rayCluster.spec, ...newField } };
  for (let looks = 1; ; looks++) {
    try {
      await client.apply(newer, true);
      return;
    } catch (error) {
      if (!isRefusal(error) || looks === LOOKS) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
}
