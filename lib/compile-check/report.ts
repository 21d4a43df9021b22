import { gib } from '../training';
import type { CompileOutcome } from './compile-step';
import { estimatedState } from './estimated-state';
import type { RunPlan } from './run-plan';

/** The verdict on a run at one size, as lines for people. */
export function reportOutcome(
  run: RunPlan,
  maxtextArguments: readonly string[],
  outcome: CompileOutcome,
): string[] {
  const { verdict, seconds, codeBytes, buffers } = outcome;
  const { argumentBytes, temporaryBytes, totalBytes, usableBytes } = verdict;
  const estimate = estimatedState(run, maxtextArguments, verdict.slices);
  const estimated = estimate === undefined ? '' : ` (estimated ${gib(estimate)})`;
  const lines =
    argumentBytes === undefined || temporaryBytes === undefined
      ? estimate === undefined
        ? []
        : [row('weights and moments', estimate, ' (estimated)')]
      : [
          row('weights and moments', argumentBytes, estimated),
          row('temporaries', temporaryBytes, ''),
          row('program', codeBytes ?? 0, ''),
        ];
  lines.push(row('total per device', totalBytes, ` of ${gib(usableBytes)}`));
  for (const { bytes, shapes } of buffers) lines.push(row('  large buffer', bytes, ` ${shapes}`));
  const difference = gib(Math.abs(usableBytes - totalBytes));
  const word = verdict.fits ? `fits, ${difference} to spare` : `does not fit, ${difference} too much`;
  return [...lines, `  ${word}; compiled in ${seconds.toFixed(0)} s`];
}

/** `llama3-8b, v6e 4x4, 2 slices`. */
export function titleOf(run: RunPlan, slices: number): string {
  const { generation, topology } = run.slice;
  return `${run.name}, ${generation} ${topology}, ${String(slices)} ${slices === 1 ? 'slice' : 'slices'}`;
}

function row(title: string, bytes: number, note: string): string {
  return `  ${title.padEnd(22)}${gib(bytes).padStart(10)}${note}`;
}
