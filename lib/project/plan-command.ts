import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CONDITIONS,
  changeMarkdown,
  changeText,
  compareProjects,
  planPage,
  planText,
  reviewRun,
} from '../review';
import type { Condition, ProjectChange, ReviewedProject } from '../review';
import type { LocatedProblem } from '../config';
import { GitError, withRevision } from './git-revision';
import { directoryOrigin, revisionOrigin } from './review-origin';
import type { ReviewOrigin } from './review-origin';
import { isProject, reviewCommitted, reviewSynthesized } from './reviewed-project';
import type { ReviewResult } from './reviewed-project';
import { describeProblems } from './synthesize';
import type { Terminal } from './terminal';

const EXIT = { shown: 0, refused: 1, usage: 2, condition: 3 } as const;

const USAGE = `usage: cdk8s-tpu-ray plan [DIR [RUN]] [--json | --html FILE]
       cdk8s-tpu-ray plan [DIR] --against REF [--json | --markdown] [--fail-on CONDITION,…]

The first shows what follows from DIR/platform.yaml and DIR/runs/*.yaml; the second what applying it does to a cluster
that has the output of REF: a git revision or a directory. Nothing is written but FILE. Conditions: ${Object.keys(CONDITIONS).join(', ')}.
Exit codes: 0 shown, 1 a project is refused or cannot be read, 2 wrong usage, 3 a condition of --fail-on holds.
`;

/** Columns of a text where nobody says how many there are. */
const DEFAULT_COLUMNS = 120;

class UsageError extends Error {}

interface Options {
  readonly directory: string;
  readonly run: string | undefined;
  readonly json: boolean;
  readonly html: string | undefined;
  readonly against: string | undefined;
  readonly markdown: boolean;
  readonly failOn: readonly Condition[];
}

/** Runs `plan` and gives its exit code. */
export function runPlan(args: readonly string[], terminal: Terminal): number {
  try {
    if (args.includes('--help') || args.includes('-h')) {
      terminal.print(USAGE);
      return EXIT.shown;
    }
    const options = readOptions(args, terminal);
    const after = reviewSynthesized(options.directory, terminal.environment);
    if (after.project === undefined) return refuse(after.problems, terminal);
    return options.against === undefined
      ? show(chosenRuns(after.project, options.run), options, terminal)
      : compare(after.project, options.against, options, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.print(`plan: ${error.message}\n${USAGE}`);
      return EXIT.usage;
    }
    if (error instanceof GitError || isSystemError(error)) {
      terminal.print(`plan: ${error.message}\n`);
      return EXIT.refused;
    }
    throw error;
  }
}

function show(project: ReviewedProject, options: Options, terminal: Terminal): number {
  if (options.html !== undefined) {
    const path = resolve(terminal.workingDirectory, options.html);
    writeFileSync(path, planPage(project));
    terminal.print(`wrote ${path}\n`);
    return EXIT.shown;
  }
  terminal.output(
    options.json
      ? json({ schemaVersion: 1, platform: project.plan.platform, runs: runsOf(project) })
      : `${planText(project, terminal.columns ?? DEFAULT_COLUMNS)}\n`,
  );
  return EXIT.shown;
}

function runsOf(project: ReviewedProject): object[] {
  return project.plan.runs.map((run) => ({ ...reviewRun(project, run), plan: run }));
}

function compare(after: ReviewedProject, against: string, options: Options, terminal: Terminal): number {
  const before = readBefore(against, options, terminal);
  if (before !== undefined && before.project === undefined) return refuse(before.problems, terminal);
  const change = compareProjects(before?.project, after);
  if (options.json) terminal.output(json({ schemaVersion: 1, ...change }));
  else terminal.output(options.markdown ? changeMarkdown(change) : `${changeText(change)}\n`);
  return judge(change, options.failOn, terminal);
}

/** The other side: a directory as it is, or the directory's own past. Nothing when no project was there. */
function readBefore(against: string, { directory }: Options, terminal: Terminal): ReviewResult | undefined {
  const other = resolve(terminal.workingDirectory, against);
  const read = (copy: string, origin: ReviewOrigin): ReviewResult | undefined => {
    if (!isProject(copy)) {
      terminal.print(`plan: ${against} has no such project: all of it is new\n`);
      return undefined;
    }
    const result = reviewCommitted(copy, terminal.environment, origin);
    if (result.project !== undefined && !result.isCommitted) {
      terminal.print(
        `plan: ${against} has no dist/ and plan.json: its files are synthesized by this release instead\n`,
      );
    }
    return result;
  };
  return isProject(other)
    ? read(other, directoryOrigin(against))
    : withRevision(directory, against, (copy, prefix) => read(copy, revisionOrigin(against, prefix)));
}

function judge({ findings }: ProjectChange, failOn: readonly Condition[], terminal: Terminal): number {
  const held = findings.filter(({ condition }) => failOn.includes(condition));
  if (held.length === 0) return EXIT.shown;
  const lines = held.map(({ condition, text }) => `${condition}: ${text}`);
  terminal.print(`plan: --fail-on holds:\n${lines.map((line) => `  ${line}\n`).join('')}`);
  return EXIT.condition;
}

function refuse(problems: readonly LocatedProblem[], terminal: Terminal): number {
  terminal.print(`${describeProblems(problems)}\n`);
  return EXIT.refused;
}

function chosenRuns(project: ReviewedProject, name: string | undefined): ReviewedProject {
  if (name === undefined) return project;
  const runs = project.plan.runs.filter((run) => run.name === name);
  if (runs.length === 0) {
    const names = project.plan.runs.map((run) => run.name).join(', ');
    throw new UsageError(`there is no run ${name}: the runs are ${names}`);
  }
  return { ...project, plan: { ...project.plan, runs } };
}

function readOptions(args: readonly string[], { workingDirectory }: Terminal): Options {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        html: { type: 'string' },
        against: { type: 'string' },
        markdown: { type: 'boolean', default: false },
        'fail-on': { type: 'string', default: '' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = parsed;
  const { json: isJson, html, against, markdown } = values;
  const [directory = '.', run] = positionals;
  const failOn = values['fail-on'].split(',').filter((name) => name !== '');
  const unknown = failOn.filter((name) => !Object.hasOwn(CONDITIONS, name));
  const faults = [
    ...(positionals.length > 2 ? ['at most a directory and a run'] : []),
    ...(unknown.length === 0
      ? []
      : [`--fail-on knows ${Object.keys(CONDITIONS).join(', ')}, not ${unknown.join(', ')}`]),
    ...(against === undefined && (markdown || failOn.length > 0)
      ? ['--markdown and --fail-on need --against']
      : []),
    ...(against !== undefined && (html !== undefined || run !== undefined)
      ? ['--against compares all runs, as text, --json or --markdown']
      : []),
    ...([isJson, html !== undefined, markdown].filter(Boolean).length > 1
      ? ['one form of output at a time']
      : []),
  ];
  if (faults.length > 0) throw new UsageError(faults.join('; '));
  return {
    directory: resolve(workingDirectory, directory),
    run,
    json: isJson,
    html,
    against,
    markdown,
    failOn: failOn as Condition[],
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
