import { RayMonitoring } from '../../lib/constructs';
import type { RayMonitoringProps } from '../../lib/constructs';
import { renderProject } from '../support/render-project';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { newChart, objectsOf } from '../support/constructs';

const LEAST: RayMonitoringProps = { name: 'train', namespace: 'training', rayClusterName: 'train' };

const EVERY_PROP: Required<RayMonitoringProps> = { ...LEAST, intervalSeconds: 60 };

function rendered(props: RayMonitoringProps): unknown {
  const { chart } = newChart();
  new RayMonitoring(chart, 'monitoring', props);
  return objectsOf(chart)[0];
}

test('with what it needs at least: one endpoint for all pods of the RayCluster', () => {
  expect(rendered(LEAST)).toEqual({
    apiVersion: 'monitoring.googleapis.com/v1',
    kind: 'PodMonitoring',
    metadata: {
      name: 'train',
      namespace: 'training',
      labels: { 'app.kubernetes.io/managed-by': 'cdk8s-tpu-ray', 'app.kubernetes.io/instance': 'train' },
    },
    spec: {
      selector: { matchLabels: { 'ray.io/cluster': 'train' } },
      endpoints: [{ port: 'metrics', path: '/metrics', interval: '30s' }],
      targetLabels: {
        fromPod: [
          { from: 'ray.io/cluster', to: 'ray_cluster' },
          { from: 'ray.io/node-type', to: 'ray_node_type' },
          { from: 'ray.io/group', to: 'ray_group' },
        ],
      },
    },
  });
});

test('with all props', () => {
  expect(rendered(EVERY_PROP)).toMatchObject({ spec: { endpoints: [{ interval: '60s' }] } });
});

test.each([0, 1.5, NaN])('fails for readings %s seconds apart', (intervalSeconds) => {
  expect(() => rendered({ ...LEAST, intervalSeconds })).toThrow(
    `intervalSeconds: ${String(intervalSeconds)}: a whole number from 1 to 2147483647; use 1 or more, without a fraction`,
  );
});

test('a run has it when it says so, and changes neither its Job nor its RayCluster by it', () => {
  const kinds = (run: string): string[] =>
    renderProject(PLATFORM_YAML, { train: run }).objects.map(({ kind }) => String(kind));
  const job = (run: string): unknown =>
    renderProject(PLATFORM_YAML, { train: run }).objects.filter(
      ({ kind }) => kind === 'Job' || kind === 'RayCluster',
    );
  const watched = edited(RUN_YAML, ['image:', 'monitoring: true\nimage:']);
  expect(kinds(RUN_YAML)).not.toContain('PodMonitoring');
  expect(kinds(edited(RUN_YAML, ['image:', 'monitoring: false\nimage:']))).not.toContain('PodMonitoring');
  expect(kinds(watched)).toContain('PodMonitoring');
  expect(job(watched)).toEqual(job(RUN_YAML));
});
