import { deviceClaims } from '../../lib/manifest-rules/device-claims';
import { podSecurity } from '../../lib/manifest-rules/pod-security';
import { tpuHostFit } from '../../lib/manifest-rules/tpu-host-fit';
import { placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { type Json, sampleObjects, sampleWith, WORKERS } from '../support/sample-objects';

const REQUESTS = 'spec.spec.devices.requests';
const CLAIM = 'ResourceClaimTemplate train/net';

describe('CPU and memory of a TPU host', () => {
  const resources = `${WORKERS}.spec.containers[0].resources.requests`;

  test('what the host has passes', () => {
    expect(placesOf(tpuHostFit, 'RayCluster', { [`${resources}.cpu`]: '180' })).toEqual([]);
    expect(placesOf(tpuHostFit, 'RayCluster', { [`${resources}.memory`]: '720G' })).toEqual([]);
  });

  test('more is refused with both figures', () => {
    expect(problemsOf(tpuHostFit, sampleWith('RayCluster', { [`${resources}.cpu`]: 181 }))).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${resources}.cpu`,
        value: 181,
        rule: 'ct6e-standard-4t has 180 vCPUs, and the containers of this pod ask for 181',
        fix: 'ask for less: GKE and its agents need a part of the host as well',
      },
    ]);
    expect(placesOf(tpuHostFit, 'RayCluster', { [`${resources}.memory`]: '721G' })).toEqual([
      `${RAY_CLUSTER}: ${resources}.memory`,
    ]);
  });

  test('containers that run beside each other add up, and what ends before does not', () => {
    const beside: Json = { name: 'beside', resources: { requests: { cpu: '100' } } };
    const worker = sampleObjects().find(({ kind }) => kind === 'RayCluster');
    const first = (
      worker as never as { spec: { workerGroupSpecs: [{ template: { spec: { containers: Json[] } } }] } }
    ).spec.workerGroupSpecs[0].template.spec.containers[0];
    const both = { [`${WORKERS}.spec.containers`]: [first, { ...(beside as object), name: 'second' }] };
    expect(placesOf(tpuHostFit, 'RayCluster', { ...both, [`${resources}.cpu`]: '80' })).toEqual([]);
    expect(placesOf(tpuHostFit, 'RayCluster', { ...both, [`${resources}.cpu`]: '81' })).toHaveLength(1);
    const before = { [`${WORKERS}.spec.initContainers`]: [beside], [`${resources}.cpu`]: '81' };
    expect(placesOf(tpuHostFit, 'RayCluster', before)).toEqual([]);
  });

  test('a label that no generation has is another rule’s business', () => {
    const label = `${WORKERS}.spec.nodeSelector["cloud.google.com/gke-tpu-accelerator"]`;
    expect(placesOf(tpuHostFit, 'RayCluster', { [label]: 'tpu-v9', [`${resources}.cpu`]: '999' })).toEqual(
      [],
    );
  });
});

describe('claims of network cards', () => {
  const cards = (exactly: Record<string, Json>): Record<string, Json> => ({
    [REQUESTS]: [{ name: 'net', exactly: { deviceClassName: 'netdev.google.com', ...exactly } }],
  });

  test('as many cards as the host has pass, and so does another driver’s class', () => {
    expect(problemsOf(deviceClaims)).toEqual([]);
    expect(placesOf(deviceClaims, 'ResourceClaimTemplate', cards({ count: 2 }))).toEqual([]);
    const other = cards({ deviceClassName: 'fast.example.com', count: 9 });
    expect(placesOf(deviceClaims, 'ResourceClaimTemplate', other)).toEqual([]);
  });

  test('more cards than the host has are refused', () => {
    expect(problemsOf(deviceClaims, sampleWith('ResourceClaimTemplate', cards({ count: 3 })))).toEqual([
      {
        object: CLAIM,
        path: `${REQUESTS}[0].exactly.count`,
        value: 3,
        rule: 'ct6e-standard-4t has 2 network cards to claim',
        fix: 'claim at most 2',
      },
    ]);
  });

  test('a class that GKE does not have is refused', () => {
    const changed = cards({ deviceClassName: 'netdevice.google.com' });
    expect(placesOf(deviceClaims, 'ResourceClaimTemplate', changed)).toEqual([
      `${CLAIM}: ${REQUESTS}[0].exactly.deviceClassName`,
    ]);
  });

  test('fields beside exactly are those of an older version of the API', () => {
    const old = { [REQUESTS]: [{ name: 'net', deviceClassName: 'netdev.google.com', count: 2 }] };
    expect(placesOf(deviceClaims, 'ResourceClaimTemplate', old)).toEqual([
      `${CLAIM}: ${REQUESTS}[0].deviceClassName`,
      `${CLAIM}: ${REQUESTS}[0].count`,
    ]);
  });
});

describe('Pod Security of a rendered namespace', () => {
  const namespace = (level: string): unknown => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'train', labels: { 'pod-security.kubernetes.io/enforce': level } },
  });
  const container = `${WORKERS}.spec.containers[0]`;
  const breaks: readonly (readonly [string, Json])[] = [
    [`${WORKERS}.spec.hostNetwork`, true],
    [`${WORKERS}.spec.volumes[1].hostPath`, { path: '/dev' }],
    [`${container}.securityContext`, { privileged: true }],
    [`${container}.ports`, [{ containerPort: 1, hostPort: 1 }]],
  ];

  test('plain pods pass', () => {
    expect(problemsOf(podSecurity, [...sampleObjects(), namespace('baseline')])).toEqual([]);
  });

  test.each(breaks)('%s is refused by baseline and restricted, and taken by privileged', (path, value) => {
    const objects = sampleWith('RayCluster', { [path]: value });
    const places = (level: string): string[] =>
      problemsOf(podSecurity, [...objects, namespace(level)]).map((problem) => problem.path);
    expect(places('baseline')).toEqual([expect.stringContaining(path)]);
    expect(places('restricted')).toHaveLength(1);
    expect(places('privileged')).toEqual([]);
    expect(problemsOf(podSecurity, objects)).toEqual([]);
  });
});
