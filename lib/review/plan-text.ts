import { gib } from '../training';
import type { MemoryBar } from './memory-bar';
import { reviewRun } from './plan-table';
import type { PlanRow, RunReview } from './plan-table';
import type { ReviewedProject } from './reviewed-project';
import { wrapWords } from './words';

/** Characters of a memory bar. */
const BAR_WIDTH = 40;

/** Narrowest column of values beside a column of what they are used in; narrower terminals have that on lines of its own. */
const LEAST_VALUE_WIDTH = 40;

/** Narrowest text of all. */
const LEAST_WIDTH = 16;

/** The plan of a project as text for a terminal of a width, one table a run. */
export function planText(project: ReviewedProject, columns: number): string {
  return project.plan.runs.map((run) => runText(reviewRun(project, run), columns)).join('\n\n');
}

function runText({ name, rows, memory }: RunReview, columns: number): string {
  const left = Math.max(...rows.map(({ derived }) => derived.length));
  const right = Math.max(...rows.map(({ usedIn }) => usedIn.length));
  const beside = columns - left - right - 6;
  const lines = rows.flatMap((row) =>
    beside >= LEAST_VALUE_WIDTH ? rowBeside(row, left, beside) : rowBelow(row, left, columns - left - 4),
  );
  const bars = memory.flatMap((bar) => barLines(bar, columns - 2)).map((line) => `  ${line}`);
  return [name, ...lines, ...(bars.length === 0 ? [] : ['', ...bars])].join('\n');
}

function rowBeside({ derived, value, usedIn }: PlanRow, left: number, width: number): string[] {
  return wrapLines(value, width).map((line, index) =>
    index === 0
      ? `  ${derived.padEnd(left)}  ${line.padEnd(width)}  ${usedIn}`
      : `  ${' '.repeat(left)}  ${line}`,
  );
}

/** Without a column for it, what a value is used in follows it. */
function rowBelow({ derived, value, usedIn }: PlanRow, left: number, width: number): string[] {
  const lines = [...wrapLines(value, width), ...wrapLines(`-> ${usedIn}`, width)];
  return lines.map((line, index) => `  ${(index === 0 ? derived : '').padEnd(left)}  ${line}`);
}

function wrapLines(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapWords(line, Math.max(LEAST_WIDTH, width)));
}

/** `[wwwmmmvvvggg       ]  7.5 of 31.2 GiB`: the bar is the device. The legend is below it where it does not fit beside it. */
function barLines(bar: MemoryBar, columns: number): string[] {
  const cells = (bytes: number): number => Math.round((bytes / bar.deviceBytes) * BAR_WIDTH);
  let filled = '';
  let sum = 0;
  for (const { part, bytes } of bar.parts) {
    sum += bytes;
    filled += (part[0] ?? '').repeat(Math.max(0, Math.min(BAR_WIDTH, cells(sum)) - filled.length));
  }
  const legend = [...new Set(bar.parts.map(({ part }) => `${part[0] ?? ''} ${part}`))].join(', ');
  const size = `${String(bar.slices)} ${bar.slices === 1 ? 'slice' : 'slices'}`;
  const verdict = bar.fits ? '' : ' does not fit';
  const title = `${bar.source.padEnd(8)} ${size.padEnd(9)}`;
  const figures = `${gib(bar.totalBytes)} of ${gib(bar.usableBytes)}${verdict}`;
  const line = `${title} [${filled.padEnd(BAR_WIDTH)}] ${figures}  (${legend})`;
  if (line.length <= columns) return [line];
  return [
    `${title} ${figures}`,
    `  [${filled.padEnd(BAR_WIDTH)}]`,
    ...wrapLines(legend, columns - 2).map((each) => `  ${each}`),
  ];
}
