import fc from 'fast-check';
import { PLATFORM_YAML, RUN_YAML, printed, readProject } from '../support/config-project';

/** Pieces that break a YAML text in the ways in which texts are broken by hand. */
const PIECES = [
  '\t',
  ':',
  '- ',
  '"',
  "'",
  '{',
  '[',
  '&a ',
  '*a',
  '!!x ',
  '#',
  '\n',
  '  ',
  'null',
  '0',
  '-1',
  '1e999',
  '.nan',
  '${X}',
  '\u0000',
  '\u2028',
  'true',
  'gs://',
];

const position = fc.double({ min: 0, max: 1, noNaN: true });

/** One change of a text: something put in, a line left out, doubled or moved, or a value replaced. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: position, piece: fc.constantFrom(...PIECES) }),
  fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const, 'indent' as const), at: position }),
  fc.record({
    kind: fc.constant('value' as const),
    at: position,
    piece: fc.constantFrom(...PIECES, '[]', '{}', '[1, {a: b}]'),
  }),
);

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(text: string, one: Change): string {
  const lines = text.split('\n');
  const index = Math.floor(one.at * (lines.length - 1));
  const line = lines[index] ?? '';
  switch (one.kind) {
    case 'insert': {
      const offset = Math.floor(one.at * text.length);
      return text.slice(0, offset) + one.piece + text.slice(offset);
    }
    case 'drop':
      return lines.filter((_, other) => other !== index).join('\n');
    case 'double':
      return [...lines.slice(0, index), line, ...lines.slice(index)].join('\n');
    case 'indent':
      return [...lines.slice(0, index), ` ${line}`, ...lines.slice(index + 1)].join('\n');
    case 'value':
      return [
        ...lines.slice(0, index),
        line.replace(/:.*$/, `: ${one.piece}`),
        ...lines.slice(index + 1),
      ].join('\n');
  }
}

test('200 broken projects: either they are read, or every Problem is complete and readable', () => {
  let refused = 0;
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), (changes, platform) => {
      const text = changes.reduce(changed, platform ? PLATFORM_YAML : RUN_YAML);
      const { problems, runs } = platform ? readProject(text) : readProject(PLATFORM_YAML, { train: text });
      if (problems.length === 0) {
        expect(runs).toHaveLength(1);
        return;
      }
      refused++;
      for (const { file, rule, fix } of problems) {
        expect(file).not.toBe('');
        expect(rule).not.toBe('');
        expect(fix).not.toBe('');
      }
      const message = printed(problems);
      expect(message).not.toMatch(/undefined|\[object |\bat .*\.(ts|js):\d/);
      expect(message.split('\n').length).toBe(problems.length * 4);
    }),
    // The same texts every time: a suite that fails now and then helps nobody.
    { numRuns: 200, seed: 20261130 },
  );
  expect(refused).toBeGreaterThan(80);
});
