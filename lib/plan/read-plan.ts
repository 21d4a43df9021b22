import { problem } from '../problems';
import type { Problem } from '../problems';
import { fitKey } from '../run';
import { PLAN_SCHEMA_VERSION } from './planned-project';
import type { PlannedProject, PlannedRun, PlannedSlice, PlannedTrainer } from './planned-project';

/** The plan in a file's text, or why it is not one. Paths are relative to the document. Version 1 is read as version 2. */
export function parsePlannedProject(text: string): PlannedProject | readonly Problem[] {
  const plan = parsePlan<PlannedProject>(text, WHOLE_PLAN);
  return isPlanProblems(plan)
    ? plan
    : { ...plan, schemaVersion: PLAN_SCHEMA_VERSION, runs: plan.runs.map(withFitKey) };
}

/** What the compile check reads of a run. */
export interface CompilableRun extends Pick<PlannedRun, 'name' | 'fitKey'> {
  readonly tpu: Pick<PlannedSlice, 'generation' | 'topology' | 'machineType' | 'slices'>;
  readonly trainer: Pick<PlannedTrainer, 'kind' | 'maxtextArguments' | 'libtpuInitArgs'>;
}

/** The part of plan.json that the compile check needs. */
export interface CompilablePlan {
  readonly runs: readonly CompilableRun[];
}

/** That part in a file's text, which may hold no more, or why it is not one. */
export function parseCompilablePlan(text: string): CompilablePlan | readonly Problem[] {
  const plan = parsePlan<CompilablePlan>(text, COMPILABLE_PLAN);
  return isPlanProblems(plan) ? plan : { runs: plan.runs.map(withFitKey) };
}

/** True when a reader of plan.json gave Problems. */
export function isPlanProblems<T extends object>(
  result: T | readonly Problem[],
): result is readonly Problem[] {
  return Array.isArray(result);
}

/** Version 1 has no key: it follows from the rest. */
function withFitKey<T extends CompilableRun>(run: T): T {
  const { maxtextArguments, libtpuInitArgs = [] } = run.trainer;
  if (run.fitKey !== undefined || maxtextArguments === undefined) return run;
  const { generation, topology, slices } = run.tpu;
  return { ...run, fitKey: fitKey({ generation, topology, slices, maxtextArguments, libtpuInitArgs }) };
}

type Expectation = readonly [path: string, isExpected: (value: unknown, plan: unknown) => boolean];

function parsePlan<T extends object>(text: string, expected: readonly Expectation[]): T | readonly Problem[] {
  let plan: unknown;
  try {
    plan = JSON.parse(text);
  } catch (error) {
    return [problem('PLAN_FILE', [], (error as Error).message)];
  }
  const missing = expected.filter(([path, isExpected]) => !isExpected(at(plan, path), plan));
  return missing.length === 0
    ? (plan as T)
    : missing.map(([path]) => problem('PLAN_FILE', path.split('.'), at(plan, path)));
}

const COMPILABLE_FIELDS: readonly (readonly [string, 'string' | 'number'])[] = [
  ['name', 'string'],
  ['tpu.generation', 'string'],
  ['tpu.topology', 'string'],
  ['tpu.machineType', 'string'],
  ['tpu.slices.min', 'number'],
  ['tpu.slices.max', 'number'],
  ['trainer.kind', 'string'],
];

const RUN_FIELDS: typeof COMPILABLE_FIELDS = [
  ...COMPILABLE_FIELDS,
  ['rayCluster', 'string'],
  ['job', 'string'],
  ['submissionId', 'string'],
  ['image', 'string'],
  ['tpu.chipsPerSlice', 'number'],
  ['capacity.kind', 'string'],
];

const VERSION: Expectation = ['schemaVersion', (value) => value === 1 || value === PLAN_SCHEMA_VERSION];

/** What is looked at before a text is taken for a plan. */
const WHOLE_PLAN: readonly Expectation[] = [
  VERSION,
  ...[
    'platform.project',
    'platform.cluster.name',
    'platform.cluster.mode',
    'platform.cluster.location',
    'platform.namespace',
    'infrastructure.cluster.name',
    'infrastructure.namespace.name',
    'infrastructure.serviceAccount.name',
  ].map((path): Expectation => [path, (value) => typeof value === 'string']),
  ...['apis', 'networks', 'placementPolicies', 'nodePools', 'bucketRoles', 'images', 'secrets'].map(
    (list): Expectation => [`infrastructure.${list}`, Array.isArray],
  ),
  runsWith(RUN_FIELDS),
];

const COMPILABLE_PLAN: readonly Expectation[] = [VERSION, runsWith(COMPILABLE_FIELDS)];

/** A list of runs that each have these fields; from version 2 on, those of MaxText have a key as well. */
function runsWith(fields: typeof COMPILABLE_FIELDS): Expectation {
  return [
    'runs',
    (runs, plan) =>
      Array.isArray(runs) &&
      runs.every(
        (run) =>
          fields.every(([path, type]) => typeof at(run, path) === type) &&
          (at(plan, 'schemaVersion') === 1 ||
            at(run, 'trainer.maxtextArguments') === undefined ||
            typeof at(run, 'fitKey') === 'string'),
      ),
  ];
}

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (place, key) =>
        typeof place === 'object' && place !== null ? (place as Record<string, unknown>)[key] : undefined,
      value,
    );
}
