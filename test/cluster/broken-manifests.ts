import type { ShapeCase } from './shapes';

/** Step of a path into an object: a field, or an index of a list. */
export type Step = string | number;

/** One change of a good manifest. Without `to` the field is removed. */
export interface Edit {
  readonly kind: 'RayCluster' | 'Job' | 'ConfigMap' | 'ResourceClaimTemplate';
  readonly at: readonly Step[];
  readonly to?: unknown;
}

/** Where a break is found. `nothing` means that the cluster runs it without a word, and only this suite's checks object. */
export type Catcher = 'schema' | 'webhook' | 'operator' | 'scheduler' | 'kubelet' | 'nothing';

/** A good manifest with one break. */
export interface BrokenManifest {
  readonly name: string;
  /** The good run it starts from. */
  readonly base: 'one slice' | 'two slices';
  readonly edits: readonly Edit[];
  /** Whether synth must refuse it by its manifest rules; where it need not, the cluster is the only one to find it. */
  readonly synth: boolean;
  readonly catcher: Catcher;
  /** What the catcher says. */
  readonly says: RegExp;
}

/** Names of the good runs. */
export const BASES: Readonly<
  Record<BrokenManifest['base'], Pick<ShapeCase, 'generation' | 'topology' | 'slices' | 'network'>>
> = {
  'one slice': { generation: 'v6e', topology: '4x4', slices: 1, network: 'none' },
  'two slices': { generation: 'v6e', topology: '4x4', slices: 2, network: 'dranet' },
};

const GROUP = ['spec', 'workerGroupSpecs', 0] as const;
const WORKER = [...GROUP, 'template', 'spec'] as const;
const WORKER_CONTAINER = [...WORKER, 'containers', 0] as const;
const HEAD = ['spec', 'headGroupSpec', 'template', 'spec'] as const;
const SUBMITTER = ['spec', 'template', 'spec'] as const;
const CARDS = ['spec', 'spec', 'devices', 'requests', 0] as const;

function edit(kind: Edit['kind'], at: readonly Step[], to?: unknown): Edit {
  return to === undefined ? { kind, at } : { kind, at, to };
}

/** A break of the RayCluster of a one-slice run. */
function rayCluster(
  name: string,
  synth: boolean,
  catcher: Catcher,
  says: RegExp,
  ...edits: readonly (readonly [readonly Step[], unknown?])[]
): BrokenManifest {
  return {
    name,
    base: 'one slice',
    edits: edits.map(([at, to]) => edit('RayCluster', at, to)),
    synth,
    catcher,
    says,
  };
}

/** Broken manifests, by where the cluster finds the break. */
export const BROKEN_MANIFESTS: readonly BrokenManifest[] = [
  rayCluster('numOfHosts is a word', true, 'schema', /numOfHosts/, [[...GROUP, 'numOfHosts'], 'four']),
  rayCluster('numOfHosts is misspelled', true, 'schema', /numOfHost\b/, [[...GROUP, 'numOfHost'], 4]),
  rayCluster('the head group is missing', true, 'schema', /headGroupSpec/, [['spec', 'headGroupSpec']]),
  rayCluster('the worker group has no name', true, 'schema', /groupName/, [[...GROUP, 'groupName']]),
  rayCluster('a variable is a number', true, 'schema', /env/, [
    [...WORKER_CONTAINER, 'env', 0],
    { name: 'STEPS', value: 8 },
  ]),
  rayCluster('a node selector is a boolean', true, 'schema', /nodeSelector/, [
    [...WORKER, 'nodeSelector', 'iam.gke.io/gke-metadata-server-enabled'],
    true,
  ]),
  rayCluster('an annotation is a boolean', true, 'schema', /annotations/, [
    ['metadata', 'annotations'],
    { 'cluster-autoscaler.kubernetes.io/safe-to-evict': false },
  ]),
  rayCluster('the memory is written in GB', true, 'schema', /memory/, [
    [...WORKER_CONTAINER, 'resources', 'limits', 'memory'],
    '400 GB',
  ]),
  rayCluster('a label has blanks', true, 'schema', /labels/, [
    ['metadata', 'labels', 'team'],
    'machine learning',
  ]),
  rayCluster('a field is newer than the operator', true, 'schema', /upgradeStrategy/, [
    ['spec', 'upgradeStrategy'],
    { type: 'Recreate' },
  ]),
  {
    name: 'the submitter restarts always',
    base: 'one slice',
    edits: [edit('Job', [...SUBMITTER, 'restartPolicy'], 'Always')],
    synth: true,
    catcher: 'schema',
    says: /restartPolicy/,
  },
  {
    name: 'the claim counts cards outside exactly',
    base: 'two slices',
    edits: [
      edit('ResourceClaimTemplate', CARDS, {
        name: 'netdev',
        deviceClassName: 'netdev.google.com',
        count: 2,
      }),
    ],
    synth: true,
    catcher: 'schema',
    says: /field not declared in schema/,
  },

  rayCluster('fewer hosts than the topology has', true, 'webhook', /not equal to specified topology/, [
    [...GROUP, 'numOfHosts'],
    2,
  ]),
  rayCluster('no hosts', true, 'webhook', /NumOfHosts not set/, [[...GROUP, 'numOfHosts'], 0]),
  rayCluster('no topology', true, 'webhook', /topology not specified/, [
    [...WORKER, 'nodeSelector', 'cloud.google.com/gke-tpu-topology'],
  ]),
  rayCluster(
    'more chips than a host has',
    true,
    'webhook',
    /not equal to specified topology/,
    [[...WORKER_CONTAINER, 'resources', 'limits', 'google.com/tpu'], '8'],
    [[...WORKER_CONTAINER, 'resources', 'requests', 'google.com/tpu'], '8'],
  ),

  rayCluster('labels as parameters of ray start', true, 'operator', /labels/, [
    [...GROUP, 'rayStartParams', 'labels'],
    'a=b',
  ]),
  rayCluster(
    'resources and parameters of ray start at once',
    true,
    'operator',
    /resource/,
    [[...GROUP, 'rayStartParams', 'num-cpus'], '4'],
    [[...GROUP, 'resources'], { TPU: '4' }],
  ),
  rayCluster(
    'autoscaler v2 with pods that restart',
    true,
    'operator',
    /restartPolicy/,
    [['spec', 'enableInTreeAutoscaling'], true],
    [['spec', 'autoscalerOptions'], { version: 'v2' }],
    [[...HEAD, 'restartPolicy'], 'Always'],
  ),
  rayCluster('the name is longer than KubeRay takes', true, 'operator', /53/, [
    ['metadata', 'name'],
    'a'.repeat(54),
  ]),
  rayCluster('a service account that does not exist', true, 'operator', /serviceaccount/, [
    [...HEAD, 'serviceAccountName'],
    'nobody',
  ]),
  rayCluster('chips requested and chips allowed differ', true, 'operator', /google\.com\/tpu/, [
    [...WORKER_CONTAINER, 'resources', 'limits', 'google.com/tpu'],
    '8',
  ]),
  // Synth refuses it only where it renders the namespace itself.
  rayCluster('host networking under Pod Security baseline', false, 'operator', /PodSecurity/, [
    [...WORKER, 'hostNetwork'],
    true,
  ]),
  rayCluster('a privileged container under Pod Security baseline', true, 'operator', /PodSecurity/, [
    [...WORKER_CONTAINER, 'securityContext'],
    { privileged: true },
  ]),
  rayCluster('a mounted volume that does not exist', true, 'operator', /volumeMounts/, [
    [...WORKER_CONTAINER, 'volumeMounts', 0, 'name'],
    'nowhere',
  ]),

  rayCluster(
    'a topology that no node pool has',
    false,
    'scheduler',
    /node affinity\/selector/,
    [[...WORKER, 'nodeSelector', 'cloud.google.com/gke-tpu-topology'], '4x8'],
    [[...GROUP, 'numOfHosts'], 8],
  ),
  rayCluster('another generation than the topology', true, 'scheduler', /node affinity\/selector/, [
    [...WORKER, 'nodeSelector', 'cloud.google.com/gke-tpu-accelerator'],
    'tpu-v5p-slice',
  ]),
  rayCluster('no toleration of TPU nodes', true, 'scheduler', /untolerated taint/, [
    [...WORKER, 'tolerations'],
  ]),
  rayCluster(
    'more CPUs than a host has',
    true,
    'scheduler',
    /Insufficient cpu/,
    [[...WORKER_CONTAINER, 'resources', 'limits', 'cpu'], '400'],
    [[...WORKER_CONTAINER, 'resources', 'requests', 'cpu'], '400'],
  ),
  rayCluster(
    'a second slice without a node pool',
    false,
    'scheduler',
    /anti-affinity|Insufficient google\.com\/tpu/,
    [[...GROUP, 'replicas'], 2],
    [[...GROUP, 'maxReplicas'], 2],
  ),
  {
    name: 'more network cards than a host has',
    base: 'two slices',
    edits: [edit('ResourceClaimTemplate', [...CARDS, 'exactly', 'count'], 3)],
    synth: true,
    catcher: 'scheduler',
    says: /cannot allocate all claims/,
  },
  {
    name: 'a device class that does not exist',
    base: 'two slices',
    edits: [edit('ResourceClaimTemplate', [...CARDS, 'exactly', 'deviceClassName'], 'netdevice.google.com')],
    synth: true,
    catcher: 'scheduler',
    says: /device class netdevice\.google\.com does not exist/,
  },
  {
    name: 'the submitter asks for a node that no pool has',
    base: 'one slice',
    edits: [edit('Job', [...SUBMITTER, 'nodeSelector'], { pool: 'elsewhere' })],
    synth: false,
    catcher: 'scheduler',
    says: /node affinity\/selector/,
  },

  {
    name: 'the trainer sources were not applied',
    base: 'one slice',
    edits: [edit('Job', [...SUBMITTER, 'volumes', 0, 'configMap', 'name'], 'trainer-maxtext-0000')],
    synth: true,
    catcher: 'kubelet',
    says: /ConfigMap .* does not exist/,
  },
  {
    name: 'a source file that the trainer sources lack',
    base: 'one slice',
    edits: [
      edit(
        'Job',
        [...SUBMITTER, 'volumes', 0, 'configMap', 'items'],
        [{ key: 'absent.py', path: 'absent.py' }],
      ),
    ],
    synth: true,
    catcher: 'kubelet',
    says: /has no key absent\.py/,
  },
  rayCluster('a Secret that does not exist', true, 'kubelet', /Secret .* does not exist/, [
    [...WORKER_CONTAINER, 'env', 0],
    { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'nobody', key: 'token' } } },
  ]),

  rayCluster('a label that hides pods from the TPU webhook', true, 'nothing', /TPU_WORKER_ID|TPU_NAME/, [
    [...GROUP, 'template', 'metadata', 'labels', 'app.kubernetes.io/name'],
    'trainer',
  ]),
  {
    name: 'a name that the TPU webhook cuts',
    base: 'one slice',
    edits: [
      edit('RayCluster', ['metadata', 'name'], `run-${'a'.repeat(44)}`),
      edit('Job', ['metadata', 'annotations'], {}),
    ],
    synth: true,
    catcher: 'nothing',
    says: /no headless service is named/,
  },
  rayCluster('a stale number of slices in the environment', true, 'nothing', /MEGASCALE_NUM_SLICES/, [
    [...WORKER_CONTAINER, 'env', 0],
    { name: 'MEGASCALE_NUM_SLICES', value: '2' },
  ]),
];
