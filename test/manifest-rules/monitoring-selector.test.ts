import { monitoringSelector } from '../../lib/manifest-rules/monitoring-selector';
import { problemsOf } from '../support/manifest-rule';
import { sampleObjects } from '../support/sample-objects';

function monitoring(name: string, namespace: string, label = 'ray.io/cluster'): object {
  return {
    apiVersion: 'monitoring.googleapis.com/v1',
    kind: 'PodMonitoring',
    metadata: { name: 'run', namespace },
    spec: { selector: { matchLabels: { [label]: name } }, endpoints: [{ port: 8080 }] },
  };
}

test.each([
  ['the RayCluster of its namespace', monitoring('run', 'train')],
  ['something else', monitoring('anything', 'other', 'app')],
])('one that selects %s passes', (_what, object) => {
  expect(problemsOf(monitoringSelector, [...sampleObjects(), object])).toEqual([]);
});

test.each([
  ['another name', monitoring('ran', 'train')],
  ['another namespace', monitoring('run', 'other')],
])('fails for one of %s', (_what, object) => {
  expect(problemsOf(monitoringSelector, [...sampleObjects(), object])).toMatchObject([
    {
      path: 'spec.selector.matchLabels["ray.io/cluster"]',
      fix: expect.stringContaining('RayCluster') as string,
    },
  ]);
});
