import { jobRestartPolicy } from '../../lib/manifest-rules/job-restart-policy';
import { operatorRefusals } from '../../lib/manifest-rules/operator-refusals';
import { tpuNodeMatch } from '../../lib/manifest-rules/tpu-node-match';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { JOB_POD, sampleWith, WORKERS } from '../support/sample-objects';

const GROUP = 'spec.workerGroupSpecs[0]';

describe('what the operator refuses after the API server took it', () => {
  test('good objects pass', () => {
    expect(problemsOf(operatorRefusals)).toEqual([]);
  });

  test.each([
    ['a head without a template', { 'spec.headGroupSpec': undefined }, 'spec.headGroupSpec.template'],
    ['a group without a name', { [`${GROUP}.groupName`]: undefined }, `${GROUP}.groupName`],
    [
      'labels for ray start',
      { [`${GROUP}.rayStartParams`]: { labels: 'a=b' } },
      `${GROUP}.rayStartParams.labels`,
    ],
    [
      'field report 60: resources given twice',
      { [`${GROUP}.rayStartParams`]: { 'num-cpus': '4' }, [`${GROUP}.resources`]: { TPU: '8' } },
      `${GROUP}.rayStartParams.num-cpus`,
    ],
    [
      'a range upside down',
      { [`${GROUP}.minReplicas`]: 3, [`${GROUP}.maxReplicas`]: 2 },
      `${GROUP}.minReplicas`,
    ],
    [
      'replicas outside the range',
      { [`${GROUP}.replicas`]: 5, [`${GROUP}.minReplicas`]: 1, [`${GROUP}.maxReplicas`]: 2 },
      `${GROUP}.replicas`,
    ],
    [
      'field report 58: the autoscaler v2 with pods that restart in place',
      {
        'spec.enableInTreeAutoscaling': true,
        'spec.autoscalerOptions': { version: 'v2' },
        [`${WORKERS}.spec.restartPolicy`]: 'Always',
      },
      `${WORKERS}.spec.restartPolicy`,
    ],
  ])('fails for %s', (_, changes, path) => {
    expect(placesOf(operatorRefusals, 'RayCluster', changes)).toContain(`${RAY_CLUSTER}: ${path}`);
  });
});

describe('a TPU pod and its nodes', () => {
  const selector = (label: string): string =>
    `${WORKERS}.spec.nodeSelector["cloud.google.com/gke-tpu-${label}"]`;

  test('good objects pass', () => {
    expect(problemsOf(tpuNodeMatch)).toEqual([]);
  });

  test('field report 26: fails for a label that no TPU node has', () => {
    expect(placesOf(tpuNodeMatch, 'RayCluster', { [selector('accelerator')]: 'trillium' })).toEqual([
      `${RAY_CLUSTER}: ${selector('accelerator')}`,
    ]);
  });

  test('fails for a generation whose topologies have other dimensions', () => {
    expect(
      problemsOf(tpuNodeMatch, sampleWith('RayCluster', { [selector('accelerator')]: 'tpu-v5p-slice' })),
    ).toEqual([
      {
        object: RAY_CLUSTER,
        path: selector('accelerator'),
        value: 'tpu-v5p-slice',
        rule: 'v5p topologies have 3 dimensions, and this pod asks for 4x4',
        fix: 'select the accelerator and the topology of one node pool',
      },
    ]);
  });

  test('field report 88: fails without the toleration of the TPU taint', () => {
    expect(placesOf(tpuNodeMatch, 'RayCluster', { [`${WORKERS}.spec.tolerations`]: undefined })).toEqual([
      `${RAY_CLUSTER}: ${WORKERS}.spec.tolerations`,
    ]);
  });
});

describe('restartPolicy of a Job', () => {
  test('good objects pass', () => {
    expect(problemsOf(jobRestartPolicy)).toEqual([]);
  });

  test.each(['Always', undefined])('fails for %p', (value) => {
    expect(placesOf(jobRestartPolicy, 'Job', { [`${JOB_POD}.spec.restartPolicy`]: value })).toEqual([
      `${JOB}: ${JOB_POD}.spec.restartPolicy`,
    ]);
  });
});
