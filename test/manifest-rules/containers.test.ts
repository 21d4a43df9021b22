import { containerResources } from '../../lib/manifest-rules/container-resources';
import { environmentNames } from '../../lib/manifest-rules/environment-names';
import { mountPaths } from '../../lib/manifest-rules/mount-paths';
import { podUsers } from '../../lib/manifest-rules/pod-users';
import { tpuResources } from '../../lib/manifest-rules/tpu-resources';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { HEAD, JOB_POD, sampleWith, WORKERS } from '../support/sample-objects';

const JOB_CONTAINER = `${JOB_POD}.spec.containers[0]`;
const WORKER = `${WORKERS}.spec.containers[0]`;

describe('resources', () => {
  test('numbers and strings in requests and limits pass', () => {
    expect(problemsOf(containerResources)).toEqual([]);
  });

  test('field report 53 and 69: a container without cpu and memory is refused, not given defaults', () => {
    expect(placesOf(containerResources, 'Job', { [`${JOB_CONTAINER}.resources`]: undefined })).toEqual(
      ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'].map(
        (field) => `${JOB}: ${JOB_CONTAINER}.resources.${field}`,
      ),
    );
    const onlyTpu = { requests: { 'google.com/tpu': '4' }, limits: { 'google.com/tpu': '4' } };
    expect(placesOf(containerResources, 'RayCluster', { [`${WORKER}.resources`]: onlyTpu })).toHaveLength(4);
  });

  test('init containers count', () => {
    const init = [{ name: 'prepare', image: 'image:1' }];
    expect(placesOf(containerResources, 'Job', { [`${JOB_POD}.spec.initContainers`]: init })[0]).toBe(
      `${JOB}: ${JOB_POD}.spec.initContainers[0].resources.requests.cpu`,
    );
  });

  test.each(['lots', '8 Gi', '', -1, null, Number.NaN])('%p is no quantity', (memory) => {
    expect(
      placesOf(containerResources, 'Job', { [`${JOB_CONTAINER}.resources.limits.memory`]: memory }),
    ).toEqual([`${JOB}: ${JOB_CONTAINER}.resources.limits.memory`]);
  });

  test('zero is refused, and so is a request above its limit', () => {
    expect(
      placesOf(containerResources, 'Job', { [`${JOB_CONTAINER}.resources.requests.cpu`]: 0 }),
    ).toHaveLength(1);
    expect(
      problemsOf(
        containerResources,
        sampleWith('Job', { [`${JOB_CONTAINER}.resources.requests.memory`]: '1Gi' }),
      ),
    ).toEqual([
      {
        object: JOB,
        path: `${JOB_CONTAINER}.resources.requests.memory`,
        value: '1Gi',
        rule: 'a request is at most its limit, here 512Mi',
        fix: 'lower the request or raise the limit',
      },
    ]);
  });
});

describe('TPU chips', () => {
  test('equal requests and limits pass, as number or string', () => {
    expect(problemsOf(tpuResources)).toEqual([]);
    expect(
      placesOf(tpuResources, 'RayCluster', { [`${WORKER}.resources.requests["google.com/tpu"]`]: 4 }),
    ).toEqual([]);
  });

  test('unequal, one-sided, fractional and zero chips are refused', () => {
    const place = `${RAY_CLUSTER}: ${WORKER}.resources.requests["google.com/tpu"]`;
    for (const change of [
      { [`${WORKER}.resources.requests["google.com/tpu"]`]: '2' },
      { [`${WORKER}.resources.requests["google.com/tpu"]`]: undefined },
      { [`${WORKER}.resources.limits["google.com/tpu"]`]: undefined },
      {
        [`${WORKER}.resources.requests["google.com/tpu"]`]: '0',
        [`${WORKER}.resources.limits["google.com/tpu"]`]: '0',
      },
      {
        [`${WORKER}.resources.requests["google.com/tpu"]`]: 1.5,
        [`${WORKER}.resources.limits["google.com/tpu"]`]: 1.5,
      },
    ]) {
      expect(placesOf(tpuResources, 'RayCluster', change)).toEqual([place]);
    }
  });
});

describe('users', () => {
  test('numeric users, or the image’s own, pass', () => {
    expect(problemsOf(podUsers)).toEqual([]);
    const changes = { [`${JOB_POD}.spec.securityContext`]: { runAsNonRoot: true, runAsUser: 65532 } };
    expect(placesOf(podUsers, 'Job', changes)).toEqual([]);
  });

  test('runAsNonRoot without a number is refused, as the kubelet would', () => {
    expect(
      placesOf(podUsers, 'Job', { [`${JOB_POD}.spec.securityContext`]: { runAsNonRoot: true } }),
    ).toEqual([`${JOB}: ${JOB_CONTAINER}.securityContext.runAsUser`]);
    expect(
      placesOf(podUsers, 'Job', { [`${JOB_CONTAINER}.securityContext`]: { runAsNonRoot: true } }),
    ).toHaveLength(1);
  });

  test.each([0, '1000', 1.5, -1])('user %p is refused', (runAsUser) => {
    expect(
      placesOf(podUsers, 'RayCluster', { [`${HEAD}.spec.securityContext.runAsUser`]: runAsUser }),
    ).toEqual([`${RAY_CLUSTER}: ${HEAD}.spec.securityContext.runAsUser`]);
    expect(placesOf(podUsers, 'Job', { [`${JOB_CONTAINER}.securityContext`]: { runAsUser } })).toHaveLength(
      1,
    );
  });

  test('a privileged container passes only where it is allowed', () => {
    const changes = { [`${WORKER}.securityContext`]: { privileged: true } };
    expect(placesOf(podUsers, 'RayCluster', changes)).toEqual([
      `${RAY_CLUSTER}: ${WORKER}.securityContext.privileged`,
    ]);
    expect(placesOf(podUsers, 'RayCluster', changes, { allowPrivileged: true })).toEqual([]);
  });
});

describe('environment', () => {
  test('different legal names pass', () => {
    expect(problemsOf(environmentNames)).toEqual([]);
  });

  test('a variable set twice is refused, with the first place', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(problemsOf(environmentNames, sampleWith('Job', { [`${JOB_CONTAINER}.env`]: env }))).toEqual([
      {
        object: JOB,
        path: `${JOB_CONTAINER}.env[2].name`,
        value: 'A',
        rule: 'a variable is set once, env[0] sets it already',
        fix: 'remove one of them',
      },
    ]);
  });

  test.each(['8BIT', 'A-B', 'A B', ''])('%p is no name', (name) => {
    expect(placesOf(environmentNames, 'Job', { [`${JOB_CONTAINER}.env`]: [{ name, value: '' }] })).toEqual([
      `${JOB}: ${JOB_CONTAINER}.env[0].name`,
    ]);
  });
});

describe('mounts', () => {
  test('different paths pass, also one below the other', () => {
    expect(problemsOf(mountPaths)).toEqual([]);
    const mounts = [
      { name: 'a', mountPath: '/data' },
      { name: 'b', mountPath: '/data/cache' },
    ];
    expect(placesOf(mountPaths, 'Job', { [`${JOB_CONTAINER}.volumeMounts`]: mounts })).toEqual([]);
  });

  test('two mounts on one path are refused, a closing slash makes no difference', () => {
    const mounts = [
      { name: 'a', mountPath: '/data' },
      { name: 'b', mountPath: '/data/' },
    ];
    expect(placesOf(mountPaths, 'Job', { [`${JOB_CONTAINER}.volumeMounts`]: mounts })).toEqual([
      `${JOB}: ${JOB_CONTAINER}.volumeMounts[1].mountPath`,
    ]);
  });
});
