import Ajv from 'ajv';
import type { ValidateFunction } from 'ajv';
import { NEWEST_KUBERAY_VERSION } from '../kuberay/versions';
import { TrainingRun, resolvePlatform } from '../run';
import type { Platform, PlatformSpec, RunSpec, RunWarning } from '../run';
import { TRAINER_KINDS } from '../training';
import type { TrainerKind } from '../training';
import { assumedValue } from './assumed-value';
import type { LocatedProblem } from './located-problem';
import schema from './schema.json';
import { schemaProblems } from './schema-problems';
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

/** Stands in for a platform.yaml that cannot be used: a run that is refused on it is refused on every platform. */
function anyPlatform(): Platform {
  return resolvePlatform({
    project: 'any-project',
    region: 'us-east5',
    zone: 'us-east5-b',
    cluster: { name: 'any', mode: 'standard', version: '9.0.0-gke.0' },
    kubeRayVersion: NEWEST_KUBERAY_VERSION,
    bucket: { name: 'any-bucket' },
  }).platform;
}

let validators: { platform: ValidateFunction; run: ValidateFunction } | undefined;

/** Compiled once, and only when a project is read. */
function compiled(): { platform: ValidateFunction; run: ValidateFunction } {
  if (validators === undefined) {
    const ajv = new Ajv({ allErrors: true, strict: false, verbose: true });
    ajv.addSchema(schema, 'config');
    const validator = (name: string): ValidateFunction =>
      ajv.compile({ $ref: `config#/definitions/${name}` });
    validators = { platform: validator('PlatformSpec'), run: validator('RunSpec') };
  }
  return validators;
}

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
  const platformDocument =
    platformFile === undefined
      ? undefined
      : new SourceDocument(platformFile.name, platformFile.text, environment);
  const platform = platformDocument === undefined ? undefined : readPlatform(platformDocument, problems);
  const documents = [...runFiles]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((file) => new SourceDocument(file.name, file.text, environment));
  const specs = documents.flatMap((document) => {
    problems.push(...document.problems);
    const spec =
      document.problems.length > 0 ? undefined : validated<RunSpec>(document, compiled().run, problems);
    return spec === undefined ? [] : [{ document, spec }];
  });
  checkNames(specs, problems);
  for (const { document, spec } of specs) {
    if (trainerKinds.includes(spec.trainer.kind)) continue;
    problems.push(
      document.locate({
        path: 'trainer.kind',
        value: spec.trainer.kind,
        rule: `this version carries the sources of ${trainerKinds.join(', ')}, and none for this kind`,
        fix: 'use another kind, or a version of cdk8s-tpu-ray that has it',
      }),
    );
  }
  const runs: TrainingRun[] = [];
  const warnings: LocatedWarning[] = [];
  for (const { document, spec } of specs) {
    const checked = TrainingRun.check(platform ?? anyPlatform(), spec);
    problems.push(
      ...checked.problems.flatMap((problem) => {
        if (!problem.path.startsWith('platform.')) return [document.locate(problem)];
        if (platform === undefined || platformDocument === undefined) return [];
        return [platformDocument.locate({ ...problem, path: problem.path.slice('platform.'.length) })];
      }),
    );
    if (platform === undefined || checked.run === undefined) continue;
    runs.push(checked.run);
    warnings.push(
      ...checked.run.warnings.map((warning) => {
        const { file, line } = document.locate({ path: warning.path, value: undefined, rule: '', fix: '' });
        return { ...warning, file, ...(line === undefined ? {} : { line }) };
      }),
    );
  }
  return {
    ...(platform === undefined ? {} : { platform }),
    runs,
    warnings,
    problems: withoutRepeats(problems),
  };
}

function readPlatform(document: SourceDocument, problems: LocatedProblem[]): Platform | undefined {
  problems.push(...document.problems);
  if (document.problems.length > 0) return undefined;
  const spec = validated<PlatformSpec>(document, compiled().platform, problems);
  if (spec === undefined) return undefined;
  const resolved = resolvePlatform(spec);
  problems.push(...resolved.problems.map((problem) => document.locate(problem)));
  // Runs are checked against what could be resolved, so that their Problems are shown at the same time.
  return resolved.platform;
}

function validated<T>(
  document: SourceDocument,
  validate: ValidateFunction,
  problems: LocatedProblem[],
): T | undefined {
  if (validate(document.value)) return document.value as T;
  const errors = validate.errors ?? [];
  problems.push(...schemaProblems(errors, document.value).map((problem) => document.locate(problem)));
  const assumed: unknown = assumedValue(document.value, errors);
  return validate(assumed) ? (assumed as T) : undefined;
}

function checkNames(
  specs: readonly { readonly document: SourceDocument; readonly spec: RunSpec }[],
  problems: LocatedProblem[],
): void {
  for (const [index, { document, spec }] of specs.entries()) {
    const earlier = specs.slice(0, index).find((other) => other.spec.name === spec.name);
    if (earlier !== undefined) {
      problems.push(
        document.locate({
          path: 'name',
          value: spec.name,
          rule: `every run has a name of its own, and ${earlier.document.file} has this one`,
          fix: 'rename one of the two runs',
        }),
      );
      continue;
    }
    const stem = RUN_FILE.exec(document.file.split('/').at(-1) ?? '')?.[1];
    if (stem !== spec.name) {
      problems.push(
        document.locate({
          path: 'name',
          value: spec.name,
          rule: `a run has the name of its file, here ${stem ?? ''}`,
          fix: `rename the file to ${RUNS_FOLDER}/${spec.name}.yaml, or the run to ${stem ?? ''}`,
        }),
      );
    }
  }
}

/** Several runs can find the same Problem of the platform. */
function withoutRepeats(problems: readonly LocatedProblem[]): LocatedProblem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = [problem.file, problem.path, problem.line, problem.column, problem.rule].join('\0');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
