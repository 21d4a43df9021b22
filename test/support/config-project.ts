import { pathText } from '../../lib/problems';
import { describeLocated, readConfig, sortLocated } from '../../lib/config';
import type { LocatedProblem, ProjectConfig } from '../../lib/config';

/** A platform.yaml without Problems. */
export const PLATFORM_YAML = `project: my-project
region: us-east5
zone: us-east5-b
cluster:
  name: tpu-ray
  mode: standard
  version: 1.35.2-gke.1842000
kubeRayVersion: 1.5.0
bucket:
  name: my-bucket
`;

/** A run file without Problems; its name is `train`. */
export const RUN_YAML = `name: train
tpu:
  generation: v6e
  topology: 4x4
image: registry.example/maxtext:1
trainer:
  kind: maxtext
  model: llama3-8b
  steps: 100
  baseOutputDirectory: /data
  mesh:
    ici:
      fsdp: 16
volumes:
  - kind: gcs-fuse
    mountPath: /data
`;

/** A text with one piece of it replaced. Fails when the piece is not there. */
export function edited(text: string, ...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((current, [from, to]) => {
    if (!current.includes(from)) throw new Error(`the text has no '${from}'`);
    return current.replace(from, () => to);
  }, text);
}

/** Reads platform.yaml and runs, given by name. */
export function readProject(
  platform: string = PLATFORM_YAML,
  runs: Readonly<Record<string, string>> = { train: RUN_YAML },
  environment: Readonly<Record<string, string | undefined>> = {},
): ProjectConfig {
  const files = Object.entries(runs).map(([name, text]) => ({ name: `runs/${name}.yaml`, text }));
  return readConfig({ name: 'platform.yaml', text: platform }, files, environment);
}

/** Problems of a project in the order they are printed. */
export function problemsOfProject(...project: Parameters<typeof readProject>): LocatedProblem[] {
  return sortLocated(readProject(...project).problems);
}

/** Problems of the sample run with changes. */
export function problemsOfRun(
  ...changes: readonly (readonly [from: string, to: string])[]
): LocatedProblem[] {
  return problemsOfProject(PLATFORM_YAML, { train: edited(RUN_YAML, ...changes) });
}

/** Where Problems are: `file:line:column path`. */
export function placesOfProblems(problems: readonly LocatedProblem[]): string[] {
  return problems.map(({ file, line, column, path }) =>
    [[file, line, column].filter((part) => part !== undefined).join(':'), pathText(path)]
      .filter((part) => part !== '')
      .join(' '),
  );
}

/** What is printed for Problems, without their ids, which have a test of their own. */
export function printed(problems: readonly LocatedProblem[]): string {
  return problems
    .map(describeLocated)
    .join('\n')
    .replaceAll(/ {2}\[[A-Z_]+\]$|\n {4}see {3}.*/gm, '');
}
