import fc from 'fast-check';
import { parseQuantity } from '../../lib/kubernetes/quantity';

test.each([
  ['0', 0],
  ['8', 8],
  ['500m', 0.5],
  ['1.5', 1.5],
  ['16Gi', 16 * 2 ** 30],
  ['200G', 200e9],
  ['1k', 1000],
  ['1Ki', 1024],
  ['2T', 2e12],
  ['1Pi', 2 ** 50],
])("'%s' is %d", (text, value) => {
  expect(parseQuantity(text)).toBeCloseTo(value, 6);
});

test.each([
  '',
  ' 8',
  '8 ',
  '-1',
  '+1',
  '.',
  'e3',
  '1e',
  '1e1000',
  '16GB',
  '16gi',
  '16 Gi',
  '1,5',
  'Gi',
  '0x10',
  '８',
])("'%s' is no quantity", (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

test.each([
  ['200e9', 200e9],
  ['200E9', 200e9],
  ['1.5e3', 1500],
  ['5e-1', 0.5],
  ['.5', 0.5],
  ['5.', 5],
  ['1E', 1e18],
  ['1Ei', 2 ** 60],
])('C6: %s is the quantity %s, as Kubernetes reads it', (text, value) => {
  expect(parseQuantity(text)).toBe(value);
});

test('a number without suffix is itself', () => {
  fc.assert(
    fc.property(fc.nat(), (number) => {
      expect(parseQuantity(String(number))).toBe(number);
    }),
  );
});

test('binary suffixes grow by 1024, decimal ones by 1000', () => {
  for (const [suffixes, factor] of [
    [['Ki', 'Mi', 'Gi', 'Ti', 'Pi'], 1024],
    [['k', 'M', 'G', 'T', 'P'], 1000],
  ] as const) {
    const values = suffixes.map((suffix) => parseQuantity(`1${suffix}`) ?? 0);
    values.forEach((value, index) => {
      expect(value).toBe(factor ** (index + 1));
    });
  }
});
