import { pathText } from '../../lib/problems';
import { checkManifests, manifestProblemText } from '../../lib/manifest-rules';
import { kubeRayVersionsFrom } from '../../lib/kuberay/versions';
import { resolvePlatform, TrainingRun } from '../../lib/run';
import { GENERATIONS, shapesOf } from '../../lib/tpu';
import type { Shape } from '../../lib/tpu';
import { rayTrainRefusal } from '../../lib/tpu/ray-support';
import { rayClusterSchemaProblems } from '../support/crd-schema';
import { renderProject } from '../support/render-project';

/** The oldest KubeRay, so that the manifests are checked against every release. */
const KUBERAY = '1.4.0';

const PLATFORM = {
  project: 'my-project',
  region: 'us-east5',
  zone: 'us-east5-b',
  cluster: { name: 'tpu-ray', mode: 'standard', version: '1.36.0-gke.1842000' },
  kubeRayVersion: KUBERAY,
  bucket: { name: 'my-bucket' },
} as const;

const shapes = GENERATIONS.flatMap((generation) => shapesOf(generation));
const runnable = shapes.filter((shape) => rayTrainRefusal(shape, 1) === undefined);

/** A run that fits anywhere: a small model, whole on every device. */
function runOf(shape: Shape, name: string): string {
  const { generation, topology, machineType } = shape;
  const devices = chips(topology) * (generation === 'tpu7x' ? 2 : 1);
  return JSON.stringify({
    name,
    tpu: { generation, topology, machineType },
    image: 'registry/maxtext:1',
    trainer: {
      kind: 'maxtext',
      model: 'qwen3-0.6b',
      steps: 10,
      baseOutputDirectory: '/data/out',
      weightDtype: 'bfloat16',
      mesh: { ici: { data: devices, fsdp: 1 } },
    },
    volumes: [{ kind: 'gcs-fuse', mountPath: '/data' }],
  });
}

function chips(topology: string): number {
  return topology.split('x').reduce((product, side) => product * Number(side), 1);
}

test('there are shapes of every generation, single-host and multi-host', () => {
  for (const generation of GENERATIONS) {
    const hosts = new Set(
      runnable.filter((shape) => shape.generation === generation).map((shape) => shape.hosts > 1),
    );
    expect(hosts).toEqual(new Set([true, false]));
  }
});

test('every shape that Ray Train takes renders manifests that keep every rule and fit every KubeRay release', () => {
  const runs = Object.fromEntries(runnable.map((shape, index) => [`s${index}`, runOf(shape, `s${index}`)]));
  const { problems, objects } = renderProject(JSON.stringify(PLATFORM), runs);
  expect(problems).toEqual([]);
  expect(checkManifests(objects, { kubeRayVersion: KUBERAY }).map(manifestProblemText)).toEqual([]);
  const clusters = objects.filter((object) => object['kind'] === 'RayCluster');
  expect(clusters).toHaveLength(runnable.length);
  for (const version of kubeRayVersionsFrom(KUBERAY)) {
    expect(clusters.flatMap((cluster) => rayClusterSchemaProblems(cluster, version))).toEqual([]);
  }
}, 300_000);

test('every other shape is refused for Ray’s reason', () => {
  const { platform } = resolvePlatform(PLATFORM);
  const others = shapes.filter((shape) => !runnable.includes(shape));
  expect(others.length).toBeGreaterThan(0);
  for (const shape of others) {
    const { generation, topology, machineType } = shape;
    const { run, problems } = TrainingRun.check(platform, {
      name: 'run',
      tpu: { generation, topology, machineType },
      image: 'registry/torchtpu:1',
      trainer: { kind: 'torchtpu-collectives' },
    });
    expect(run).toBeUndefined();
    expect(problems.map(({ path }) => pathText(path))).toContain('tpu.topology');
    expect(problems.map(({ rule }) => rule)).toContain(rayTrainRefusal(shape, 1));
  }
}, 300_000);
