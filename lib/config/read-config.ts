import { pathText, problem } from '../problems';
import { TrainingRun, resolvePlatform, sharedOutputFolders } from '../run';
import type { Platform, PlatformSpec, RunSpec, RunWarning } from '../run';
import { TRAINER_KINDS } from '../training';
import type { TrainerKind } from '../training';
import type { LocatedProblem } from './located-problem';
import { SourceDocument } from './source-document';
import type { Environment } from './source-document';

/** A file as it was read: `name` relative to the project's directory. */
export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

/** A remark on a run with its place. */
export interface LocatedWarning extends RunWarning {
  readonly file: string;
  readonly line?: number;
}

/** Platform and runs of a project, or every Problem of all files. */
export interface ProjectConfig {
  readonly platform?: Platform;
  readonly runs: readonly TrainingRun[];
  readonly warnings: readonly LocatedWarning[];
  readonly problems: readonly LocatedProblem[];
}

/** Folder of the run files. */
export const RUNS_FOLDER = 'runs';

const RUN_FILE = /^(.*)\.ya?ml$/;

/**
 * Reads platform.yaml and the run files of a project. Pure: texts and environment come from the caller, and so do the
 * trainer kinds whose sources are at hand. Without a usable platform.yaml the runs are still checked, for what holds on
 * every platform.
 */
export function readConfig(
  platformFile: ConfigFile | undefined,
  runFiles: readonly ConfigFile[],
  environment: Environment,
  trainerKinds: readonly TrainerKind[] = TRAINER_KINDS,
): ProjectConfig {
  const problems: LocatedProblem[] = [];
  const platformDocument = documentOf(platformFile, environment);
  const resolved = resolvePlatform(platformDocument?.value as PlatformSpec);
  const platform = resolved.isStandIn ? undefined : resolved.platform;
  if (platformDocument !== undefined) {
    const own = isReadable(platformDocument) ? resolved.problems : [];
    problems.push(...platformDocument.problems, ...own.map((problem) => platformDocument.locate(problem)));
  }
  const runs: TrainingRun[] = [];
  const warnings: LocatedWarning[] = [];
  const documents = new Map<TrainingRun, SourceDocument>();
  const specs: ReadSpec[] = [];
  for (const file of [...runFiles].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const document = new SourceDocument(file.name, file.text, environment);
    problems.push(...document.problems);
    if (!isReadable(document)) continue;
    // Runs are checked against what could be made of the platform, so that their Problems are shown at the same time.
    const checked = TrainingRun.check(resolved.platform, document.value as RunSpec);
    problems.push(
      ...checked.problems.flatMap((problem) => {
        const [root, ...path] = problem.path;
        if (root !== 'platform') return [document.locate(problem)];
        if (platform === undefined || platformDocument === undefined) return [];
        return [platformDocument.locate({ ...problem, path })];
      }),
    );
    if (checked.spec !== undefined) specs.push({ document, spec: checked.spec });
    if (platform === undefined || checked.run === undefined) continue;
    runs.push(checked.run);
    documents.set(checked.run, document);
    warnings.push(...checked.run.warnings.map((warning) => located(warning, document)));
  }
  for (const { first, other, folder } of sharedOutputFolders(runs)) {
    const document = documents.get(other);
    if (document === undefined) continue;
    const message =
      `the runs ${first.name} and ${other.name} both write to ${folder}: the second one goes on from the checkpoints ` +
      'of the first, or finds nothing to train; give one of them another runName';
    warnings.push(located({ path: ['trainer', 'baseOutputDirectory'], message }, document));
  }
  checkNames(specs, problems);
  checkKinds(specs, trainerKinds, problems);
  return {
    ...(platform === undefined ? {} : { platform }),
    runs,
    warnings,
    problems: withoutRepeats(problems),
  };
}

function located(warning: RunWarning, document: SourceDocument): LocatedWarning {
  return { ...warning, file: document.file, line: document.placeOf(warning.path)?.line };
}

/** A run file of which something could be made. */
interface ReadSpec {
  readonly document: SourceDocument;
  readonly spec: RunSpec;
}

function documentOf(file: ConfigFile | undefined, environment: Environment): SourceDocument | undefined {
  return file === undefined ? undefined : new SourceDocument(file.name, file.text, environment);
}

/** A text that is no YAML has no value that could be looked at. */
function isReadable(document: SourceDocument): boolean {
  return document.problems.length === 0;
}

function checkKinds(
  specs: readonly ReadSpec[],
  trainerKinds: readonly TrainerKind[],
  problems: LocatedProblem[],
): void {
  for (const { document, spec } of specs) {
    if (trainerKinds.includes(spec.trainer.kind)) continue;
    problems.push(
      document.locate(
        problem('TRAINER_KIND_WITHOUT_SOURCES', ['trainer', 'kind'], spec.trainer.kind, {
          trainerKinds: trainerKinds.join(', '),
        }),
      ),
    );
  }
}

function checkNames(specs: readonly ReadSpec[], problems: LocatedProblem[]): void {
  for (const [index, { document, spec }] of specs.entries()) {
    const earlier = specs.slice(0, index).find((other) => other.spec.name === spec.name);
    if (earlier !== undefined) {
      problems.push(
        document.locate(problem('RUN_NAME_TAKEN', ['name'], spec.name, { file: earlier.document.file })),
      );
      continue;
    }
    const stem = RUN_FILE.exec(document.file.split('/').at(-1) ?? '')?.[1];
    if (stem !== spec.name) {
      problems.push(
        document.locate(problem('RUN_NAME_FILE', ['name'], spec.name, { stem: stem ?? '', name: spec.name })),
      );
    }
  }
}

/** Several runs can find the same Problem of the platform. */
function withoutRepeats(problems: readonly LocatedProblem[]): LocatedProblem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = [problem.file, pathText(problem.path), problem.line, problem.column, problem.rule].join('\0');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
