import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  compareKubeRayVersions,
  KUBERAY_VERSIONS,
  kubeRayVersionsFrom,
  NEWEST_KUBERAY_VERSION,
  parseKubeRayVersion,
} from '../../lib/kuberay/versions';

test('every known version has its CRD, and every CRD is of a known version', () => {
  const vendored = readdirSync(join(__dirname, '..', '..', 'imports', 'crds')).sort();
  expect(vendored).toEqual([...KUBERAY_VERSIONS]);
  expect(KUBERAY_VERSIONS[KUBERAY_VERSIONS.length - 1]).toBe(NEWEST_KUBERAY_VERSION);
});

test('a patch release has the fields of its minor version', () => {
  expect(parseKubeRayVersion('1.5.2')).toBe('1.5.0');
  expect(parseKubeRayVersion('v1.7.0')).toBe('1.7.0');
});

test.each(['1.3.0', '1.8.0', '1.5', '', '1.5.0-rc.1', 'latest', '11.5.0', '1.5.0.0'])(
  'fails to parse %p',
  (text) => {
    expect(parseKubeRayVersion(text)).toBeUndefined();
  },
);

test('versions compare by age', () => {
  expect(compareKubeRayVersions('1.4.0', '1.7.0')).toBeLessThan(0);
  expect(compareKubeRayVersions('1.6.0', '1.5.0')).toBeGreaterThan(0);
  expect(compareKubeRayVersions('1.5.0', '1.5.0')).toBe(0);
  expect(kubeRayVersionsFrom('1.6.0')).toEqual(['1.6.0', '1.7.0']);
});
