import type { NetworkSpec, PlatformSpec, RunSpec } from '../../lib/run';
import { AUTOPILOT, PLATFORM, RUN, TWO_SLICES, runProblems, trainingRun } from '../support/training-run';

const OLD: PlatformSpec = { ...PLATFORM, cluster: { ...PLATFORM.cluster, version: '1.34.1-gke.1500000' } };

const V5P_SLICES: RunSpec = {
  ...TWO_SLICES,
  tpu: { generation: 'v5p', topology: '2x2x4', slices: 2 },
};

function withNetwork(network: NetworkSpec): RunSpec {
  return { ...TWO_SLICES, network };
}

describe('the mode when the run names none', () => {
  test.each<[string, RunSpec, PlatformSpec, object]>([
    ['none for one slice', RUN, PLATFORM, { mode: 'none' }],
    [
      'dranet where machine and version allow it',
      TWO_SLICES,
      PLATFORM,
      {
        mode: 'dranet',
        networkCards: 2,
        reason: 'the default where machine type and cluster version allow it',
        libtpuInitArgs: ['--megascale_grpc_interface_prefixes=eth1,eth2,lo'],
      },
    ],
    ['dranet on Autopilot too', TWO_SLICES, AUTOPILOT, { mode: 'dranet', networkCards: 2 }],
    [
      'field report 66: host-network on an older Standard cluster',
      TWO_SLICES,
      OLD,
      {
        mode: 'host-network',
        networkCards: 0,
        libtpuInitArgs: [],
        reason:
          'dranet is not to be had: managed DRANET needs GKE 1.34.1-gke.1829001 on standard, the cluster has 1.34.1-gke.1500000',
      },
    ],
    [
      'host-network for a machine that DRANET does not list',
      V5P_SLICES,
      PLATFORM,
      {
        mode: 'host-network',
        reason: 'dranet is not to be had: managed DRANET does not list the machine type ct5p-hightpu-4t',
      },
    ],
    ['pod-network for such a machine on Autopilot', V5P_SLICES, AUTOPILOT, { mode: 'pod-network' }],
    [
      'pod-network in an owned namespace, whose Pod Security refuses the host network',
      TWO_SLICES,
      { ...OLD, namespace: 'training', ownNamespace: true },
      { mode: 'pod-network' },
    ],
  ])('is %s', (_, spec, platform, expected) => {
    expect(trainingRun(spec, platform).network).toMatchObject(expected);
  });
});

test('a pod network comes with a warning', () => {
  expect(trainingRun(withNetwork({ mode: 'pod-network' })).warnings).toContainEqual({
    path: ['network'],
    message:
      'slices talk over the pod network (chosen in the run file): it works, only several times slower than with dranet or host-network',
  });
});

test('flags of the run follow those of the mode', () => {
  const network = withNetwork({ mode: 'dranet', libtpuInitArgs: ['--xla_tpu_scoped_vmem_limit_kib=122880'] });
  expect(trainingRun(network).network).toMatchObject({
    libtpuInitArgs: [
      '--megascale_grpc_interface_prefixes=eth1,eth2,lo',
      '--xla_tpu_scoped_vmem_limit_kib=122880',
    ],
  });
});

test.each<[string, RunSpec, PlatformSpec, string]>([
  [
    'a network of one slice',
    { ...RUN, network: { mode: 'dranet' } },
    PLATFORM,
    "network: 'dranet': one slice has no network to others; remove network, or set tpu.slices to 2 or more",
  ],
  [
    'several slices of one host',
    {
      ...TWO_SLICES,
      tpu: { generation: 'v5p', topology: '2x2x1', slices: 2 },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 4 }, dcn: { data: 2 } } },
    },
    PLATFORM,
    'tpu.slices: 2: Multislice joins multi-host slices only, and v5p 2x2x1 is one host; use a larger topology, or one slice',
  ],
  [
    'field report 66: dranet on an older cluster',
    withNetwork({ mode: 'dranet' }),
    OLD,
    "network.mode: 'dranet': managed DRANET needs GKE 1.34.1-gke.1829001 on standard, the cluster has 1.34.1-gke.1500000; use host-network",
  ],
  [
    'dranet on an older Autopilot cluster',
    withNetwork({ mode: 'dranet' }),
    { ...AUTOPILOT, cluster: { ...AUTOPILOT.cluster, version: '1.35.2-gke.1841999' } },
    "network.mode: 'dranet': managed DRANET needs GKE 1.35.2-gke.1842000 on autopilot, the cluster has 1.35.2-gke.1841999; use pod-network, or a Standard cluster with host-network",
  ],
  [
    'the host network on Autopilot',
    withNetwork({ mode: 'host-network' }),
    AUTOPILOT,
    "network.mode: 'host-network': Autopilot allows no pods on the host network; use dranet, or a Standard cluster",
  ],
  [
    'the host network in an owned namespace',
    withNetwork({ mode: 'host-network' }),
    { ...PLATFORM, namespace: 'training', ownNamespace: true },
    "network.mode: 'host-network': the namespace training is rendered with Pod Security level baseline, which refuses the host network; leave ownNamespace out of platform.yaml and create the namespace with the level privileged yourself",
  ],
  [
    'a flag that is none',
    withNetwork({ mode: 'dranet', libtpuInitArgs: ['--a=1 --b=2'] }),
    PLATFORM,
    "network.libtpuInitArgs[0]: '--a=1 --b=2': a flag is written as --name=value; one flag an entry, without blanks",
  ],
  [
    'the flag that the mode sets',
    withNetwork({ mode: 'dranet', libtpuInitArgs: ['--megascale_grpc_interface_prefixes=eth0'] }),
    PLATFORM,
    "network.libtpuInitArgs[0]: '--megascale_grpc_interface_prefixes=eth0': --megascale_grpc_interface_prefixes follows from network.mode; remove it",
  ],
])('fails for %s', (_, spec, platform, line) => {
  expect(runProblems(spec, platform)).toEqual([line]);
});

test('fails for several slices on a cluster older than Multislice', () => {
  const platform = { ...PLATFORM, cluster: { ...PLATFORM.cluster, version: '1.27.4-gke.899' } };
  const { volumes: _, ...spec } = {
    ...V5P_SLICES,
    trainer: { ...TWO_SLICES.trainer, baseOutputDirectory: 'gs://my-bucket/out' },
  };
  expect(runProblems(spec, platform)).toEqual([
    "platform.cluster.version: '1.27.4-gke.899': Multislice needs GKE 1.27.4-gke.900 on standard; raise the version in platform.yaml",
  ]);
});
