import { KUBERAY_VERSIONS } from '../../lib/kuberay/versions';
import { rayClusterSchemaProblems } from './crd-schema';

/** A RayCluster with one fault, or none: `change` edits a fresh valid one. */
function rayCluster(change: (cluster: MutableCluster) => void = () => undefined): MutableCluster {
  const cluster: MutableCluster = {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'run', labels: { anything: 'goes' } },
    spec: {
      rayVersion: '2.60.0',
      headGroupSpec: {
        rayStartParams: {},
        template: {
          spec: { containers: [{ name: 'head', resources: { limits: { cpu: 4, memory: '8Gi' } } }] },
        },
      },
    },
  };
  change(cluster);
  return cluster;
}

interface MutableCluster {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec: {
    [field: string]: unknown;
    headGroupSpec: {
      [field: string]: unknown;
      template: { spec: { [field: string]: unknown; containers: Record<string, unknown>[] } };
    };
  };
}

describe.each(KUBERAY_VERSIONS)('KubeRay %s', (version) => {
  test('accepts a valid RayCluster', () => {
    expect(rayClusterSchemaProblems(rayCluster(), version)).toEqual([]);
  }, 60_000);

  test('refuses an unknown field at any depth', () => {
    const atTop = rayCluster((cluster) => (cluster.spec['workerGroups'] = []));
    expect(rayClusterSchemaProblems(atTop, version)).toEqual(["/spec has an unknown field 'workerGroups'"]);
    const inContainer = rayCluster(
      (cluster) => (cluster.spec.headGroupSpec.template.spec.containers[0]!['enviroment'] = []),
    );
    expect(rayClusterSchemaProblems(inContainer, version)).toEqual([
      "/spec/headGroupSpec/template/spec/containers/0 has an unknown field 'enviroment'",
    ]);
  });

  test('refuses a wrong type', () => {
    const number = rayCluster((cluster) => (cluster.spec['rayVersion'] = 2));
    expect(rayClusterSchemaProblems(number, version)).toEqual(['/spec/rayVersion must be string, got 2']);
    const parameter = rayCluster(
      (cluster) => (cluster.spec.headGroupSpec['rayStartParams'] = { 'num-cpus': 0 }),
    );
    expect(rayClusterSchemaProblems(parameter, version)).toEqual([
      '/spec/headGroupSpec/rayStartParams/num-cpus must be string, got 0',
    ]);
  });

  test('refuses a null', () => {
    const quantity = rayCluster(
      (cluster) =>
        (cluster.spec.headGroupSpec.template.spec.containers[0]!['resources'] = {
          limits: { 'google.com/tpu': null },
        }),
    );
    expect(rayClusterSchemaProblems(quantity, version).join('\n')).toContain(
      '/spec/headGroupSpec/template/spec/containers/0/resources/limits/google.com~1tpu must be',
    );
  });

  test('refuses a missing spec and a missing required field', () => {
    const { spec: _spec, ...withoutSpec } = rayCluster();
    expect(rayClusterSchemaProblems(withoutSpec, version)).toEqual(["/ must have required property 'spec'"]);
    const withoutGroup = rayCluster(
      (cluster) => (cluster.spec['workerGroupSpecs'] = [{ minReplicas: 1, maxReplicas: 1, template: {} }]),
    );
    expect(rayClusterSchemaProblems(withoutGroup, version)).toEqual([
      "/spec/workerGroupSpecs/0 must have required property 'groupName'",
    ]);
  });
});

test('a field is known from its release on', () => {
  const strategy = rayCluster((cluster) => (cluster.spec['upgradeStrategy'] = { type: 'Recreate' }));
  expect(rayClusterSchemaProblems(strategy, '1.5.0')).toEqual([
    "/spec has an unknown field 'upgradeStrategy'",
  ]);
  expect(rayClusterSchemaProblems(strategy, '1.6.0')).toEqual([]);
});
