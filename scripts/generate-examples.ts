import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatPlan } from '../lib/plan';
import { MANIFEST_SUFFIX, writeOutput } from '../lib/project/output-transaction';
import { describeProblems, synthesize } from '../lib/project/synthesize';
import type { Synthesis } from '../lib/project/synthesize';

/** Folder of the examples, each a project directory. */
export const EXAMPLES_FOLDER = 'examples';

/** The projects of the repository, relative to its root: the quick start (`.`) and every example, in order. */
export function projectDirectories(root: string): string[] {
  const folders = readdirSync(join(root, EXAMPLES_FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${EXAMPLES_FOLDER}/${entry.name}`)
    .sort();
  return ['.', ...folders];
}

/**
 * The synthesis of a project of this repository. Nothing of this process's environment takes part, so that `CDK8S_OUTDIR`
 * and values for `${NAME}` change no committed byte.
 * @throws when the project has Problems
 */
export function synthesizeExample(directory: string): Synthesis {
  const { synthesis, problems } = synthesize(directory, {});
  if (synthesis === undefined) throw new Error(`${directory}:\n${describeProblems(problems)}`);
  return synthesis;
}

/** Everything a synthesis writes: path relative to the project -> text. */
export function outputOf(synthesis: Synthesis): Map<string, string> {
  return new Map([
    ...[...synthesis.manifests].map(([name, text]): [string, string] => [`dist/${name}`, text]),
    ['plan.json', formatPlan(synthesis.plan)],
    ['infrastructure.tsv', synthesis.infrastructureTsv],
  ]);
}

/** Output files that lie in a project now: relative path -> text. */
export function committedOutput(directory: string): Map<string, string> {
  const dist = join(directory, 'dist');
  const manifests = existsSync(dist) ? readdirSync(dist).map((name) => `dist/${name}`) : [];
  const names = [...manifests, 'plan.json', 'infrastructure.tsv'];
  return new Map(
    names
      .filter((name) => existsSync(join(directory, name)))
      .map((name): [string, string] => [name, readFileSync(join(directory, name), 'utf8')]),
  );
}

/**
 * Synthesizes the quick start and every example.
 *
 * @param check true writes nothing
 * @returns files that differ from what is there, those that are there too many included, relative to the root
 */
export function generateExamples(root: string, check: boolean): string[] {
  return projectDirectories(root).flatMap((project) => {
    const directory = join(root, project);
    const output = outputOf(synthesizeExample(directory));
    const present = committedOutput(directory);
    const differing = [...new Set([...output.keys(), ...present.keys()])].filter(
      (name) => output.get(name) !== present.get(name),
    );
    if (!check && differing.length > 0) write(directory, output);
    return differing.map((name) => (project === '.' ? name : `${project}/${name}`)).sort();
  });
}

function write(directory: string, output: ReadonlyMap<string, string>): void {
  const entries = [...output];
  const isManifest = (name: string): boolean => name.startsWith('dist/') && name.endsWith(MANIFEST_SUFFIX);
  writeOutput(join(directory, 'dist'), {
    manifests: new Map(
      entries
        .filter(([name]) => isManifest(name))
        .map(([name, text]): [string, string] => [name.slice('dist/'.length), text]),
    ),
    files: new Map(
      entries
        .filter(([name]) => !isManifest(name))
        .map(([name, text]): [string, string] => [join(directory, name), text]),
    ),
  });
}
