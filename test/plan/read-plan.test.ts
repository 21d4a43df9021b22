import { pathText } from '../../lib/problems';
import { formatPlan, isPlanProblems, parseCompilablePlan, parsePlannedProject } from '../../lib/plan';
import { reviewedProject } from '../support/reviewed-project';

const { plan } = reviewedProject();

test('what is written is read', () => {
  expect(parsePlannedProject(formatPlan(plan))).toEqual(plan);
});

test('version 1, which has no fitKey, gives the plan of version 2', () => {
  const old = { ...plan, schemaVersion: 1, runs: plan.runs.map(({ fitKey: _, ...run }) => run) };
  expect(JSON.stringify(old)).not.toContain('fitKey');
  expect(parsePlannedProject(JSON.stringify(old))).toEqual(plan);
});

test('a run of MaxText has the key of its verdict, another trainer has none', () => {
  expect(plan.runs.map(({ fitKey }) => fitKey)).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
});

test.each([
  ['no JSON', '{', ['']],
  ['another version', JSON.stringify({ ...plan, schemaVersion: 3 }), ['schemaVersion']],
  ['a run without a Job', JSON.stringify({ ...plan, runs: [{ name: 'a' }] }), ['runs']],
  [
    'a run of version 2 without its key',
    JSON.stringify({ ...plan, runs: plan.runs.map(({ fitKey: _, ...run }) => run) }),
    ['runs'],
  ],
])('%s is not a plan', (_what, text, paths) => {
  const result = parsePlannedProject(text);
  expect(isPlanProblems(result) && result.map(({ path }) => pathText(path))).toEqual(paths);
});

test('the compile check reads a file that holds runs and nothing else', () => {
  const [run] = plan.runs;
  const { tpu, trainer, name } = run!;
  const text = JSON.stringify({ schemaVersion: 1, runs: [{ name, tpu, trainer }] });
  expect(parseCompilablePlan(text)).toEqual({ runs: [{ name, tpu, trainer, fitKey: run!.fitKey }] });
  expect(isPlanProblems(parsePlannedProject(text))).toBe(true);
});
