import { fieldNames } from '../../lib/manifest-rules/field-names';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { JOB_POD, sampleWith, WORKERS } from '../support/sample-objects';

const GROUP = 'spec.workerGroupSpecs[0]';

describe('names of fields', () => {
  test('known fields pass, and so do keys of maps', () => {
    expect(problemsOf(fieldNames)).toEqual([]);
    expect(
      placesOf(fieldNames, 'RayCluster', { [`${WORKERS}.spec.nodeSelector.numOfHost`]: 'anything' }),
    ).toEqual([]);
  });

  test('a misspelling names what was meant', () => {
    expect(problemsOf(fieldNames, sampleWith('RayCluster', { [`${GROUP}.numOfHost`]: 4 }))).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${GROUP}.numOfHost`,
        value: 4,
        rule: 'no known KubeRay release has this field, and numOfHosts is spelt almost so',
        fix: 'write numOfHosts, or remove it',
      },
    ]);
  });

  test.each([
    ['RayCluster', 'spec.enableInTreeAutoscalling', RAY_CLUSTER],
    ['RayCluster', `${WORKERS}.spec.nodeSelectors`, RAY_CLUSTER],
    ['RayCluster', `${WORKERS}.spec.containers[0].resources.limit`, RAY_CLUSTER],
    ['RayCluster', `${WORKERS}.spec.volumes[1].emptyDir.sizelimit`, RAY_CLUSTER],
    ['Job', `${JOB_POD}.spec.restartPolicies`, JOB],
    ['Job', `${JOB_POD}.spec.containers[0].volumeMount`, JOB],
  ])('%s %s is a misspelling', (kind, path, object) => {
    expect(placesOf(fieldNames, kind, { [path]: 'x' })).toEqual([`${object}: ${path}`]);
  });

  test('a field unlike every known one passes, as a newer release may have it', () => {
    expect(placesOf(fieldNames, 'RayCluster', { 'spec.quorumPolicy': 'Strict' })).toEqual([]);
  });
});
