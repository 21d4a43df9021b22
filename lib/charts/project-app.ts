import { App, YamlOutputType } from 'cdk8s';
import type { TrainerKind } from '../training';
import type { Platform, TrainerSourceFiles, TrainingRun } from '../run';
import { PlatformChart } from './platform-chart';
import { RunChart } from './run-chart';
import { TrainerChart } from './trainer-chart';

/** What a project's manifests are made from. */
export interface ProjectAppProps {
  readonly platform: Platform;
  readonly runs: readonly TrainingRun[];
  /** Sources of every trainer kind that a run uses. */
  readonly sources: ReadonlyMap<TrainerKind, TrainerSourceFiles>;
  /** Folder the app writes to when `synth` is called on it. */
  readonly outdir: string;
}

/**
 * The cdk8s app of a project: `00-platform`, `01-trainer-<kind>` for each kind in use, then one chart a run, all in the
 * order of their names.
 */
export function createProjectApp(props: ProjectAppProps): App {
  const app = new App({ outdir: props.outdir, yamlOutputType: YamlOutputType.FILE_PER_CHART });
  new PlatformChart(app, '00-platform', props.platform);
  const charts = new Map<TrainerKind, TrainerChart>();
  const kinds = [...new Set(props.runs.map((run) => run.trainer.kind))].sort();
  for (const kind of kinds) {
    const files = props.sources.get(kind);
    if (files === undefined) throw new Error(`no sources were given for the trainer kind '${kind}'`);
    charts.set(kind, new TrainerChart(app, `01-trainer-${kind}`, props.platform.namespace, files));
  }
  const runs = [...props.runs].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const run of runs) {
    const trainer = charts.get(run.trainer.kind);
    if (trainer !== undefined) new RunChart(app, run.name, run, trainer.sources);
  }
  return app;
}
