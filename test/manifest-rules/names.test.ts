import { names } from '../../lib/manifest-rules/names';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { sampleWith, WORKERS } from '../support/sample-objects';

test('legal names of every kind pass', () => {
  expect(problemsOf(names)).toEqual([]);
});

test('field report 73: a RayCluster name that begins with a digit is refused, not prefixed', () => {
  const [problem] = problemsOf(names, sampleWith('RayCluster', { 'metadata.name': '8b-run' }));
  expect(problem).toEqual({
    object: 'RayCluster train/8b-run',
    path: 'metadata.name',
    value: '8b-run',
    rule: 'a name here consists of lower-case letters, digits and -, beginning with a letter and not ending with -',
    fix: 'choose another name: nothing is cut or replaced',
  });
});

test('field report 74: underscores, capitals and over-long names are refused for every kind', () => {
  expect(placesOf(names, 'ConfigMap', { 'metadata.name': 'Submit_Job' })).toEqual([
    'ConfigMap train/Submit_Job: metadata.name',
  ]);
  expect(placesOf(names, 'Job', { 'metadata.name': 'a.b' })).toEqual(['Job train/a.b: metadata.name']);
  expect(placesOf(names, 'Job', { 'metadata.name': 'j'.repeat(64) })).toHaveLength(1);
  expect(placesOf(names, 'ServiceAccount', { 'metadata.name': 's'.repeat(254) })).toHaveLength(1);
  expect(placesOf(names, 'Role', { 'metadata.name': 'a/b' })).toEqual(['Role train/a/b: metadata.name']);
  expect(placesOf(names, 'ConfigMap', { 'metadata.namespace': 'Train' })).toEqual([
    'ConfigMap Train/sources: metadata.namespace',
  ]);
});

test('kinds differ: what a ConfigMap may be called, a Job may not', () => {
  expect(placesOf(names, 'ConfigMap', { 'metadata.name': '8b.sources' })).toEqual([]);
  expect(placesOf(names, 'ConfigMap', { 'metadata.name': 's'.repeat(253) })).toEqual([]);
  expect(placesOf(names, 'Role', { 'metadata.name': 'system:finish' })).toEqual([]);
  expect(placesOf(names, 'Job', { 'metadata.name': '8b-run' })).toEqual([]);
});

test('the limits of a RayCluster are 41 characters with multi-host groups and 53 without', () => {
  const of = (length: number, numOfHosts: number): string[] =>
    placesOf(names, 'RayCluster', {
      'metadata.name': 'r'.repeat(length),
      'spec.workerGroupSpecs[0].numOfHosts': numOfHosts,
    });
  expect([of(41, 4), of(53, 1)]).toEqual([[], []]);
  expect([of(42, 4), of(54, 1)].map((places) => places.length)).toEqual([1, 1]);
});

test('a RayJob and a CronJob leave room for what is made from them', () => {
  const of = (kind: string, length: number): number =>
    problemsOf(names, [{ kind, metadata: { name: 'n'.repeat(length) }, spec: {} }]).length;
  expect([of('RayJob', 47), of('RayJob', 48), of('CronJob', 52), of('CronJob', 53)]).toEqual([0, 1, 0, 1]);
});

test('a group name leaves room for the indexes of a host name', () => {
  const longest = 'g'.repeat(59);
  expect(placesOf(names, 'RayCluster', { 'spec.workerGroupSpecs[0].groupName': longest })).toEqual([]);
  expect(placesOf(names, 'RayCluster', { 'spec.workerGroupSpecs[0].groupName': `${longest}g` })).toEqual([
    `${RAY_CLUSTER}: spec.workerGroupSpecs[0].groupName`,
  ]);
});

test('an object without a fixed name is refused', () => {
  expect(placesOf(names, 'Job', { 'metadata.name': undefined })).toEqual(['Job train/: metadata.name']);
});

test('names inside pods and keys of ConfigMaps are checked', () => {
  expect(placesOf(names, 'RayCluster', { [`${WORKERS}.spec.containers[0].name`]: 'ray_worker' })).toEqual([
    `${RAY_CLUSTER}: ${WORKERS}.spec.containers[0].name`,
  ]);
  expect(placesOf(names, 'RayCluster', { [`${WORKERS}.spec.volumes[1].name`]: 'Shared' })).toEqual([
    `${RAY_CLUSTER}: ${WORKERS}.spec.volumes[1].name`,
  ]);
  const ports = [
    { name: 'a-name-too-long-x', containerPort: 1 },
    { name: '8080', containerPort: 2 },
    { name: 'p-1', containerPort: 3 },
  ];
  expect(placesOf(names, 'Job', { 'spec.template.spec.containers[0].ports': ports })).toEqual([
    `${JOB}: spec.template.spec.containers[0].ports[0].name`,
    `${JOB}: spec.template.spec.containers[0].ports[1].name`,
  ]);
  expect(placesOf(names, 'ConfigMap', { data: { 'a/b.py': '' } })).toEqual(['ConfigMap train/sources: data']);
});
