import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateReadme } from '../../scripts/generate-readme';
import { compileSnippets, snippetsOf } from './typescript-snippets';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function markdownBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...markdownBelow('docs'),
  ...markdownBelow('examples'),
];

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('links of %s lead somewhere', (page) => {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path, anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path!);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !anchorsOf(file).includes(anchor);
    });
  expect(broken).toEqual([]);
});

test('npm scripts that documents name exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map(
      ([, script, short]) => `${page}: ${script ?? short ?? ''}`,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((entry) => !(entry.split(': ')[1]! in scripts))).toEqual([]);
});

test('scripts that documents name exist', () => {
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/(?<![\w/.-])((?:scripts|rehearsal|test)\/[\w/-]+\.(?:sh|ts|py))\b/g)].map(
      ([, script]) => ({ page, script: script! }),
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ script }) => !existsSync(join(ROOT, script)))).toEqual([]);
});

test('the README shows what synth prints of the quick start and of a wrong run, as it is', () => {
  const readme = read('README.md');
  expect(generateReadme(ROOT)).toBe(readme);
  expect(readme).toContain('4 hosts of ct6e-standard-4t');
  expect(readme.match(/^ {4}rule {2}/gm)!.length).toBeGreaterThan(2);
});

test('TypeScript examples in documents compile, and one that does not is found', () => {
  const snippets = pages.flatMap((page) => snippetsOf(page, read(page)));
  expect(snippets.length).toBeGreaterThanOrEqual(6);
  const wrong = snippetsOf(
    'wrong.md',
    "text\n\n```ts\nimport { TrainingRun } from 'cdk8s-tpu-ray';\nTrainingRun.of(1);\n```\n",
  );
  expect(compileSnippets(ROOT, [...snippets, ...wrong])).toEqual([
    expect.stringMatching(/^wrong\.md:4 line 2: Expected 2 arguments/),
  ]);
}, 300_000);
