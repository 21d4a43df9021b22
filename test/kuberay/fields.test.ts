import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POD_TEMPLATE_FIELDS, RAY_CLUSTER_FIELDS } from '../../lib/kuberay/fields.generated';
import { generateFields } from '../../scripts/generate-fields';

const ROOT = join(__dirname, '..', '..');

test('the table is what its generator makes of the CRDs', () => {
  expect(readFileSync(join(ROOT, 'lib', 'kuberay', 'fields.generated.ts'), 'utf8')).toBe(
    generateFields(ROOT),
  );
});

test.each([
  ['spec.workerGroupSpecs[].resources', '1.5.0'],
  ['spec.headGroupSpec.labels', '1.5.0'],
  ['spec.authOptions', '1.6.0'],
  ['spec.upgradeStrategy', '1.6.0'],
  ['spec.workerGroupSpecs[].priority', '1.7.0'],
  ['spec.networkPolicy', '1.7.0'],
])('%s came with KubeRay %s, as its release notes say', (path, since) => {
  expect(RAY_CLUSTER_FIELDS[path]).toEqual({ since });
});

test('fields that every known release has, and the insides of a new field, are not listed', () => {
  expect(Object.keys(RAY_CLUSTER_FIELDS)).not.toContain('spec.workerGroupSpecs[].numOfHosts');
  expect(Object.keys(RAY_CLUSTER_FIELDS)).not.toContain('spec.authOptions.mode');
});

test('a pod field that came and went carries both versions', () => {
  expect(POD_TEMPLATE_FIELDS['spec.workloadRef']).toEqual({ since: '1.6.0', removed: '1.7.0' });
});
