import {
  PLATFORM_YAML,
  RUN_YAML,
  edited,
  placesOfProblems,
  printed,
  problemsOfProject,
  readProject,
} from '../support/config-project';

function problemsOfText(text: string): ReturnType<typeof problemsOfProject> {
  return problemsOfProject(PLATFORM_YAML, { train: text });
}

test('the sample project has no Problems', () => {
  expect(readProject()).toMatchObject({ problems: [], runs: [{ name: 'train' }] });
});

describe('numbers that are none, or that are not held exactly', () => {
  const said = (from: string, to: string): string =>
    printed(problemsOfText(edited(RUN_YAML, [from, to])))
      .split('\n')
      .map((line) => line.trim())
      .join(' | ');

  test.each([
    ['.inf', 'got (.inf) | rule it is a whole number'],
    ['.nan', 'got (.nan) | rule it is a whole number'],
    ['1e400', 'got (1e400) | rule it is a whole number'],
    ['1e30', 'got (1e30) | rule it is at most 1000000000'],
    ['9007199254740993', 'got (9007199254740993) | rule it is at most 1000000000'],
    ['100000000000000000000000000001', 'got (100000000000000000000000000001) | rule it is at most'],
  ])('steps: %s', (steps, message) => {
    const text = said('steps: 100', `steps: ${steps}`).replaceAll(/ {2,}/g, ' ');
    expect(text).toContain('runs/train.yaml:9:10 trainer.steps');
    expect(text).toContain(message);
  });

  test('a text of digits is not shown as the number it was read as', () => {
    const text = said('name: train', 'runId: 9007199254740993\nname: train');
    expect(text).toMatch(/got +\(9007199254740993\) .*put quotes around it, as it was written/);
    expect(text).not.toContain('740992');
  });
});

describe('texts that are no YAML', () => {
  test.each([
    ['a tab as indentation', 'tpu:\n\tgeneration: v6e\n', '2:1', 'YAML: Tabs are not allowed as indentation'],
    ['a key twice', 'name: a\nname: b\n', '2:1', 'YAML: Map keys must be unique'],
    ['a quote that is not closed', 'name: "train\n', '2:1', 'YAML: Missing closing "quote'],
    [
      'a bracket that is not closed',
      'tpu: {generation: v6e\n',
      '2:1',
      'YAML: Flow map in block collection must be sufficiently indented and end with a }',
    ],
    [
      'a reserved character',
      'name: @train\n',
      '1:7',
      'YAML: Plain value cannot start with reserved character @',
    ],
    ['a tag that is unknown', 'name: !Ref train\n', '1:7', 'YAML: Unresolved tag: !Ref'],
  ])('fails for %s', (_, text, place, rule) => {
    const [problem] = problemsOfText(text);
    expect(problem).toMatchObject({ file: 'runs/train.yaml', path: [], rule, fix: 'correct the line' });
    expect(`${String(problem?.line)}:${String(problem?.column)}`).toBe(place);
  });

  test('shows the line', () => {
    expect(printed(problemsOfText('name: train\nimage: @x\n'))).toBe(
      [
        'runs/train.yaml:2:8',
        "    got   'image: @x'",
        '    rule  YAML: Plain value cannot start with reserved character @',
        '    fix   correct the line',
      ].join('\n'),
    );
  });

  test('never shows a line with a credential', () => {
    const text = printed(problemsOfText('env:\n  A: "hf_abcdefghijklmnopqrstuvwxyz" x\n'));
    expect(text).toContain('(not shown)');
    expect(text).not.toContain('hf_');
  });
});

test.each([
  ['an empty file', ''],
  ['blanks', '  \n\n'],
  ['comments', '# nothing\n'],
])('fails for %s', (_, text) => {
  expect(problemsOfText(text)).toEqual([
    {
      id: 'FILE_EMPTY',
      file: 'runs/train.yaml',
      path: [],
      value: undefined,
      rule: 'the file holds one YAML document',
      fix: 'write one',
    },
  ]);
});

test.each([
  ['text', 'train', "'train'"],
  ['a list', '- name: train', '[{"name":"train"}]'],
  ['null', '~', 'null'],
  ['only a mark', '---\n', 'null'],
  ['a number', '7', '7'],
])('fails for a document that is %s', (_, text, got) => {
  expect(printed(problemsOfText(text))).toBe(
    [
      text === '---\n' ? 'runs/train.yaml:1:4' : 'runs/train.yaml:1:1',
      `    got   ${got}`,
      '    rule  it is a map of keys and values',
      `    fix   ${text.startsWith('- ') ? 'write keys and values, indented, without the dashes of a list' : 'write keys and values on the lines below, indented'}`,
    ].join('\n'),
  );
});

test('fails for two documents in a file', () => {
  expect(problemsOfText(`${RUN_YAML}---\n${RUN_YAML}`)).toEqual([
    {
      id: 'FILE_DOCUMENTS',
      file: 'runs/train.yaml',
      line: 17,
      column: 1,
      path: [],
      value: 'a second document',
      rule: 'the file holds one YAML document',
      fix: 'put every run into a file of its own',
    },
  ]);
});

describe('aliases', () => {
  test('repeat what an anchor marked', () => {
    const text = edited(RUN_YAML, ['model: llama3-8b', 'model: &model llama3-8b']);
    expect(readProject(PLATFORM_YAML, { train: `${text}runId: *model\n` }).problems).toEqual([]);
  });

  test('fail without an anchor', () => {
    expect(problemsOfText(`${RUN_YAML}runId: *nothing\n`)).toEqual([
      {
        id: 'YAML_ALIAS',
        file: 'runs/train.yaml',
        line: 17,
        column: 8,
        path: [],
        value: '*nothing',
        rule: 'an alias repeats what an anchor of its name marked before',
        fix: 'mark it with &nothing, or put quotes around the text',
      },
    ]);
  });

  test('fail when they multiply beyond measure', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
      'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
      'd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
      'e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]',
    ].join('\n');
    expect(problemsOfText(bomb)).toEqual([
      {
        id: 'YAML_ALIASES',
        file: 'runs/train.yaml',
        path: [],
        value: '(aliases of aliases)',
        rule: 'aliases stand for at most 100 copies',
        fix: 'write the values out',
      },
    ]);
  });

  test('fail when they contain themselves, in a readable way', () => {
    const text = printed(problemsOfText(`${RUN_YAML}env: &env\n  A: *env\nextra: &extra [*extra]\n`));
    expect(text).toContain('runs/train.yaml:18:3  env.A\n    got   (contains itself)');
    expect(text).toContain('extra\n    got   (contains itself)');
  });
});

describe('keys', () => {
  test('fail when they are no text', () => {
    expect(problemsOfText('? [name]\n: train\n')).toEqual([
      {
        id: 'YAML_KEY',
        file: 'runs/train.yaml',
        line: 1,
        column: 3,
        path: [],
        value: '(a list or map)',
        rule: 'a key is text',
        fix: 'write a name before the colon',
      },
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'fails for %s like for any other unknown key',
    (key) => {
      expect(problemsOfText(`${RUN_YAML}${key}: {a: 1}\n`)).toMatchObject([
        { line: 17, path: [key], value: { a: 1 }, fix: 'remove it' },
      ]);
    },
  );

  test('fails for a merge key, which YAML 1.2 does not have', () => {
    expect(problemsOfText(`${RUN_YAML}<<: {runId: a}\n`)).toMatchObject([{ line: 17, path: ['<<'] }]);
  });

  test('the last colon of a value may be quoted away', () => {
    expect(placesOfProblems(problemsOfText(`${RUN_YAML}"runId": "a: b"\n`))).toEqual([]);
  });
});

test.each([
  ['brackets', '['],
  ['maps', '{a: '],
])('%s nested without end fail with a Problem', (_, opening) => {
  const [first] = problemsOfText(opening.repeat(5000));
  expect(first).toMatchObject({ line: 1, rule: 'YAML: Brackets are nested too deeply' });
});

test('a file of more than a million characters is not read', () => {
  expect(problemsOfText(`${RUN_YAML}# ${'x'.repeat(2 ** 20)}`)).toMatchObject([
    { id: 'FILE_TOO_LARGE', path: [], rule: 'a file has at most 1048576 characters', fix: 'split it' },
  ]);
});

test('a long value is cut in messages', () => {
  const [line] = printed(problemsOfText(edited(RUN_YAML, ['4x4', '4x'.repeat(5000)]))).match(/got.*/) ?? [];
  expect(line).toBe(`got   '${'4x'.repeat(59)}4…`);
});

test('line breaks and control characters are shown by their escapes', () => {
  const text = printed(problemsOfText(edited(RUN_YAML, ['4x4', '"4x4\\n\\e[31m"'])));
  expect(text).toContain('got   "4x4\\n\\u001b[31m"');
  expect(text.split('\n')).toHaveLength(4);
});

test('CRLF line ends read as the same values, at the same places', () => {
  const windows = (text: string): string => text.replaceAll('\n', '\r\n');
  expect(readProject(windows(PLATFORM_YAML), { train: windows(RUN_YAML) }).problems).toEqual([]);
  const wrong = edited(RUN_YAML, ['topology: 4x4', 'topology: 2x3']);
  expect(placesOfProblems(problemsOfText(windows(wrong)))).toEqual(placesOfProblems(problemsOfText(wrong)));
});

test('YAML 1.2: yes, no and 0777 are not what YAML 1.1 makes of them', () => {
  const run = `${RUN_YAML}env:\n  A: yes\n  B: no\n  C: 1_000\n`;
  expect(readProject(PLATFORM_YAML, { train: run })).toMatchObject({
    problems: [],
    runs: [{ environment: { A: 'yes', B: 'no', C: '1_000' } }],
  });
});
