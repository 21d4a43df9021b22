import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Folders with tests; caches and generated folders are passed over. */
const TEST_FOLDERS = ['test', 'trainers/tests', 'rehearsal'];

function filesBelow(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(\.|__|node_modules)/.test(entry.name) ? [] : filesBelow(path);
    return /\.(ts|py|sh)$/.test(entry.name) && path !== 'test/field-reports/coverage.test.ts' ? [path] : [];
  });
}

/** Numbers that a text names, as in `field report 9` and `field reports 14 and 22`. */
function reportsIn(text: string): number[] {
  return [...text.matchAll(/field reports? (\d+(?:(?:, | and )\d+)*)/g)].flatMap(([, list]) =>
    list!.split(/, | and /).map(Number),
  );
}

interface Row {
  readonly number: number;
  readonly coverage: string;
}

const rows: Row[] = [
  ...readFileSync(join(ROOT, 'docs/field-reports.md'), 'utf8').matchAll(/^\| (\d+) \| .+ \| (.+) \|$/gm),
].map(([, number, coverage]) => ({ number: Number(number), coverage: coverage! }));

const tested = new Set(
  TEST_FOLDERS.flatMap(filesBelow).flatMap((path) => reportsIn(readFileSync(join(ROOT, path), 'utf8'))),
);

test('every report stands once', () => {
  const numbers = rows.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(numbers.length).toBeGreaterThan(80);
});

test('a report that is said to have a test has one that carries its number', () => {
  const claimed = rows.flatMap(({ number, coverage }) =>
    reportsIn(coverage).map((named) => ({ number, named })),
  );
  expect(claimed.length).toBeGreaterThan(60);
  expect(claimed.filter(({ number, named }) => named !== number || !tested.has(named))).toEqual([]);
});

test('a report without such a test names a file that exists, or says why', () => {
  const others = rows.filter(({ coverage }) => reportsIn(coverage).length === 0);
  const unexplained = others.filter(
    ({ coverage }) => !/^no test: .{20}/.test(coverage) && !/`[\w/-]+\.(?:ts|py|sh)`/.test(coverage),
  );
  expect(unexplained).toEqual([]);
});

test('files that the page names exist', () => {
  const named = rows.flatMap(({ coverage }) =>
    [...coverage.matchAll(/`([\w/-]+\/[\w.-]+\.(?:ts|py|sh))`/g)].map(([, path]) => path!),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
