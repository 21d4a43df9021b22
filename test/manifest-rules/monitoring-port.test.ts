import { monitoringPort } from '../../lib/manifest-rules/monitoring-port';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { problemsOf } from '../support/manifest-rule';
import { renderProject } from '../support/render-project';
import { sampleObjects, sampleWith, type Json } from '../support/sample-objects';

function monitoring(port: Json, labels: Record<string, string> = { 'ray.io/cluster': 'run' }): object {
  return {
    apiVersion: 'monitoring.googleapis.com/v1',
    kind: 'PodMonitoring',
    metadata: { name: 'run', namespace: 'train' },
    spec: { selector: { matchLabels: labels }, endpoints: [{ port }] },
  };
}

const PARAMETERS = 'spec.workerGroupSpecs[0].rayStartParams';
const WORKER = 'spec.workerGroupSpecs[0].template.spec.containers[0]';
const MOVED = { [PARAMETERS]: { 'metrics-export-port': '8082' } };
const DECLARED = { ...MOVED, [`${WORKER}.ports`]: [{ name: 'metrics', containerPort: 8082 }] };

test.each<[string, Json, Record<string, Json>]>([
  ["KubeRay's port by its name", 'metrics', {}],
  ["Ray's port by its number", 8080, {}],
  ['a port that is moved and declared, by its name', 'metrics', DECLARED],
])('A15: %s is read on every pod', (_what, port, changes) => {
  expect(problemsOf(monitoringPort, [...sampleWith('RayCluster', changes), monitoring(port)])).toEqual([]);
});

test.each<[string, Json, Record<string, Json>, string]>([
  ['a number that workers do not have', 8080, DECLARED, 'listens on it nowhere'],
  ['a number that heads do not have', 8082, DECLARED, 'listens on it nowhere'],
  ['a port that is moved and not declared', 'metrics', MOVED, 'has it at 8080, while Ray exports on 8082'],
  ['a name that nothing has', 'metric', {}, 'has no port of this name'],
])('A15: fails for %s', (_what, port, changes, rule) => {
  const problems = problemsOf(monitoringPort, [...sampleWith('RayCluster', changes), monitoring(port)]);
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) {
    expect(problem.path).toBe('spec.endpoints[0].port');
    expect(problem.rule).toContain(rule);
  }
});

test('A15: it looks at the pods that are selected, by any label', () => {
  const workers = { 'ray.io/cluster': 'run', 'ray.io/node-type': 'worker' };
  const heads = { ...workers, 'ray.io/node-type': 'head' };
  const objects = sampleWith('RayCluster', DECLARED);
  expect(problemsOf(monitoringPort, [...objects, monitoring(8082, workers)])).toEqual([]);
  expect(problemsOf(monitoringPort, [...objects, monitoring(8082, heads)])).toHaveLength(1);
  expect(problemsOf(monitoringPort, [...sampleObjects(), monitoring('x', { app: 'none' })])).toEqual([]);
});

test.each([1, 2])('A15: a run of %s slices that is monitored has its port on every pod', (slices) => {
  const run = edited(
    RUN_YAML,
    ['image:', 'monitoring: true\nimage:'],
    ['topology: 4x4', `topology: 4x4\n  slices: ${String(slices)}`],
    ['      fsdp: 16', `      fsdp: 16\n    dcn:\n      data: ${String(slices)}`],
  );
  const { objects } = renderProject(PLATFORM_YAML, { train: run });
  expect(objects.map(({ kind }) => kind)).toContain('PodMonitoring');
  expect(problemsOf(monitoringPort, objects)).toEqual([]);
});
