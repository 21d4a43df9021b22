import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlanProblems, parseCompilablePlan } from '../plan';
import type { CompilableRun } from '../plan';
import { pathText } from '../problems';
import { isProblems, resolveSlice } from '../tpu';
import type { TpuSlice } from '../tpu';
import { TRAINER_KINDS, trainerKind } from '../training';

/** A MaxText run of plan.json. */
export interface RunPlan {
  readonly name: string;
  readonly slice: TpuSlice;
  readonly slices: { readonly min: number; readonly max: number };
  readonly maxtextArguments: readonly string[];
  readonly libtpuInitArgs: readonly string[];
  /** Key of a verdict on the run as it is now. */
  readonly fitKey: string;
}

/** What cannot be checked, as a message for people. */
export class UnreadablePlan extends Error {}

/**
 * The MaxText runs of a project, or one of them by name.
 * @throws UnreadablePlan without plan.json, without such a run, or when there is nothing to compile
 */
export function readRuns(directory: string, name: string | undefined): RunPlan[] {
  const path = join(directory, 'plan.json');
  const planned = readPlan(path);
  const chosen = name === undefined ? planned : planned.filter((run) => run.name === name);
  if (chosen.length === 0) {
    const names = planned.map((run) => run.name).join(', ');
    throw new UnreadablePlan(
      name === undefined ? `${path} has no runs` : `${path} has no run ${name}: it has ${names || 'none'}`,
    );
  }
  const compiled = chosen.filter(({ trainer: { kind } }) =>
    TRAINER_KINDS.some((known) => known === kind && trainerKind(known).compiled !== undefined),
  );
  if (compiled.length === 0) {
    throw new UnreadablePlan(
      `${chosen.map((run) => run.name).join(', ')}: only MaxText runs can be compiled without a TPU`,
    );
  }
  return compiled.map((run) => runPlan(path, run));
}

function runPlan(path: string, { name, tpu, trainer, fitKey }: CompilableRun): RunPlan {
  const { generation, topology, machineType, slices } = tpu;
  const slice = resolveSlice({ generation, topology, machineType });
  if (isProblems(slice)) {
    throw new UnreadablePlan(`${path}: ${name}: ${slice.map((problem) => problem.rule).join('; ')}`);
  }
  const { maxtextArguments, libtpuInitArgs = [] } = trainer;
  if (maxtextArguments === undefined || fitKey === undefined) {
    throw new UnreadablePlan(`${path}: ${name} has no trainer.maxtextArguments: run npm run synth`);
  }
  return { name, slice, slices, maxtextArguments, libtpuInitArgs, fitKey };
}

function readPlan(path: string): readonly CompilableRun[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UnreadablePlan(`${path} cannot be read: run npm run synth first, which writes it`);
  }
  const plan = parseCompilablePlan(text);
  if (!isPlanProblems(plan)) return plan.runs;
  const places = plan.map((problem) =>
    problem.path.length === 0 ? `not JSON (${String(problem.value)})` : pathText(problem.path),
  );
  throw new UnreadablePlan(`${path}: ${places.join(', ')}: ${plan[0]?.rule ?? ''}: run npm run synth`);
}
