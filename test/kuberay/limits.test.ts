import {
  MULTI_HOST_RAY_CLUSTER_NAME_MAX,
  MULTI_HOST_RAY_JOB_NAME_MAX,
  RAY_CLUSTER_NAME_MAX,
  RAY_JOB_NAME_MAX,
  tpuGroupNameMax,
} from '../../lib/kuberay/limits';

test('name limits are those KubeRay and the TPU webhook state', () => {
  expect([RAY_CLUSTER_NAME_MAX, RAY_JOB_NAME_MAX]).toEqual([53, 47]);
  expect([MULTI_HOST_RAY_CLUSTER_NAME_MAX, MULTI_HOST_RAY_JOB_NAME_MAX]).toEqual([41, 35]);
});

test.each([
  [1, 1],
  [2, 4],
  [11, 64],
  [101, 1536],
])(
  'the longest group name of %d replicas of %d hosts makes host names of exactly 63 characters',
  (replicas, numOfHosts) => {
    const group = 'g'.repeat(tpuGroupNameMax(replicas, numOfHosts));
    expect(`${group}-${replicas - 1}-${numOfHosts - 1}`).toHaveLength(63);
  },
);
