import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesize } from '../../lib/project/synthesize';
import type { Correction } from './corrections';
import { uncorrected } from './corrections';
import { fieldsOf, rayClusterFields } from './field-paths';
import { INTERFACE_FLAG, multisliceSample, SAMPLE_FLAGS } from './multislice-sample';
import { TUTORIAL_A_ARGUMENTS, TUTORIAL_A_SCALING, tutorialARayCluster } from './tutorial-a';

const ROOT = join(__dirname, '..', '..');
const BUCKET = 'my-project-tpu-ray';
const ACCOUNT = 'tpu-trainer';
const IMAGE = 'us-east5-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5';

/** Both pods, as a beginning of a pattern. */
const POD = '^(head|workers)';

/** What every manifest of ours has beyond the published ones. */
const COMMON: Correction[] = [
  { id: 'M1', path: /^metadata\.name$/, theirs: 'maxtext-tpu-cluster', ours: 'llama3-8b' },
  { id: 'M2', path: /^metadata\.namespace$/, ours: 'default' },
  { id: 'M2', path: /^metadata\.labels\[app\.kubernetes\.io\/instance\]$/, ours: 'llama3-8b' },
  { id: 'M2', path: /^metadata\.labels\[app\.kubernetes\.io\/managed-by\]$/, ours: 'cdk8s-tpu-ray' },
  { id: 'M3', path: /^spec\.rayVersion$/, ours: '2.60.0' },
  {
    id: 'M5',
    path: new RegExp(
      `${POD}\\.metadata\\.annotations\\[cluster-autoscaler\\.kubernetes\\.io/safe-to-evict\\]$`,
    ),
    ours: 'false',
  },
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
  { id: 'M9', path: /^head\.spec\.containers\[ray-head\]\.resources\.limits\.cpu$/, ours: '8' },
  { id: 'M9', path: /^workers\.spec\.containers\[ray-worker\]\.resources\.limits\.cpu$/, ours: '160' },
  { id: 'M10', path: new RegExp(`${POD}\\.spec\\.securityContext\\.runAsUser$`), ours: 1000 },
  { id: 'M10', path: new RegExp(`${POD}\\.spec\\.securityContext\\.runAsGroup$`), ours: 100 },
  { id: 'M10', path: new RegExp(`${POD}\\.spec\\.securityContext\\.runAsNonRoot$`), ours: true },
  {
    id: 'M10',
    path: new RegExp(`${POD}\\.spec\\.securityContext\\.seccompProfile\\.type$`),
    ours: 'RuntimeDefault',
  },
  {
    id: 'M10',
    path: new RegExp(
      `${POD}\\.spec\\.containers\\[ray-\\w+\\]\\.securityContext\\.allowPrivilegeEscalation$`,
    ),
    ours: false,
  },
  {
    id: 'M10',
    path: new RegExp(
      `${POD}\\.spec\\.containers\\[ray-\\w+\\]\\.securityContext\\.capabilities\\.drop\\[0\\]$`,
    ),
    ours: 'ALL',
  },
  { id: 'M11', path: /^head\.spec\.volumes\[\/dev\/shm\]\.emptyDir\.sizeLimit$/, ours: '8Gi' },
  { id: 'M11', path: /^workers\.spec\.volumes\[\/dev\/shm\]\.emptyDir\.sizeLimit$/, ours: '95367Mi' },
  { id: 'M13', path: /^workers\.spec\.tolerations\[google\.com\/tpu\]\.key$/, ours: 'google.com/tpu' },
  { id: 'M13', path: /^workers\.spec\.tolerations\[google\.com\/tpu\]\.operator$/, ours: 'Exists' },
  { id: 'M13', path: /^workers\.spec\.tolerations\[google\.com\/tpu\]\.effect$/, ours: 'NoSchedule' },
  { id: 'M14', path: /^head\.spec\.containers\[ray-head\]\.ports\[[-\w]+\]\.protocol$/, ours: 'TCP' },
];

const OUR_MOUNT_OPTIONS = 'implicit-dirs,uid=1000,gid=100,dir-mode=775,file-mode=664';
const MOUNT_OPTIONS = new RegExp(
  `${POD}\\.spec\\.volumes\\[/data\\]\\.csi\\.volumeAttributes\\.mountOptions$`,
);
const METADATA_SERVER = new RegExp(
  `${POD}\\.spec\\.nodeSelector\\[iam\\.gke\\.io/gke-metadata-server-enabled\\]$`,
);

const poolSet = (ours: string): Correction => ({
  id: 'M15',
  path: /^workers\.spec\.nodeSelector\[cdk8s-tpu-ray\/node-pool\]$/,
  ours,
});

const TUTORIAL_A: Correction[] = [
  ...COMMON,
  { id: 'M4', path: /^workers\.(min|max)Replicas$/, ours: 1 },
  { id: 'M12', path: MOUNT_OPTIONS, theirs: 'implicit-dirs', ours: OUR_MOUNT_OPTIONS },
  {
    id: 'A1',
    path: new RegExp(`${POD}\\.spec\\.volumes\\[unmounted gcs-fuse-cache\\]\\.emptyDir\\.medium$`),
    theirs: 'Memory',
  },
];

const STANDARD: Correction[] = [
  ...TUTORIAL_A,
  { id: 'A2', path: METADATA_SERVER, ours: 'true' },
  poolSet('v6e-4x4'),
];

const fuseLimit = (name: string, ours: string): Correction => ({
  id: 'A3',
  path: new RegExp(`${POD}\\.metadata\\.annotations\\[gke-gcsfuse/${name}\\]$`),
  theirs: '0',
  ours,
});

const AUTOPILOT: Correction[] = [
  ...TUTORIAL_A,
  fuseLimit('cpu-limit', '2'),
  fuseLimit('memory-limit', '4Gi'),
  fuseLimit('ephemeral-storage-limit', '10Gi'),
];

/** libtpu refuses to compile with it on v6e. */
const REFUSED_FLAG = '--xla_tpu_enable_async_collective_fusion_fuse_all_gather=true';

const SAMPLE_OPTIONS = 'implicit-dirs,uid=1000,gid=1000,dir-mode=775,file-mode=664,file-cache:max-size-mb:-1';

const MULTISLICE: Correction[] = [
  ...COMMON,
  poolSet('v6e-4x4-dra'),
  { id: 'M4', path: /^workers\.(min|max)Replicas$/, ours: 2 },
  { id: 'B1', path: /^workers.*\.env\[MEGASCALE_NUM_SLICES\]\.name$/, theirs: 'MEGASCALE_NUM_SLICES' },
  { id: 'B1', path: /^workers.*\.env\[MEGASCALE_NUM_SLICES\]\.value$/, theirs: '2' },
  { id: 'B2', path: /\.containers\[ray-worker\]\.securityContext\.privileged$/, theirs: true },
  { id: 'B3', path: /\.image$/, theirs: 'rayproject/ray:nightly-py312-tpu', ours: IMAGE },
  { id: 'B3', path: /\.imagePullPolicy$/, theirs: 'Always', ours: 'IfNotPresent' },
  { id: 'B4', path: MOUNT_OPTIONS, theirs: SAMPLE_OPTIONS, ours: OUR_MOUNT_OPTIONS },
  {
    id: 'B5',
    path: /\.env\[LIBTPU_INIT_ARGS\]\.value$/,
    theirs: [...SAMPLE_FLAGS, INTERFACE_FLAG].join(' '),
    ours: [INTERFACE_FLAG, ...SAMPLE_FLAGS.filter((flag) => flag !== REFUSED_FLAG)].join(' '),
  },
  {
    id: 'B6',
    path: /\.resourceClaims\[netdev\]\.resourceClaimTemplateName$/,
    theirs: 'two-netdev',
    ours: 'llama3-8b-netdev',
  },
  { id: 'B7', path: /^workers\.spec\.containers\[ray-worker\]\.ports\[metrics\]\.name$/, ours: 'metrics' },
  {
    id: 'B7',
    path: /^workers\.spec\.containers\[ray-worker\]\.ports\[metrics\]\.containerPort$/,
    ours: 8082,
  },
  { id: 'B7', path: /^workers\.spec\.containers\[ray-worker\]\.ports\[metrics\]\.protocol$/, ours: 'TCP' },
];

function objectsOf(project: string): Record<string, unknown>[] {
  const { synthesis, problems } = synthesize(join(ROOT, project), {});
  expect(problems).toEqual([]);
  return synthesis!.objects as Record<string, unknown>[];
}

function ofKind(objects: readonly Record<string, unknown>[], kind: string): Record<string, unknown> {
  return objects.find((object) => object['kind'] === kind)!;
}

function argumentsOf(objects: readonly Record<string, unknown>[]): string[] {
  const job = ofKind(objects, 'Job') as {
    spec: { template: { spec: { containers: { args: string[] }[] } } };
  };
  return job.spec.template.spec.containers[0]!.args;
}

describe.each([
  ['the quick start', '.', STANDARD],
  ['tutorial-a-autopilot', 'examples/tutorial-a-autopilot', AUTOPILOT],
])('%s against the single-slice tutorial', (_name, project, corrections) => {
  const objects = objectsOf(project);

  test('its RayCluster is the tutorial’s, field by field, but for the documented corrections', () => {
    const theirs = rayClusterFields(tutorialARayCluster(IMAGE, BUCKET, ACCOUNT));
    expect(uncorrected(theirs, rayClusterFields(ofKind(objects, 'RayCluster')), corrections)).toEqual({
      differences: [],
      unused: [],
    });
  });

  test('its trainer gets the tutorial’s MaxText arguments in the tutorial’s order', () => {
    const args = argumentsOf(objects);
    const ours = args.slice(args.lastIndexOf('--') + 1);
    // Correction A4: the directory stands without its last slash.
    expect(ours).toEqual(TUTORIAL_A_ARGUMENTS.map((text) => text.replace(/\/$/, '')));
  });

  test('its trainer gets the numbers of the tutorial’s ScalingConfig', () => {
    const args = argumentsOf(objects);
    const trainer = args.slice(args.indexOf('--') + 1);
    for (const [option, value] of Object.entries(TUTORIAL_A_SCALING)) {
      expect([option, trainer[trainer.indexOf(option) + 1]]).toEqual([option, value]);
    }
  });

  test('XLA dumps are opt-in, unlike the tutorial’s (correction A5)', () => {
    expect(argumentsOf(objects).join(' ')).not.toMatch(/XLA_FLAGS|TPU_SLICE_BUILDER_DUMP/);
  });
});

describe('multislice-8b against the public multislice sample', () => {
  const objects = objectsOf('examples/multislice-8b');
  const sample = multisliceSample(BUCKET, ACCOUNT);

  test('its RayCluster is the sample’s, field by field, but for the documented corrections', () => {
    expect(
      uncorrected(
        rayClusterFields(sample.rayCluster),
        rayClusterFields(ofKind(objects, 'RayCluster')),
        MULTISLICE,
      ),
    ).toEqual({ differences: [], unused: [] });
  });

  test('its claim template is the sample’s but for names', () => {
    const rename = (text: string): string => text.replaceAll('req-netdev', 'netdev');
    const theirs = new Map(
      [...fieldsOf(sample.claimTemplate)].map(([path, value]) => [
        rename(path),
        typeof value === 'string' ? rename(value) : value,
      ]),
    );
    const corrections: Correction[] = [
      { id: 'B6', path: /^metadata\.name$/, theirs: 'two-netdev', ours: 'llama3-8b-netdev' },
      { id: 'M2', path: /^metadata\.namespace$/, ours: 'default' },
      { id: 'M2', path: /^metadata\.labels\[app\.kubernetes\.io\/managed-by\]$/, ours: 'cdk8s-tpu-ray' },
    ];
    expect(uncorrected(theirs, fieldsOf(ofKind(objects, 'ResourceClaimTemplate')), corrections)).toEqual({
      differences: [],
      unused: [],
    });
  });
});

test('docs/tutorial-corrections.md has a row for every correction, and no row without one', () => {
  const text = readFileSync(join(ROOT, 'docs/tutorial-corrections.md'), 'utf8');
  const rows = [...text.matchAll(/^\| ([MAB]\d+) \|/gm)].map(([, id]) => id);
  const inArguments = ['A4', 'A5'];
  const tested = new Set([...STANDARD, ...AUTOPILOT, ...MULTISLICE].map(({ id }) => id));
  expect(new Set(rows)).toEqual(new Set([...tested, ...inArguments]));
  expect(rows).toHaveLength(new Set(rows).size);
});
