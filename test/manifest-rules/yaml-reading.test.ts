import { Yaml } from 'cdk8s';
import * as fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { misreading } from '../../lib/kubernetes/yaml-text';
import { yamlReading } from '../../lib/manifest-rules/yaml-reading';
import { placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { sampleObjects } from '../support/sample-objects';

type Tree = string | number | boolean | readonly Tree[] | { readonly [key: string]: Tree };

/** What a reader makes of the YAML that cdk8s writes; undefined if it refuses it. */
function reread(object: Tree, version: '1.1' | '1.2'): unknown {
  const documents = parseAllDocuments(Yaml.stringify(object), { version });
  if (!Array.isArray(documents) || documents.length !== 1 || documents[0]!.errors.length > 0)
    return undefined;
  return documents[0]!.toJS() as unknown;
}

/** Texts made of what YAML gives a meaning to. */
const hostileText = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r',
        ' ',
        '\t',
        'a',
        '#',
        ':',
        '- ',
        '|',
        '>',
        '"',
        "'",
        '{',
        '}',
        '[',
        ']',
        '&',
        '*',
        '!',
        '%',
        '@',
        '`',
        ',',
        '?',
        '---',
        '...',
        '\\',
        '$',
        '<<',
        '=',
        'null',
        'é',
        '😀',
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join('')),
  fc.stringMatching(/^[-+]?0?[xobXOB]?[0-9a-f_.eE:]{0,6}$/),
  fc.constantFrom(
    'y',
    'no',
    'on',
    'true',
    'null',
    '~',
    '',
    '0755',
    '0o755',
    '08',
    '1e3',
    '1:30',
    '1_000',
    '.5',
    '.inf',
    '.nan',
    '2024-01-02',
    '=',
    '<<',
    '8Gi',
    '0X1F',
    'a\u0085b',
    'a\u2028b',
    '\u007f',
    '\ufeff',
    'a\n\tb',
    '\ta\nb',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    hostileText,
    fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
        .map((n) => (Object.is(n, -0) ? 0 : n)),
    ),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(hostileText, fc.stringMatching(/^[a-z]{1,5}$/)).filter((key) => key !== '__proto__'),
      tie('tree'),
      { maxKeys: 4 },
    ),
  ),
}));

test('a manifest that the rule passes is read back as it was, by YAML 1.1 and 1.2 readers', () => {
  let passed = 0;
  fc.assert(
    fc.property(tree, (spec) => {
      const object = { kind: 'ConfigMap', metadata: { name: 'a' }, spec };
      if (problemsOf(yamlReading, [object]).length > 0) return;
      passed += 1;
      expect(reread(object, '1.1')).toEqual(object);
      expect(reread(object, '1.2')).toEqual(object);
    }),
    { numRuns: 300, seed: 20260830 },
  );
  expect(passed).toBeGreaterThan(100);
});

test('thousands of hostile texts that the rule passes are read back as they were', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: 200, maxLength: 200 }), (texts) => {
      const args = texts.filter((text) => misreading(text) === undefined);
      expect(args.length).toBeGreaterThan(50);
      expect(reread({ args }, '1.1')).toEqual({ args });
      expect(reread({ args }, '1.2')).toEqual({ args });
    }),
    { numRuns: 20, seed: 20260830 },
  );
});

test('the sample objects are read back as they were', () => {
  expect(problemsOf(yamlReading)).toEqual([]);
  for (const object of sampleObjects()) expect(reread(object as Tree, '1.1')).toEqual(object);
});

// Each of these was read wrongly, or refused, by sigs.k8s.io/yaml 1.6.0 from what cdk8s 2.70.106 wrote.
test.each(['0o755', '-0o7', '0X1F', '0_xF', '0O4', '-0B0', '0__b0', '0_e_5_8', '+0X_2b_'])(
  'the measured trap %p: kubectl reads a number',
  (text) => {
    expect(misreading(text)).toBe('kubectl would read this text as a number');
  },
);

test.each(['a\u0085b', 'a\u2028b', 'a\u2029', '\u007f', 'x\u009fy', 'a\ufffe', '\ud800'])(
  'the measured trap %j does not survive',
  (text) => {
    expect(misreading(text)).toMatch(/^the character U\+[0-9A-F]{4} does not survive YAML$/);
  },
);

test.each(['\t|\n', '\n\ta', '\t{\n}null\n&', '\ta: 1\nb', '\n \n', ' \n', ' \n\t\n'])(
  'the measured trap %j: readers refuse the block',
  (text) => {
    expect(misreading(text)).toBe('YAML readers refuse a block of lines that begins with a tab or is blank');
  },
);

test.each([
  '4',
  '0755',
  '08',
  '1e3',
  'y',
  'no',
  'on',
  'true',
  'null',
  '~',
  '',
  '2024-01-02',
  '1:30',
  '0x1F',
  '1_000',
  '=',
  '<<',
  '8Gi',
  '_5',
  'a\n\tb',
  ' a\nb',
  '\u0007',
  'é😀',
  '-',
  '+',
  '.',
  '1.2.3',
  '0o9',
  '0xZ',
])('%j is written so that it is read as text', (text) => {
  expect(misreading(text)).toBeUndefined();
});

test('values, keys and a merge key are named by their path', () => {
  const changes = { 'metadata.labels': { mode: '0o755' }, 'spec.extra': { '0o7': 'a', '<<': 'b' } };
  expect(placesOf(yamlReading, 'RayCluster', changes)).toEqual([
    `${RAY_CLUSTER}: metadata.labels.mode`,
    `${RAY_CLUSTER}: spec.extra`,
    `${RAY_CLUSTER}: spec.extra`,
  ]);
});

test('field report 81: long lines, trailing blanks, CRLF and tabs inside a script are read back as they were', () => {
  for (const script of [
    `python -c '${'x'.repeat(400)} y'\n`,
    'a  \nb\t\n',
    'a\r\nb\r\n',
    'if x:\n\ty\n',
    '#!/bin/sh\n\n\n',
  ]) {
    const object = { kind: 'ConfigMap', metadata: { name: 'a' }, data: { 'run.sh': script } };
    expect(problemsOf(yamlReading, [object])).toEqual([]);
    expect(reread(object, '1.1')).toEqual(object);
  }
  expect(Yaml.stringify({ data: { s: `${'word '.repeat(80)}\nend\n` } })).toContain(
    `|\n    ${'word '.repeat(80)}\n`,
  );
});
