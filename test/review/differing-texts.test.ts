import { differingTexts } from '../../lib/review/differing-texts';

const LONG = 'a'.repeat(100);

test.each([
  ['short values', 1, undefined, ['1', 'none']],
  [
    'the value of a flag',
    ['--a', '1', '--b', '2', '--c'],
    ['--a', '1', '--b', '3', '--c'],
    ['--b 2', '--b 3'],
  ],
  ['a flag more', ['--a', '1'], ['--a', '1', '--b', '2'], ['none', '--b 2']],
  ['two places', ['x', 'k', 'y'], ['X', 'k', 'Y'], ['x y', 'X Y']],
  ['the end of a long text', `${LONG}x`, `${LONG}y`, [`…${'a'.repeat(16)}x`, `…${'a'.repeat(16)}y`]],
  ['the beginning of a long text', `x${LONG}`, `y${LONG}`, [`x${'a'.repeat(79)}…`, `y${'a'.repeat(79)}…`]],
  ['lists of other values', [1, 2], [1, 3], ['[1,2]', '[1,3]']],
])('%s', (_what, before, after, texts) => {
  expect(differingTexts(before, after)).toEqual(texts);
});
