import { ApiObject } from 'cdk8s';
import { createProjectApp } from '../../lib/charts/project-app';
import { readConfig } from '../../lib/config';
import type { ConfigFile, ProjectConfig } from '../../lib/config';
import { TrainerSourceFiles } from '../../lib/run';
import { SUBMITTER_MODULE, trainerKind } from '../../lib/training';
import type { TrainerKind } from '../../lib/training';

/** What a project's texts come to, without touching the disk. */
export interface RenderedProject extends ProjectConfig {
  /** Every object of every chart; empty when there are Problems. */
  readonly objects: readonly Record<string, unknown>[];
}

/** The trainers' real sources are another test's business; rendering only carries them. */
function inertSources(kind: TrainerKind): TrainerSourceFiles {
  const modules = [trainerKind(kind).module, SUBMITTER_MODULE];
  const files = modules.map((module) => [`${module.replaceAll('.', '/')}.py`, 'print("inert")\n']);
  return new TrainerSourceFiles(kind, Object.fromEntries(files) as Record<string, string>);
}

/** Reads platform and runs and renders them as `npm run synth` would. `runs` are texts by run name. */
export function renderProject(platform: string, runs: Readonly<Record<string, string>>): RenderedProject {
  const files = Object.entries(runs).map(([name, text]): ConfigFile => ({ name: `runs/${name}.yaml`, text }));
  const config = readConfig({ name: 'platform.yaml', text: platform }, files, {});
  if (config.platform === undefined || config.problems.length > 0) return { ...config, objects: [] };
  const kinds = [...new Set(config.runs.map((run) => run.trainer.kind))];
  const app = createProjectApp({
    platform: config.platform,
    runs: config.runs,
    sources: new Map(kinds.map((kind) => [kind, inertSources(kind)])),
    outdir: 'unused',
  });
  const objects = app.node
    .findAll()
    .filter((construct) => ApiObject.isApiObject(construct))
    .map((object) => object.toJson() as Record<string, unknown>);
  return { ...config, objects };
}
