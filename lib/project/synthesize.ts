import { problem } from '../problems';
import { ApiObject, Chart, Yaml } from 'cdk8s';
import type { App } from 'cdk8s';
import { createProjectApp } from '../charts';
import { RUNS_FOLDER, describeLocated, readConfig, sortLocated } from '../config';
import type { Environment, LocatedProblem, LocatedWarning } from '../config';
import { planInfrastructure, renderInfrastructureTsv } from '../infrastructure';
import type { InfrastructurePlan } from '../infrastructure';
import { checkManifests } from '../manifest-rules';
import { planProject } from '../plan';
import type { PlannedProject } from '../plan';
import { externalReferences } from './external-references';
import { largeObjects } from './large-objects';
import { readFits } from './fit-files';
import { isManifest } from '../review';
import type { Manifest } from '../review';
import type { Platform, TrainerSourceFiles, TrainingRun } from '../run';
import type { Fit, TrainerKind } from '../training';
import { MANIFEST_SUFFIX } from './output-transaction';
import { PLATFORM_FILE, readProjectFiles } from './project-files';
import { summarize } from './summary';
import { availableTrainerKinds, loadTrainerSources } from './trainer-sources-loader';

/** Everything a project becomes, before anything is written. */
export interface Synthesis {
  readonly platform: Platform;
  readonly runs: readonly TrainingRun[];
  readonly infrastructure: InfrastructurePlan;
  /** File name -> YAML. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Every rendered object, in the order of the files. */
  readonly objects: readonly unknown[];
  readonly plan: PlannedProject;
  readonly infrastructureTsv: string;
  readonly summary: string;
  readonly warnings: readonly LocatedWarning[];
}

/** Either a synthesis or every Problem. */
export type SynthesisResult =
  | { readonly synthesis: Synthesis; readonly problems: readonly [] }
  | { readonly synthesis?: undefined; readonly problems: readonly LocatedProblem[] };

/** Reads a project directory and computes all of its output; writes nothing. */
export function synthesize(directory: string, environment: Environment): SynthesisResult {
  const files = readProjectFiles(directory);
  const config = readConfig(files.platform, files.runs, environment, availableTrainerKinds());
  const problems = [...files.problems, ...config.problems];
  if (config.platform === undefined || problems.length > 0) return { problems: sortLocated(problems) };
  return render(config.platform, config.runs, config.warnings, readFits(directory, config.runs));
}

function render(
  platform: Platform,
  runs: readonly TrainingRun[],
  warnings: readonly LocatedWarning[],
  fits: ReadonlyMap<string, Fit>,
): SynthesisResult {
  const planned = planInfrastructure(platform, runs);
  const sources = new Map<TrainerKind, TrainerSourceFiles>();
  for (const { trainer } of runs) {
    if (!sources.has(trainer.kind)) sources.set(trainer.kind, loadTrainerSources(trainer.kind));
  }
  const problems: LocatedProblem[] = [
    ...planned.problems.map((problem) => ({ file: PLATFORM_FILE, ...problem })),
    ...[...sources.values()].flatMap((files) => {
      const problem = files.sizeProblem();
      return problem === undefined ? [] : [{ file: 'trainers', ...problem }];
    }),
  ];
  if (problems.length > 0) return { problems };
  const remarks = [
    ...warnings,
    ...planned.warnings.map(({ run, ...warning }) => ({ file: `${RUNS_FOLDER}/${run}.yaml`, ...warning })),
  ];
  const app = createProjectApp({ platform, runs, sources, outdir: 'unused' });
  const charts = renderCharts(app);
  const objects = charts.flatMap((chart) => chart.objects);
  problems.push(...validateApp(app), ...checkObjects(platform, objects, runs));
  if (problems.length > 0) return { problems };
  const jobs = jobNames(charts);
  const said = [...remarks, ...largeObjects(charts)];
  return {
    problems: [],
    synthesis: {
      platform,
      runs,
      infrastructure: planned.plan,
      manifests: new Map(
        charts.map(({ name, objects: own }) => [`${name}${MANIFEST_SUFFIX}`, Yaml.stringify(...own)]),
      ),
      objects,
      plan: planProject(platform, runs, planned.plan, jobs),
      infrastructureTsv: renderInfrastructureTsv(planned.plan),
      summary: summarize(runs, planned.plan, said, fits, (run) => jobs.get(run.name) ?? ''),
      warnings: said,
    },
  };
}

/**
 * Objects of every chart, each rendered once. `Chart.toJson` would validate the whole app for every chart, which makes
 * a thousand runs a million visits.
 */
function renderCharts(app: App): { name: string; objects: unknown[] }[] {
  return app.node.children
    .filter((child) => Chart.isChart(child))
    .map((chart) => ({
      name: chart.node.id,
      objects: chart.node
        .findAll()
        .filter((construct) => ApiObject.isApiObject(construct))
        .map((object) => object.toJson() as unknown),
    }));
}

/** Names of Jobs as they are rendered, by the name of the chart, which is the run's. */
function jobNames(
  charts: readonly { readonly name: string; readonly objects: readonly unknown[] }[],
): Map<string, string> {
  return new Map(
    charts.flatMap(({ name, objects }) =>
      objects
        .filter((object): object is Manifest => isManifest(object) && object.kind === 'Job')
        .map((job): [string, string] => [name, job.metadata.name]),
    ),
  );
}

/** What constructs of the app object to by `node.addValidation`. */
function validateApp(app: App): LocatedProblem[] {
  return app.node.findAll().flatMap((construct) =>
    construct.node.validate().map((message) => ({
      file: construct.node.path,
      ...problem('CONSTRUCT_INVALID', [], undefined, { reason: message }),
    })),
  );
}

function checkObjects(
  platform: Platform,
  objects: readonly unknown[],
  runs: readonly TrainingRun[],
): LocatedProblem[] {
  const options = {
    kubeRayVersion: platform.kubeRayVersion,
    external: externalReferences(platform, runs),
    notSecret: runs.flatMap((run) => run.notSecret),
  };
  return checkManifests(objects, options).map(({ object, ...problem }) => ({ file: object, ...problem }));
}

/** The Problems as one text, with a last line that counts them. */
export function describeProblems(problems: readonly LocatedProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`;
  return [...problems.map(describeLocated), `${count}; nothing was written`].join('\n');
}
