import fc from 'fast-check';
import { isGkeVersionAtLeast, parseGkeVersion } from '../../lib/kubernetes/gke-version';

test('a full version is four numbers', () => {
  expect(parseGkeVersion('1.35.2-gke.1842000')).toEqual([1, 35, 2, 1_842_000]);
});

test.each([
  '1.35',
  '1.35.2',
  '1.35.2-gke',
  '1.35.2-gke.',
  'v1.35.2-gke.1',
  '1.35.2-gke.1 ',
  'latest',
  '1.35-gke.1',
])("'%s' is no full version", (text) => {
  expect(parseGkeVersion(text)).toBeUndefined();
});

test('field report 66: versions are compared number by number, build included', () => {
  expect(isGkeVersionAtLeast('1.34.10-gke.1', '1.34.9-gke.9999999')).toBe(true);
  expect(isGkeVersionAtLeast('1.34.9-gke.9999999', '1.34.10-gke.1')).toBe(false);
  expect(isGkeVersionAtLeast('1.34.1-gke.1500000', '1.34.1-gke.1829001')).toBe(false);
  expect(isGkeVersionAtLeast('1.34.1-gke.1829001', '1.34.1-gke.1829001')).toBe(true);
  expect(isGkeVersionAtLeast('1.9.0-gke.1', '1.10.0-gke.1')).toBe(false);
  expect(isGkeVersionAtLeast('2.0.0-gke.1', '1.99.0-gke.1')).toBe(true);
});

test('two versions are ordered one way, both ways only when equal', () => {
  const part = fc.nat({ max: 20 });
  const version = fc
    .tuple(part, part, part, part)
    .map(([a, b, c, d]) => `${String(a)}.${String(b)}.${String(c)}-gke.${String(d)}`);
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isGkeVersionAtLeast(a, b) && isGkeVersionAtLeast(b, a)).toBe(a === b);
      expect(isGkeVersionAtLeast(a, b) || isGkeVersionAtLeast(b, a)).toBe(true);
    }),
  );
});

test('fails for a text that is no version, on either side', () => {
  const message = "'1.35' is no GKE version: a GKE version is written in full, as in 1.35.2-gke.1842000";
  expect(() => isGkeVersionAtLeast('1.35', '1.35.2-gke.1')).toThrow(message);
  expect(() => isGkeVersionAtLeast('1.35.2-gke.1', '1.35')).toThrow(message);
});
