import type { TpuRayClusterProps } from '../../lib/constructs';
import { ProblemsError } from '../../lib/run';
import { kubeRayVersionsFrom } from '../../lib/kuberay/versions';
import { rayClusterSchemaProblems } from '../support/crd-schema';
import { CLUSTER, newChart, newCluster, objectsOf, sliceOf, yamlOf } from '../support/constructs';

interface Spec {
  readonly headGroupSpec: { readonly rayStartParams: object; readonly template: { readonly spec: Pod } };
  readonly workerGroupSpecs: readonly [Group];
}

interface Group {
  readonly replicas?: number;
  readonly rayStartParams: object;
  readonly resources?: object;
  readonly template: { readonly spec: Pod };
}

interface Pod {
  readonly restartPolicy?: string;
  readonly automountServiceAccountToken: boolean;
  readonly containers: readonly { readonly name: string; readonly env?: readonly unknown[] }[];
}

function specOf(change: Partial<TpuRayClusterProps> = {}): Spec {
  const { chart } = newChart();
  newCluster(chart, change);
  return objectsOf(chart)[0]?.['spec'] as Spec;
}

const ALL: Required<TpuRayClusterProps> = {
  ...CLUSTER,
  slices: { min: 1, max: 2 },
  imagePullPolicy: 'Always',
  kubeRayVersion: '1.7.0',
  user: { uid: 1000, gid: 100 },
  environment: { STEPS: '100', HF_TOKEN: { secretName: 'hf', key: 'token' } },
  workerEnvironment: { JAX_PLATFORMS: 'tpu,cpu' },
  tpuResourcePerChip: 2,
  headCpus: 0,
  autoscaler: true,
  workerScheduling: {
    nodeSelector: { 'cloud.google.com/gke-spot': 'true' },
    tolerations: [
      { key: 'cloud.google.com/gke-spot', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
    ],
  },
  recreateOnChange: true,
  authTokenSecret: 'ray-token',
};

test.each<[Partial<TpuRayClusterProps>, string]>([
  [{ slices: { min: NaN, max: 2 } }, 'slices.min: NaN: a whole number from 0 to 2147483647'],
  [{ slices: { min: 1.5, max: 2 } }, 'slices.min: 1.5: a whole number from 0 to 2147483647'],
  [{ slices: { min: -1, max: 2 } }, 'slices.min: -1: a whole number from 0 to 2147483647'],
  [{ slices: { min: 0, max: 0 } }, 'slices.max: 0: a whole number from 1 to 2147483647'],
  [{ slices: { min: 2, max: 1 } }, 'slices: {"min":2,"max":1}: min is at most max; swap them'],
  [{ headCpus: NaN }, 'headCpus: NaN: a whole number from 0 to 2147483647'],
  [{ tpuResourcePerChip: 0.5 }, 'tpuResourcePerChip: 0.5: a whole number from 1 to 2147483647'],
  [
    { user: { uid: 0, gid: 0 } },
    'user.gid: 0: a whole number from 1 to 2147483647: the pod is not run as root',
  ],
])('fails for %j', (change, message) => {
  const { chart } = newChart();
  let thrown: unknown;
  try {
    newCluster(chart, change);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ProblemsError);
  expect((thrown as ProblemsError).message).toContain(message);
});

test('with what it needs at least', () => {
  const { chart } = newChart();
  newCluster(chart);
  expect(yamlOf(chart)).toMatchSnapshot();
});

test('with all props', () => {
  const { chart } = newChart();
  newCluster(chart, ALL);
  expect(yamlOf(chart)).toMatchSnapshot();
  expect(rayClusterSchemaProblems(objectsOf(chart)[0], '1.7.0')).toEqual([]);
});

test.each(kubeRayVersionsFrom('1.4.0'))('fits the closed schema of KubeRay %s', (kubeRayVersion) => {
  for (const change of [
    {},
    { slice: sliceOf('tpu7x', '2x2x2'), tpuResourcePerChip: 2, headCpus: 0 },
    { autoscaler: true },
  ]) {
    const { chart } = newChart();
    newCluster(chart, { ...change, kubeRayVersion });
    expect(rayClusterSchemaProblems(objectsOf(chart)[0], kubeRayVersion)).toEqual([]);
  }
});

describe('field report 60: two TPU resources per chip', () => {
  const change = { slice: sliceOf('tpu7x', '2x2x2'), tpuResourcePerChip: 2 };

  test('are the group’s resources from KubeRay 1.5 on', () => {
    const [group] = specOf({ ...change, kubeRayVersion: '1.5.0' }).workerGroupSpecs;
    expect(group.resources).toEqual({ TPU: '8' });
    expect(group.rayStartParams).toEqual({});
  });

  test('are a start parameter, quoted for the shell, before', () => {
    const [group] = specOf({ ...change, kubeRayVersion: '1.4.0' }).workerGroupSpecs;
    expect(group).not.toHaveProperty('resources');
    expect(group.rayStartParams).toEqual({ resources: String.raw`"{\"TPU\":8}"` });
  });

  test('field report 19: are told to head and workers', () => {
    const { headGroupSpec, workerGroupSpecs } = specOf(change);
    for (const { spec } of [headGroupSpec.template, workerGroupSpecs[0].template]) {
      expect(spec.containers[0]?.env).toContainEqual({ name: 'RAY_TPU_RESOURCE_PER_CHIP', value: '2' });
    }
    expect(specOf().headGroupSpec.template.spec.containers[0]).not.toHaveProperty('env');
  });
});

test('the autoscaler owns the number of slices and replaces pods itself', () => {
  const { headGroupSpec, workerGroupSpecs } = specOf({ autoscaler: true, slices: { min: 1, max: 3 } });
  expect(workerGroupSpecs[0]).toMatchObject({ minReplicas: 1, maxReplicas: 3 });
  expect(workerGroupSpecs[0]).not.toHaveProperty('replicas');
  expect(headGroupSpec.template.spec).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: true,
  });
  expect(workerGroupSpecs[0].template.spec).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
  });
});

test('field report 21: slices are replicas of one group, hosts are numOfHosts', () => {
  expect(specOf({ slices: { min: 2, max: 2 } }).workerGroupSpecs).toMatchObject([
    { replicas: 2, minReplicas: 2, maxReplicas: 2, numOfHosts: 4 },
  ]);
});

test('field report 80: start parameters that are empty are written', () => {
  expect(specOf().headGroupSpec.rayStartParams).toEqual({});
});

test('field report 54: a container added before anything else stays behind the Ray container', () => {
  const { chart } = newChart();
  newCluster(chart).head.addSidecar({ name: 'sidecar', image: 'sidecar:1' });
  const { headGroupSpec } = objectsOf(chart)[0]?.['spec'] as Spec;
  expect(headGroupSpec.template.spec.containers.map(({ name }) => name)).toEqual(['ray-head', 'sidecar']);
});

test('what is added later reaches the manifest', () => {
  const { chart } = newChart();
  const cluster = newCluster(chart);
  cluster.workers.addEnvironment('LATE', 'yes');
  cluster.addWorkerStartParam('metrics-export-port', '8082');
  expect(objectsOf(chart)[0]).toMatchObject({
    spec: { workerGroupSpecs: [{ rayStartParams: { 'metrics-export-port': '8082' } }] },
  });
  expect(yamlOf(chart)).toContain('name: LATE');
});

describe('a pod', () => {
  const { workers } = newCluster(newChart().chart);

  test('fails for a variable set twice', () => {
    workers.addEnvironment('A', '1');
    expect(() => {
      workers.addEnvironment('A', '2');
    }).toThrow("environment variable 'A' is set already on ray-worker: set it once");
  });

  test('fails for a volume of a name that exists', () => {
    expect(() => {
      workers.addVolume({ name: 'dshm', emptyDir: {} });
    }).toThrow("volume 'dshm' exists already on ray-worker: choose another name");
  });

  test('fails for a path that is mounted', () => {
    expect(() => {
      workers.addVolume({ name: 'other', emptyDir: {} }, { mountPath: '/dev/shm' });
    }).toThrow("path '/dev/shm' is mounted already on ray-worker: mount 'other' elsewhere");
  });

  test.each(['app.kubernetes.io/name', 'ray.io/group'])('fails for the label %s', (label) => {
    expect(() => {
      workers.addLabel(label, 'x');
    }).toThrow(`label '${label}' belongs to KubeRay and the TPU webhook: use another key`);
  });
});
