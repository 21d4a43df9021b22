import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const ARROWS = 'rooms/arrows';

interface Case {
  readonly path: string;
  readonly text: string;
  /** Rule and words of the one report; undefined if there is none. */
  readonly report: readonly [rule: string, words: string] | undefined;
}

const ALLOWED: readonly Omit<Case, 'report'>[] = [
  { path: 'lib/tpu/a.ts', text: "import { slices } from './slice';" },
  { path: 'lib/training/a.ts', text: "import type { Problem } from '../problems';" },
  { path: 'lib/training/a.ts', text: "import { slices } from '../tpu';" },
  { path: 'lib/training/a.ts', text: "import codes from '../../trainers/tpu_trainers/exit-codes.json';" },
  { path: 'lib/run/deep/a.ts', text: "import { names } from '../../kubernetes/names';" },
  { path: 'lib/config/a.ts', text: "import { parseDocument } from 'yaml';" },
  { path: 'lib/constructs/a.ts', text: "import { ApiObject } from 'cdk8s';" },
  { path: 'lib/charts/a.ts', text: "import { TpuRayCluster } from '../constructs/tpu-ray-cluster';" },
  {
    path: 'lib/project/a.ts',
    text: "import { readFileSync } from 'node:fs';\nprocess.exitCode = readFileSync.length;",
  },
  { path: 'lib/project/a.ts', text: "import { charts } from '../charts';" },
  { path: 'lib/kuberay/a.ts', text: "import type { RayCluster } from '../../imports/ray.io';" },
  { path: 'main.ts', text: "import { runCommandLine } from './lib/cli';" },
  { path: 'scripts/a.ts', text: "import { synth } from '../lib/project';" },
  { path: 'test/a.test.ts', text: "import { slices } from '../lib/tpu';" },
];

const FORBIDDEN: readonly (Case & { readonly report: readonly [string, string] })[] = [
  {
    path: 'lib/somewhere/a.ts',
    text: 'export const a = 1;',
    report: [ARROWS, "'lib/somewhere/a.ts' is in no room"],
  },
  {
    path: 'lib/tpu/a.ts',
    text: "import { run } from '../run';",
    report: [ARROWS, "'lib/tpu' must not import 'lib/run'"],
  },
  {
    path: 'lib/tpu/a.ts',
    text: "import { versions } from '../kuberay/versions';",
    report: [ARROWS, "'lib/kuberay/versions'"],
  },
  {
    path: 'lib/run/deep/a.ts',
    text: "import { c } from '../../constructs/c';",
    report: [ARROWS, "'lib/constructs/c'"],
  },
  { path: 'lib/run/a.ts', text: "import type { C } from '../config';", report: [ARROWS, "'lib/config'"] },
  { path: 'lib/run/a.ts', text: "export { c } from '../charts';", report: [ARROWS, "'lib/charts'"] },
  { path: 'lib/run/a.ts', text: "export * from '../charts';", report: [ARROWS, "'lib/charts'"] },
  { path: 'lib/run/a.ts', text: "export const c = import('../charts');", report: [ARROWS, "'lib/charts'"] },
  {
    path: 'lib/run/a.ts',
    text: "export type C = import('../charts').C;",
    report: ['@typescript-eslint/consistent-type-imports', 'forbidden'],
  },
  {
    path: 'lib/training/a.ts',
    text: "import { readFileSync } from 'node:fs';",
    report: [ARROWS, "the package 'node:fs'"],
  },
  {
    path: 'lib/training/a.ts',
    text: "import { readFileSync } from 'fs';",
    report: [ARROWS, "the package 'fs'"],
  },
  {
    path: 'lib/manifest-rules/a.ts',
    text: "import { App } from 'cdk8s';",
    report: [ARROWS, "the package 'cdk8s'"],
  },
  {
    path: 'lib/constructs/a.ts',
    text: "import { charts } from '../charts';",
    report: [ARROWS, "'lib/charts'"],
  },
  { path: 'lib/charts/a.ts', text: "import { synth } from '../project';", report: [ARROWS, "'lib/project'"] },
  { path: 'lib/index.ts', text: "export { synth } from './project';", report: [ARROWS, "'lib/project'"] },
  { path: 'main.ts', text: "import { slices } from './lib/tpu';", report: [ARROWS, "'lib/tpu'"] },
  {
    path: 'lib/constructs/a.ts',
    text: "import { RayCluster } from '../../imports/ray.io';",
    report: [ARROWS, 'import type'],
  },
  {
    path: 'scripts/a.ts',
    text: "import { RayCluster } from '../imports/ray.io';",
    report: [ARROWS, 'import type'],
  },
  {
    path: 'lib/run/a.ts',
    text: "import type { RayCluster } from '../../imports/ray.io';",
    report: [ARROWS, "'imports/ray.io'"],
  },
  {
    path: 'lib/run/a.ts',
    text: "export const home = process.env['HOME'];",
    report: ['no-restricted-globals', 'a pure room'],
  },
  {
    path: 'lib/run/a.ts',
    text: 'export const now = Date.now();',
    report: ['no-restricted-properties', 'same input'],
  },
  {
    path: 'lib/run/a.ts',
    text: 'export const now = new Date();',
    report: ['no-restricted-syntax', 'same input'],
  },
  {
    path: 'lib/run/a.ts',
    text: 'export const dice = Math.random();',
    report: ['no-restricted-properties', 'same input'],
  },
  {
    path: 'scripts/a.ts',
    text: "import { Problem } from '../lib/problems';\nexport type P = Problem;",
    report: ['@typescript-eslint/consistent-type-imports', 'import type'],
  },
];

let reports: ReadonlyMap<Omit<Case, 'report'>, readonly string[]>;

beforeAll(() => {
  const cases = [...ALLOWED, ...FORBIDDEN];
  const lint = spawnSync(process.execPath, [join(__dirname, 'lint-texts.mjs')], {
    cwd: ROOT,
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  if (lint.status !== 0) throw new Error(`linting failed:\n${lint.stderr}`);
  const results = JSON.parse(lint.stdout) as readonly (readonly string[])[];
  reports = new Map(cases.map((each, index) => [each, results[index] ?? []]));
}, 120_000);

test.each(ALLOWED)('$path may: $text', (allowed) => {
  expect(reports.get(allowed)).toEqual([]);
});

test.each(FORBIDDEN)('$path must not: $text', (forbidden) => {
  const [rule, words] = forbidden.report;
  const found = reports.get(forbidden) ?? [];
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`${rule}: `);
  expect(found[0]).toContain(words);
});
