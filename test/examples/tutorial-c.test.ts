import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesize } from '../../lib/project/synthesize';
import type { Correction } from './corrections';
import { uncorrected } from './corrections';
import { rayClusterFields } from './field-paths';
import type { TutorialCGeneration } from './tutorial-c';
import { TUTORIAL_C_OPTIONS, tutorialCRayCluster } from './tutorial-c';

const ROOT = join(__dirname, '..', '..');
const IMAGE = 'us-central1-docker.pkg.dev/my-project/tpu-ray/torchtpu:0.2.0';
const POD = '^(head|workers)';
const HEAD = '^head\\.spec\\.containers\\[ray-head\\]';

/** What ours has beyond the tutorial's, on both generations. */
const COMMON: Correction[] = [
  { id: 'M1', path: /^metadata\.name$/, theirs: 'ray-torchtpu-cluster', ours: 'gemma4' },
  { id: 'M2', path: /^metadata\.namespace$/, ours: 'default' },
  { id: 'M2', path: /^metadata\.labels\[app\.kubernetes\.io\/instance\]$/, ours: 'gemma4' },
  { id: 'M2', path: /^metadata\.labels\[app\.kubernetes\.io\/managed-by\]$/, ours: 'cdk8s-tpu-ray' },
  { id: 'M3', path: /^spec\.rayVersion$/, ours: '2.60.0' },
  { id: 'M4', path: /^workers\.(min|max)Replicas$/, ours: 1 },
  { id: 'M5', path: new RegExp(`${POD}\\.metadata\\.annotations\\[.*/safe-to-evict\\]$`), ours: 'false' },
  {
    id: 'M6',
    path: new RegExp(`${POD}\\.metadata\\.labels\\[app\\.kubernetes\\.io/name\\]$`),
    ours: 'kuberay',
  },
  {
    id: 'M7',
    path: new RegExp(`${POD}\\.metadata\\.labels\\[sidecar\\.istio\\.io/inject\\]$`),
    ours: 'false',
  },
  { id: 'M8', path: new RegExp(`${POD}\\.spec\\.automountServiceAccountToken$`), ours: false },
  { id: 'M10', path: /\.securityContext\.allowPrivilegeEscalation$/, ours: false },
  { id: 'M10', path: /\.securityContext\.capabilities\.drop\[0\]$/, ours: 'ALL' },
  { id: 'M13', path: /^workers\.spec\.tolerations\[google\.com\/tpu\]\.key$/, ours: 'google.com/tpu' },
  { id: 'M13', path: /^workers\.spec\.tolerations\[google\.com\/tpu\]\.operator$/, ours: 'Exists' },
  { id: 'M13', path: /^workers\.spec\.tolerations\[google\.com\/tpu\]\.effect$/, ours: 'NoSchedule' },
  { id: 'M14', path: new RegExp(`${HEAD}\\.ports\\[[-\\w]+\\]\\.protocol$`), ours: 'TCP' },
  { id: 'A2', path: /\.nodeSelector\[iam\.gke\.io\/gke-metadata-server-enabled\]$/, ours: 'true' },
  { id: 'C1', path: new RegExp(`${HEAD}\\.ports\\[gcs\\]\\.name$`), theirs: 'gcs' },
  { id: 'C1', path: new RegExp(`${HEAD}\\.ports\\[gcs\\]\\.containerPort$`), theirs: 6379 },
  { id: 'C1', path: new RegExp(`${HEAD}\\.ports\\[gcs-server\\]\\.name$`), ours: 'gcs-server' },
  { id: 'C1', path: new RegExp(`${HEAD}\\.ports\\[gcs-server\\]\\.containerPort$`), ours: 6379 },
  { id: 'C2', path: /\.imagePullPolicy$/, ours: 'IfNotPresent' },
  { id: 'C3', path: new RegExp(`${POD}\\.spec\\.serviceAccountName$`), ours: 'tpu-trainer' },
  { id: 'C4', path: /^workers\.rayStartParams$/, ours: '{}' },
  { id: 'C5', path: new RegExp(`${HEAD}\\.volumeMounts$`), theirs: '[]' },
  { id: 'C5', path: /^head\.spec\.volumes$/, theirs: '{}' },
  { id: 'C5', path: new RegExp(`${HEAD}\\.volumeMounts\\[/dev/shm\\]\\.mountPath$`), ours: '/dev/shm' },
  { id: 'C5', path: /^head\.spec\.volumes\[\/dev\/shm\]\.emptyDir\.medium$/, ours: 'Memory' },
  { id: 'C5', path: /^head\.spec\.volumes\[\/dev\/shm\]\.emptyDir\.sizeLimit$/, ours: '8Gi' },
];

const POOL_SET = /^workers\.spec\.nodeSelector\[cdk8s-tpu-ray\/node-pool\]$/;

const OF_GENERATION: Readonly<Record<TutorialCGeneration, readonly Correction[]>> = {
  v6e: [
    { id: 'M15', path: POOL_SET, ours: 'v6e-4x4' },
    { id: 'C6', path: /^workers\.groupName$/, theirs: 'v6e-16', ours: 'tpu-group' },
    {
      id: 'C7',
      path: /^workers\..*\.resources\.(requests|limits)\.memory$/,
      theirs: '200Gi',
      ours: '250Gi',
    },
    {
      id: 'C7',
      path: /^workers\.spec\.volumes\[\/dev\/shm\]\.emptyDir\.sizeLimit$/,
      theirs: '100Gi',
      ours: '128Gi',
    },
  ],
  tpu7x: [
    { id: 'M15', path: POOL_SET, ours: 'tpu7x-2x2x2' },
    { id: 'C6', path: /^workers\.groupName$/, theirs: 'tpu7x-16', ours: 'tpu-group' },
  ],
};

type Json = Readonly<Record<string, unknown>>;

function objectsOf(project: string, run: string): Json[] {
  const { synthesis, problems } = synthesize(join(ROOT, 'examples', project), {});
  expect(problems).toEqual([]);
  const objects = synthesis!.objects as Json[];
  return objects.filter(({ metadata }) => (metadata as { name: string }).name.startsWith(run));
}

const ofKind = (objects: readonly Json[], kind: string): Json =>
  objects.find((object) => object['kind'] === kind)!;

describe.each(['v6e', 'tpu7x'] as const)('tutorial C on %s', (generation) => {
  const objects = objectsOf(`torchtpu-${generation}`, 'gemma4');

  test('its RayCluster is ours but for documented corrections', () => {
    const theirs = rayClusterFields(tutorialCRayCluster(generation, IMAGE));
    const ours = rayClusterFields(ofKind(objects, 'RayCluster'));
    expect(uncorrected(theirs, ours, [...COMMON, ...OF_GENERATION[generation]])).toEqual({
      differences: [],
      unused: [],
    });
  });

  test('its training options are those of the Job', () => {
    const job = ofKind(objects, 'Job') as unknown as {
      spec: { template: { spec: { containers: { args: string[] }[] } } };
    };
    const { args } = job.spec.template.spec.containers[0]!;
    const trainer = args.slice(args.indexOf('--') + 1);
    for (const [option, value] of Object.entries(TUTORIAL_C_OPTIONS)) {
      expect([option, trainer[trainer.indexOf(option) + 1]]).toEqual([option, value]);
    }
  });
});

test('one run file serves both generations but for two lines', () => {
  for (const run of ['gemma4', 'collectives']) {
    for (const mode of ['', '-autopilot']) {
      const [v6e, tpu7x] = ['v6e', 'tpu7x'].map((generation) =>
        readFileSync(join(ROOT, `examples/torchtpu-${generation}${mode}/runs/${run}.yaml`), 'utf8').split(
          '\n',
        ),
      );
      expect(v6e).toHaveLength(tpu7x!.length);
      const different = v6e!.flatMap((line, index) => (line === tpu7x![index] ? [] : [line.trim()]));
      expect(different).toEqual(['generation: v6e', 'topology: 4x4']);
    }
  }
});

test('logical devices of tpu7x: by the group where KubeRay has it, the older way where not, chips unchanged', () => {
  const group = (project: string): Json => {
    const cluster = ofKind(objectsOf(project, 'gemma4'), 'RayCluster') as {
      spec: { workerGroupSpecs: Json[] };
    };
    return cluster.spec.workerGroupSpecs[0]!;
  };
  const [newer, older] = [group('torchtpu-tpu7x'), group('torchtpu-tpu7x-autopilot')];
  expect([newer['resources'], newer['rayStartParams']]).toEqual([{ TPU: '8' }, {}]);
  expect([older['resources'], older['rayStartParams']]).toEqual([
    undefined,
    { resources: JSON.stringify('{"TPU":8}') },
  ]);
  for (const each of [newer, older]) expect(JSON.stringify(each)).toContain('"google.com/tpu":"4"');
});

test('no manifest of the examples holds a token, only the name of its Secret', () => {
  for (const object of objectsOf('torchtpu-v6e', 'gemma4')) {
    expect(JSON.stringify(object)).not.toMatch(/hf_[A-Za-z0-9]{20,}/);
  }
  const cluster = JSON.stringify(ofKind(objectsOf('torchtpu-v6e', 'gemma4'), 'RayCluster'));
  expect(cluster).toContain('"secretKeyRef":{"key":"hf_api_token","name":"hf-secret"}');
});

test('docs/tutorial-corrections.md has a row for every correction of tutorial C, and no row without one', () => {
  const text = readFileSync(join(ROOT, 'docs/tutorial-corrections.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (C\d+) \|/gm)].map(([, id]) => id);
  const tested = new Set([...COMMON, ...OF_GENERATION.v6e].map(({ id }) => id));
  expect(new Set(rows)).toEqual(new Set([...tested].filter((id) => id.startsWith('C'))));
  expect(rows).toHaveLength(new Set(rows).size);
});
