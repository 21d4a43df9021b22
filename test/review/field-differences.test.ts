import { fieldDifferences } from '../../lib/review/field-differences';

test('equal values have no differences', () => {
  const value = { a: [{ name: 'x', b: 1 }], c: null };
  expect(fieldDifferences(value, structuredClone(value))).toEqual([]);
});

test('items of a list are compared by name, whatever their order', () => {
  const before = {
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  };
  const after = {
    env: [
      { name: 'B', value: '3' },
      { name: 'C', value: '4' },
      { name: 'A', value: '1' },
    ],
  };
  expect(fieldDifferences(before, after)).toEqual([
    { path: 'env[B].value', before: '2', after: '3' },
    { path: 'env[C]', before: undefined, after: { name: 'C', value: '4' } },
  ]);
});

test('items without names of their own are compared by number', () => {
  expect(fieldDifferences([{ name: 'a' }, { name: 'a' }], [{ name: 'a' }, { name: 'b' }])).toEqual([
    { path: '[1].name', before: 'a', after: 'b' },
  ]);
});

test('a list of plain values is one value', () => {
  expect(fieldDifferences({ args: ['a', 'b'] }, { args: ['a', 'c'] })).toEqual([
    { path: 'args', before: ['a', 'b'], after: ['a', 'c'] },
  ]);
  expect(fieldDifferences({ args: ['a'] }, { args: ['a'] })).toEqual([]);
});

test('what is absent on one side differs as a whole', () => {
  expect(fieldDifferences({}, { spec: { a: 1 } })).toEqual([
    { path: 'spec', before: undefined, after: { a: 1 } },
  ]);
});
