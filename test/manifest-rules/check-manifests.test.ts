import { ApiObject, Chart, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import { checkManifests, manifestProblemText, manifestValidation } from '../../lib/manifest-rules';
import { pathText } from '../../lib/problems';
import { sampleObjects, sampleWith, WORKERS } from '../support/sample-objects';

const OPTIONS = { kubeRayVersion: '1.7.0' } as const;

test('the sample objects break no rule', () => {
  expect(checkManifests(sampleObjects(), OPTIONS)).toEqual([]);
});

test('objects of no shape at all are no reason to crash', () => {
  const shapeless = [
    {},
    null,
    undefined,
    7,
    'text',
    [],
    { kind: 'RayCluster', spec: { workerGroupSpecs: 'x', headGroupSpec: 1 } },
  ];
  expect(checkManifests(shapeless, OPTIONS).length).toBeGreaterThan(0);
});

test('all Problems of all rules come at once, each with object, path, value, rule and fix', () => {
  const objects = sampleWith('RayCluster', {
    'metadata.name': '8b-run',
    'spec.workerGroupSpecs[0].numOfHosts': 0,
    [`${WORKERS}.spec.containers[0].resources.limits["google.com/tpu"]`]: '8',
  });
  const problems = checkManifests(objects, OPTIONS);
  expect(problems.map(({ object, path }) => `${object}: ${pathText(path)}`)).toEqual([
    'RayCluster train/8b-run: metadata.name',
    'RayCluster train/8b-run: spec.workerGroupSpecs[0].numOfHosts',
    'RayCluster train/8b-run: spec.workerGroupSpecs[0].numOfHosts',
    `RayCluster train/8b-run: ${WORKERS}.spec.containers[0].resources.requests["google.com/tpu"]`,
  ]);
  for (const { rule, fix } of problems) {
    expect(rule).toMatch(/[^.]$/);
    expect(fix).toMatch(/^[a-z].*[^.]$/);
  }
});

test('a Problem is one line for a person', () => {
  const [problem] = checkManifests(
    sampleWith('RayCluster', { 'spec.workerGroupSpecs[0].numOfHosts': 0 }),
    OPTIONS,
  ).filter(({ id }) => id === 'NUM_OF_HOSTS_MISSING');
  expect(manifestProblemText(problem!)).toBe(
    'RayCluster train/run: spec.workerGroupSpecs[0].numOfHosts is 0: every worker group states numOfHosts, a whole number of at least 1; set it to the hosts of a slice [NUM_OF_HOSTS_MISSING]',
  );
  expect(manifestProblemText({ ...problem!, value: undefined })).toContain('numOfHosts is missing: ');
  expect(manifestProblemText({ ...problem!, value: Number.NaN })).toContain('numOfHosts is NaN: ');
  expect(manifestProblemText({ ...problem!, value: 1n })).toContain('numOfHosts is a bigint: ');
  expect(manifestProblemText({ ...problem!, value: { spec: 'x'.repeat(1000) } }).length).toBeLessThan(400);
});

test('as a validation the rules stop the synthesis and name the object', () => {
  const app = Testing.app({ outdir: 'unused' });
  const chart = new Chart(app, 'chart');
  new ApiObject(new Construct(chart, 'Nested'), 'Code', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'Not_A_Name', namespace: 'train' },
  });
  const objects = (): unknown[] =>
    app.node
      .findAll()
      .filter((construct) => ApiObject.isApiObject(construct))
      .map((object): unknown => object.toJson());
  app.node.addValidation(manifestValidation(objects, OPTIONS));
  expect(() => Testing.synth(chart) as unknown).toThrow(
    'ConfigMap train/Not_A_Name: metadata.name is "Not_A_Name"',
  );
});

test('two hundred RayClusters are no more of a problem than one', () => {
  const cluster = sampleObjects().filter((object) => object.kind === 'RayCluster');
  const many = Array.from({ length: 200 }, (_, index) => {
    const copy = structuredClone(cluster[0]!);
    copy['metadata'] = { name: `run-${index}`, namespace: 'train' };
    return copy;
  });
  const rest = sampleObjects().filter((object) => object.kind !== 'RayCluster');
  expect(checkManifests([...rest, ...many], OPTIONS)).toEqual([]);
});
