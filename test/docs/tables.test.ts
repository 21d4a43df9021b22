import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import exitCodes from '../../trainers/tpu_trainers/exit-codes.json';
import { EXIT_CODES } from '../../lib/cli';
import { COMMANDS } from '../../lib/cli/registry';
import { DOCTOR_EXIT } from '../../lib/doctor';
import { CONDITIONS, FIELD_RULES } from '../../lib/review';
import { runSync } from '../support/run-command';
import { PROBLEMS } from '../../lib/problems';
import { generateErrors } from '../../scripts/generate-errors';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Rows of the table below a marking comment, cells without the signs of code. */
function tableBelow(page: string, marker: string): string[][] {
  const table =
    new RegExp(`<!-- ${marker} -->\\n\\n\\|[^\\n]*\\n\\|[-|]*\\n((?:\\|[^\\n]*\\n)+)`).exec(
      read(page),
    )?.[1] ?? '';
  return table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

test('docs/plan.md has every field rule as the code has it', () => {
  expect(tableBelow('docs/plan.md', 'field rules')).toEqual(
    FIELD_RULES.map(({ kind, path, effect, pods = '–', why }) => [kind, path, effect, pods, why]),
  );
});

test('docs/plan.md has every condition as the code has it', () => {
  expect(tableBelow('docs/plan.md', 'conditions')).toEqual(Object.entries(CONDITIONS));
});

test('docs/errors.md is what the sources say', () => {
  expect(read('docs/errors.md')).toBe(generateErrors(ROOT));
});

test('docs/errors.md has a heading for every problem, exit code and condition', () => {
  const page = read('docs/errors.md');
  const headings = [
    ...Object.keys(PROBLEMS),
    ...exitCodes.map(({ code, name }) => `Submitter ${String(code)}: ${name}`),
    ...Object.keys(CONDITIONS).map((name) => `Condition ${name}`),
  ];
  expect(headings.filter((heading) => !page.includes(`\n### ${heading}\n`))).toEqual([]);
  // The trainers' outcomes are found in the sources, not named one by one.
  expect(page).toMatch(/\n### Trainer 4\d: /);
});

test('every command has a row of exit codes, and its help tells them', () => {
  expect(Object.keys(EXIT_CODES)).toEqual(COMMANDS.map(({ name }) => name));
  for (const { name } of COMMANDS) {
    let help = '';
    const terminal = { environment: {}, workingDirectory: '/', print: () => undefined };
    expect(runSync([name, '--help'], { ...terminal, output: (text) => (help += text) })).toBe(0);
    const words = help.replace(/\s+/g, ' ');
    for (const { code, meaning } of EXIT_CODES[name]) expect(words).toContain(` ${String(code)} ${meaning}`);
  }
});

test('doctor ends with the codes of the table', () => {
  expect(Object.values(DOCTOR_EXIT)).toEqual(EXIT_CODES.doctor.map(({ code }) => code));
});

test('exit codes of the scripts are those of lib/outcome.sh', () => {
  const text = read('scripts/gcloud/lib/outcome.sh');
  const codes = [...text.matchAll(/^#.*?\b(\d) {2}\S/gm)].map(([, code]) => Number(code));
  const further = [...text.matchAll(/^#.* {2,}([5-9]) {2}\S/gm)].map(([, code]) => Number(code));
  const known = EXIT_CODES.up.map(({ code }) => code);
  expect([...new Set([...codes, ...further])].sort()).toEqual(known);
});

test('commands of the package that documents name exist', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const named = ['README.md', ...pages.map((name) => `docs/${name}`)].flatMap((page) =>
    [...read(page).matchAll(/(?:npx |^)cdk8s-tpu-ray ([a-z][a-z-]*)/gm)].map(([, command]) => command!),
  );
  const known: readonly string[] = COMMANDS.map(({ name }) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test('YAML of the workflow pages parses, and its pipelines run plan', () => {
  const blocks = ['docs/continuous-integration.md', 'docs/gitops.md', 'docs/monitoring.md'].flatMap((page) =>
    [...read(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text!),
  );
  expect(blocks.length).toBeGreaterThanOrEqual(5);
  const parsed = blocks.flatMap((block) =>
    block.split(/^---$/m).map((document) => parse(document) as unknown),
  );
  expect(parsed.every((value) => typeof value === 'object' && value !== null)).toBe(true);
  const pipelines = blocks.filter((block) => block.includes('npm ci'));
  expect(pipelines).toHaveLength(2);
  for (const pipeline of pipelines) {
    expect(pipeline).toMatch(/cdk8s-tpu-ray synth --check/);
    const conditions = /--fail-on ([a-z,]+)/.exec(pipeline)?.[1]?.split(',') ?? [];
    expect(conditions.length).toBeGreaterThan(0);
    expect(conditions.filter((name) => !(name in CONDITIONS))).toEqual([]);
  }
});
