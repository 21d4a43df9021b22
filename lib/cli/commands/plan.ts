import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { LocatedProblem } from '../../config';
import {
  GitError,
  describeProblems,
  directoryOrigin,
  isProject,
  reviewCommitted,
  reviewSynthesized,
  revisionOrigin,
  withRevision,
} from '../../project';
import type { ReviewOrigin, ReviewResult } from '../../project';
import {
  CONDITIONS,
  RENAMED_CONDITIONS,
  changeMarkdown,
  changeText,
  compareProjects,
  planPage,
  planText,
  reviewRun,
} from '../../review';
import type { Condition, ProjectChange, ReviewedProject } from '../../review';
import { UsageError, json } from '../command';
import type { CliCommand } from '../command';
import type { Terminal } from '../terminal';

const EXIT = { shown: 0, refused: 1, condition: 3 } as const;

/** Columns of a text where nobody says how many there are. */
const DEFAULT_COLUMNS = 80;

interface Options {
  readonly directory: string;
  readonly run: string | undefined;
  readonly json?: boolean;
  readonly html?: string;
  readonly against?: string;
  readonly markdown?: boolean;
  readonly failOn: readonly Condition[];
}

export const planCommand: CliCommand = {
  name: 'plan',
  summary: 'show what follows from a project, or what a change of it does',
  details: `Without --against: what follows from DIR/platform.yaml and DIR/runs/*.yaml. With it: what applying that does to a
cluster that has the output of REF, a git revision or a directory. Nothing is written but FILE.
Conditions: ${Object.keys(CONDITIONS).join(', ')}.`,
  declare: (command) =>
    command
      .argument('[DIR]', 'directory of the project', '.')
      .argument('[RUN]', 'name of a run; without it all are shown')
      .option('--json', 'for programs, problems included')
      .option('--html <FILE>', 'write a page with a drawing')
      .option('--against <REF>', 'compare with a git revision or a directory')
      .option('--markdown', 'the comparison for a comment on a pull request')
      .addOption(
        new Option('--fail-on <CONDITION,...>', 'end with 3 when one of these holds')
          .choices(Object.keys(CONDITIONS))
          .argParser(readConditions)
          .default([], 'none'),
      ),
  run: (given, terminal) => {
    const options = readOptions(given, terminal);
    try {
      const after = reviewSynthesized(options.directory, terminal.environment);
      if (after.project === undefined) return refuse(after.problems, options, terminal);
      return options.against === undefined
        ? show(chosenRuns(after.project, options.run), options, terminal)
        : compare(after.project, options.against, options, terminal);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      terminal.print(`plan: ${error.message}\n`);
      return EXIT.refused;
    }
  },
};

function show(project: ReviewedProject, options: Options, terminal: Terminal): number {
  if (options.html !== undefined) {
    const path = resolve(terminal.workingDirectory, options.html);
    writeFileSync(path, planPage(project));
    terminal.print(`wrote ${path}\n`);
    return EXIT.shown;
  }
  terminal.output(
    options.json === true
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
  if (before !== undefined && before.project === undefined) return refuse(before.problems, options, terminal);
  const change = compareProjects(before?.project, after);
  if (options.json === true) terminal.output(json({ schemaVersion: 1, ...change }));
  else terminal.output(options.markdown === true ? changeMarkdown(change) : `${changeText(change)}\n`);
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

function refuse(problems: readonly LocatedProblem[], options: Options, terminal: Terminal): number {
  if (options.json === true) terminal.output(json({ schemaVersion: 1, problems }));
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

function readConditions(text: string): Condition[] {
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !Object.hasOwn(CONDITIONS, name));
  const renamed = unknown.filter((name) => Object.hasOwn(RENAMED_CONDITIONS, name));
  if (renamed.length > 0) {
    const now = renamed.map((name) => `${name} is now ${RENAMED_CONDITIONS[name] ?? ''}`).join(', ');
    throw new InvalidArgumentError(`${now}.`);
  }
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `Conditions are ${Object.keys(CONDITIONS).join(', ')}, not ${unknown.join(', ')}.`,
    );
  }
  return names as Condition[];
}

function readOptions(given: Command, { workingDirectory }: Terminal): Options {
  const [directory = '.', run] = given.args;
  const options = given.opts<Omit<Options, 'directory' | 'run'>>();
  const { json: isJson = false, html, against, markdown = false, failOn } = options;
  const faults = [
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
  return { ...options, directory: resolve(workingDirectory, directory), run };
}
