import { ApiObject, Chart, Testing, Yaml } from 'cdk8s';
import type { App } from 'cdk8s';
import { TpuRayCluster, TrainerSources } from '../../lib/constructs';
import type { TpuRayClusterProps } from '../../lib/constructs';
import { TrainerSourceFiles } from '../../lib/run';
import { resolveSlice } from '../../lib/tpu';
import type { TpuSlice } from '../../lib/tpu';

/** A chart that is not written to the disk. */
export function newChart(): { app: App; chart: Chart } {
  const app = Testing.app({ outdir: 'unused' });
  return { app, chart: new Chart(app, 'chart', { disableResourceNameHashes: true }) };
}

/** Every object of a chart as plain JSON. */
export function objectsOf(chart: Chart): Record<string, unknown>[] {
  return chart.node
    .findAll()
    .filter((construct) => ApiObject.isApiObject(construct))
    .map((object) => object.toJson() as Record<string, unknown>);
}

/** Every object of a chart as the YAML that is written. */
export function yamlOf(chart: Chart): string {
  return Yaml.stringify(...objectsOf(chart));
}

/** The slice of a generation and topology. */
export function sliceOf(generation: string, topology: string): TpuSlice {
  const slice = resolveSlice({ generation, topology });
  if (!('chips' in slice)) throw new Error(`no slice ${generation} ${topology}`);
  return slice;
}

const RESOURCES = { cpu: '8', cpuLimit: '8', memory: '16Gi', sharedMemory: '8Gi' } as const;

/** What a RayCluster of one v6e 4x4 slice needs at least. */
export const CLUSTER: TpuRayClusterProps = {
  name: 'train',
  namespace: 'training',
  slice: sliceOf('v6e', '4x4'),
  image: 'registry.example/maxtext:1',
  rayVersion: '2.60.0',
  kubeRayVersion: '1.5.0',
  clusterMode: 'standard',
  serviceAccountName: 'trainer',
  headResources: RESOURCES,
  workerResources: RESOURCES,
};

export function newCluster(chart: Chart, change: Partial<TpuRayClusterProps> = {}): TpuRayCluster {
  return new TpuRayCluster(chart, 'cluster', { ...CLUSTER, ...change });
}

/** Sources of a trainer kind: two small files. */
export function newSources(chart: Chart): TrainerSources {
  const sources = new TrainerSourceFiles('maxtext', {
    'tpu_trainers/__init__.py': '',
    'tpu_trainers/maxtext.py': 'print("train")\n',
  });
  return new TrainerSources(chart, 'sources', { namespace: 'training', sources });
}
