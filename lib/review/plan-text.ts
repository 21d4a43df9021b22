import { gib } from '../training';
import type { MemoryBar } from './memory-bar';
import { reviewRun } from './plan-table';
import type { PlanRow, RunReview } from './plan-table';
import type { ReviewedProject } from './reviewed-project';

/** Characters of a memory bar. */
const BAR_WIDTH = 40;

/** Narrowest column of values. */
const LEAST_VALUE_WIDTH = 24;

/** The plan of a project as text for a terminal of a width, one table a run. */
export function planText(project: ReviewedProject, columns: number): string {
  return project.plan.runs.map((run) => runText(reviewRun(project, run), columns)).join('\n\n');
}

function runText({ name, rows, memory }: RunReview, columns: number): string {
  const left = Math.max(...rows.map(({ derived }) => derived.length));
  const right = Math.max(...rows.map(({ usedIn }) => usedIn.length));
  const width = Math.max(LEAST_VALUE_WIDTH, columns - left - right - 6);
  const lines = rows.flatMap((row) => rowText(row, left, width));
  const bars = memory.map((bar) => `  ${barText(bar)}`);
  return [name, ...lines, ...(bars.length === 0 ? [] : ['', ...bars])].join('\n');
}

function rowText({ derived, value, usedIn }: PlanRow, left: number, width: number): string[] {
  return wrap(value, width).map((line, index) =>
    index === 0
      ? `  ${derived.padEnd(left)}  ${line.padEnd(width)}  ${usedIn}`
      : `  ${' '.repeat(left)}  ${line}`,
  );
}

/** `[wwwmmmvvvggg       |]  7.5 of 31.2 GiB`; the bar is the device, the line what a program may use. */
function barText(bar: MemoryBar): string {
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
  return `${bar.source.padEnd(8)} ${size.padEnd(9)} [${filled.padEnd(BAR_WIDTH)}] ${gib(bar.totalBytes)} of ${gib(bar.usableBytes)}${verdict}  (${legend})`;
}

/** Lines of at most `width` characters, broken at blanks where there are some. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const blank = rest.lastIndexOf(' ', width);
      const end = blank > 0 ? blank : width;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    return [...lines, rest];
  });
}
