import { kubeRayFields } from '../../lib/manifest-rules/kuberay-fields';
import { numOfHosts } from '../../lib/manifest-rules/num-of-hosts';
import { ownedEnvironment } from '../../lib/manifest-rules/owned-environment';
import { rayContainerFirst } from '../../lib/manifest-rules/ray-container-first';
import { tpuGroupShape } from '../../lib/manifest-rules/tpu-group-shape';
import { webhookLabels } from '../../lib/manifest-rules/webhook-labels';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { HEAD, JOB_POD, sampleWith, WORKERS } from '../support/sample-objects';

const GROUP = 'spec.workerGroupSpecs[0]';

describe('numOfHosts', () => {
  test('field report 35: one host is stated like any other number', () => {
    expect(problemsOf(numOfHosts)).toEqual([]);
    expect(placesOf(numOfHosts, 'RayCluster', { [`${GROUP}.numOfHosts`]: 1 })).toEqual([]);
  });

  test.each([undefined, 0, -1, 1.5, '4', null])('field report 35: %p is refused', (value) => {
    expect(placesOf(numOfHosts, 'RayCluster', { [`${GROUP}.numOfHosts`]: value })).toEqual([
      `${RAY_CLUSTER}: ${GROUP}.numOfHosts`,
    ]);
  });
});

describe('the shape of a TPU group', () => {
  const topology = `${WORKERS}.spec.nodeSelector["cloud.google.com/gke-tpu-topology"]`;
  const chips = (count: string): Record<string, string> => ({
    [`${WORKERS}.spec.containers[0].resources.limits["google.com/tpu"]`]: count,
  });

  test('field report 13: numOfHosts is chips of the topology by chips of the pod', () => {
    expect(problemsOf(tpuGroupShape)).toEqual([]);
    expect(problemsOf(tpuGroupShape, sampleWith('RayCluster', { [`${GROUP}.numOfHosts`]: 2 }))).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${GROUP}.numOfHosts`,
        value: 2,
        rule: 'topology 4x4 has 16 chips, 4 in a pod, so 4 hosts',
        fix: 'derive numOfHosts from the topology',
      },
    ]);
  });

  test.each([
    ['2x2x2', '4', 2],
    ['2x2x1', '4', 1],
    ['2x4', '8', 1],
    ['1x1', '1', 1],
  ])('field report 22: %s with %s chips in a pod has %d hosts', (shape, count, hosts) => {
    expect(
      placesOf(tpuGroupShape, 'RayCluster', {
        [topology]: shape,
        ...chips(count),
        [`${GROUP}.numOfHosts`]: hosts,
      }),
    ).toEqual([]);
    expect(
      placesOf(tpuGroupShape, 'RayCluster', {
        [topology]: shape,
        ...chips(count),
        [`${GROUP}.numOfHosts`]: hosts + 1,
      }),
    ).toHaveLength(1);
  });

  test('a missing selector and a misspelt topology are refused', () => {
    expect(placesOf(tpuGroupShape, 'RayCluster', { [`${WORKERS}.spec.nodeSelector`]: undefined })).toEqual([
      `${RAY_CLUSTER}: ${WORKERS}.spec.nodeSelector["cloud.google.com/gke-tpu-accelerator"]`,
      `${RAY_CLUSTER}: ${topology}`,
    ]);
    expect(placesOf(tpuGroupShape, 'RayCluster', { [topology]: '4*4' })).toEqual([
      `${RAY_CLUSTER}: ${topology}`,
    ]);
  });

  test('two containers of one host add up', () => {
    const half = (name: string) => ({ name, resources: { limits: { 'google.com/tpu': '2' } } });
    expect(
      placesOf(tpuGroupShape, 'RayCluster', { [`${WORKERS}.spec.containers`]: [half('a'), half('b')] }),
    ).toEqual([]);
  });

  test('a group without chips may be of any number', () => {
    const cpu = { limits: { cpu: 4 } };
    const changes = {
      [`${WORKERS}.spec.containers[0].resources`]: cpu,
      [`${WORKERS}.spec.nodeSelector`]: undefined,
    };
    expect(placesOf(tpuGroupShape, 'RayCluster', changes)).toEqual([]);
  });
});

describe('the Ray container', () => {
  const sidecar = { name: 'proxy', image: 'i' };
  const ray = { name: 'ray-worker', image: 'i' };

  test('comes first, sidecars behind it', () => {
    expect(problemsOf(rayContainerFirst)).toEqual([]);
    expect(placesOf(rayContainerFirst, 'RayCluster', { [`${WORKERS}.spec.containers[1]`]: sidecar })).toEqual(
      [],
    );
  });

  test('field report 54: a sidecar before it is refused, by name or by chips', () => {
    expect(
      placesOf(rayContainerFirst, 'RayCluster', { [`${WORKERS}.spec.containers`]: [sidecar, ray] }),
    ).toEqual([`${RAY_CLUSTER}: ${WORKERS}.spec.containers[0].name`]);
    const chips = { name: 'main', resources: { limits: { 'google.com/tpu': '4' } } };
    expect(
      placesOf(rayContainerFirst, 'RayCluster', { [`${WORKERS}.spec.containers`]: [sidecar, chips] }),
    ).toHaveLength(1);
  });

  test('a pod without containers is refused, a pod of another kind is not looked at', () => {
    expect(placesOf(rayContainerFirst, 'RayCluster', { [`${HEAD}.spec.containers`]: [] })).toEqual([
      `${RAY_CLUSTER}: ${HEAD}.spec.containers`,
    ]);
    expect(placesOf(rayContainerFirst, 'Job', { [`${JOB_POD}.spec.containers`]: [sidecar, ray] })).toEqual(
      [],
    );
  });
});

describe('labels of Ray pods', () => {
  test('own labels and the one of KubeRay pass', () => {
    expect(problemsOf(webhookLabels)).toEqual([]);
  });

  test('field report 31: the label the TPU webhook selects by cannot be a team’s own', () => {
    const label = `${HEAD}.metadata.labels["app.kubernetes.io/name"]`;
    expect(placesOf(webhookLabels, 'RayCluster', { [label]: 'llama' })).toEqual([`${RAY_CLUSTER}: ${label}`]);
    expect(
      placesOf(webhookLabels, 'RayCluster', { [`${WORKERS}.metadata.labels`]: { 'ray.io/group': 'x' } }),
    ).toEqual([`${RAY_CLUSTER}: ${WORKERS}.metadata.labels["ray.io/group"]`]);
    expect(
      placesOf(webhookLabels, 'Job', {
        [`${JOB_POD}.metadata`]: { labels: { 'app.kubernetes.io/name': 'llama' } },
      }),
    ).toEqual([]);
  });
});

describe('environment of Ray pods', () => {
  const env = (name: string) => [{ name, value: '1' }];

  test('MEGASCALE_PORT and a user’s own pass', () => {
    expect(problemsOf(ownedEnvironment)).toEqual([]);
    expect(
      placesOf(ownedEnvironment, 'RayCluster', {
        [`${WORKERS}.spec.containers[0].env`]: env('MEGASCALE_PORT'),
      }),
    ).toEqual([]);
  });

  test.each([
    [28, 'MEGASCALE_NUM_SLICES'],
    [28, 'MEGASCALE_SLICE_ID'],
    [28, 'MEGASCALE_COORDINATOR_ADDRESS'],
    [30, 'TPU_WORKER_ID'],
    [30, 'TPU_WORKER_HOSTNAMES'],
    [30, 'TPU_NAME'],
  ])('field report %d: %s is refused', (_row, name) => {
    expect(
      placesOf(ownedEnvironment, 'RayCluster', { [`${WORKERS}.spec.containers[0].env`]: env(name) }),
    ).toEqual([`${RAY_CLUSTER}: ${WORKERS}.spec.containers[0].env[0].name`]);
    expect(placesOf(ownedEnvironment, 'Job', { [`${JOB_POD}.spec.containers[0].env`]: env(name) })).toEqual(
      [],
    );
    expect(JOB).not.toBe(RAY_CLUSTER);
  });
});

describe('fields by KubeRay version', () => {
  const at = (kubeRayVersion: '1.4.0' | '1.5.0' | '1.6.0' | '1.7.0') => ({ kubeRayVersion });

  test('fields that every release has, or that no release is known to have, pass', () => {
    expect(problemsOf(kubeRayFields, undefined, at('1.4.0'))).toEqual([]);
    expect(placesOf(kubeRayFields, 'RayCluster', { 'spec.futureField': {} }, at('1.4.0'))).toEqual([]);
  });

  test('a field newer than the cluster’s KubeRay is refused', () => {
    const objects = sampleWith('RayCluster', { [`${GROUP}.resources`]: { TPU: '8' } });
    expect(problemsOf(kubeRayFields, objects, at('1.4.0'))).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${GROUP}.resources`,
        value: { TPU: '8' },
        rule: 'this field came with KubeRay 1.5.0, and the cluster has 1.4.0, which would drop it',
        fix: 'remove it, or use KubeRay 1.5.0 or newer and say so',
      },
    ]);
    expect(problemsOf(kubeRayFields, objects, at('1.5.0'))).toEqual([]);
  });

  test('fields inside pod templates count, with every item of a list', () => {
    const changes = {
      [`${HEAD}.spec.hostnameOverride`]: 'x',
      [`${WORKERS}.spec.containers[1]`]: { name: 'sidecar', restartPolicyRules: [] },
    };
    expect(placesOf(kubeRayFields, 'RayCluster', changes, at('1.4.0'))).toEqual([
      `${RAY_CLUSTER}: ${HEAD}.spec.hostnameOverride`,
      `${RAY_CLUSTER}: ${WORKERS}.spec.containers[1].restartPolicyRules`,
    ]);
  });

  test('a field that was removed is refused before and after', () => {
    const changes = { [`${HEAD}.spec.workloadRef`]: { name: 'x' } };
    const problem = `${RAY_CLUSTER}: ${HEAD}.spec.workloadRef`;
    expect(placesOf(kubeRayFields, 'RayCluster', changes, at('1.5.0'))).toEqual([problem]);
    expect(placesOf(kubeRayFields, 'RayCluster', changes, at('1.6.0'))).toEqual([]);
    expect(placesOf(kubeRayFields, 'RayCluster', changes, at('1.7.0'))).toEqual([problem]);
  });

  test('an undefined field is not written and passes', () => {
    expect(placesOf(kubeRayFields, 'RayCluster', { 'spec.upgradeStrategy': undefined }, at('1.4.0'))).toEqual(
      [],
    );
  });
});
