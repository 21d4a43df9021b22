import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fitKey } from '../../lib/run';
import { isProblems, resolveSlice } from '../../lib/tpu';
import type { TpuSlice } from '../../lib/tpu';
import { TRAINER_KINDS, trainerKind } from '../../lib/training';

/** A MaxText run of plan.json. */
export interface RunPlan {
  readonly name: string;
  readonly slice: TpuSlice;
  readonly slices: { readonly min: number; readonly max: number };
  readonly maxtextArguments: readonly string[];
  readonly libtpuInitArgs: readonly string[];
}

/** The key of a verdict on a run as it is now. */
export function fitKeyOf({ slice, slices, maxtextArguments, libtpuInitArgs }: RunPlan): string {
  const { generation, topology } = slice;
  return fitKey({ generation, topology, slices, maxtextArguments, libtpuInitArgs });
}

/** What cannot be checked, as a message for people. */
export class UsageError extends Error {}

/**
 * The MaxText runs of a project, or one of them by name.
 * @throws UsageError without plan.json, without such a run, or when there is nothing to compile
 */
export function readRuns(directory: string, name: string | undefined): RunPlan[] {
  const path = join(directory, 'plan.json');
  const plan = parse(path) as { runs?: readonly PlannedRun[] };
  const planned = plan.runs ?? [];
  const chosen = name === undefined ? planned : planned.filter((run) => run.name === name);
  if (chosen.length === 0) {
    const names = planned.map((run) => run.name).join(', ');
    throw new UsageError(
      name === undefined ? `${path} has no runs` : `${path} has no run ${name}: it has ${names || 'none'}`,
    );
  }
  const compiled = chosen.filter(({ trainer: { kind } }) =>
    TRAINER_KINDS.some((known) => known === kind && trainerKind(known).compiled !== undefined),
  );
  if (compiled.length === 0) {
    throw new UsageError(
      `${chosen.map((run) => run.name).join(', ')}: only MaxText runs can be compiled without a TPU`,
    );
  }
  return compiled.map((run) => runPlan(path, run));
}

/** The part of plan.json that is read here; docs/interfaces.md has the whole. */
interface PlannedRun {
  readonly name: string;
  readonly tpu: {
    readonly generation: string;
    readonly topology: string;
    readonly machineType: string;
    readonly slices: { readonly min: number; readonly max: number };
  };
  readonly trainer: {
    readonly kind: string;
    readonly maxtextArguments?: readonly string[];
    readonly libtpuInitArgs?: readonly string[];
  };
}

function runPlan(path: string, run: PlannedRun): RunPlan {
  const { generation, topology, machineType, slices } = run.tpu;
  const slice = resolveSlice({ generation, topology, machineType });
  if (isProblems(slice)) {
    throw new UsageError(`${path}: ${run.name}: ${slice.map((problem) => problem.rule).join('; ')}`);
  }
  const { maxtextArguments, libtpuInitArgs = [] } = run.trainer;
  if (maxtextArguments === undefined) {
    throw new UsageError(`${path}: ${run.name} has no trainer.maxtextArguments: run npm run synth`);
  }
  return { name: run.name, slice, slices, maxtextArguments, libtpuInitArgs };
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} cannot be read: run npm run synth first, which writes it`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON (${(error as Error).message}): run npm run synth`);
  }
}
