import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubernetesObject } from './kubernetes-object';
import type { PlannedProject } from '../../lib/plan';
import type { Project } from './project';
import { parseObjects } from './synthesized-project';

const ROOT = join(__dirname, '../..');

/** A project of the repository, synthesized by the command a user runs. */
export interface Example {
  /** Name of its folder; the root is the quick start. */
  readonly name: string;
  readonly project: Project;
  /** Folder with its manifests. */
  readonly dist: string;
}

/** Folders of the repository that are projects: the root, and those under `examples/`. */
export function exampleFolders(): { readonly name: string; readonly folder: string }[] {
  const examples = readdirSync(join(ROOT, 'examples'))
    .sort()
    .map((name) => ({ name, folder: join(ROOT, 'examples', name) }));
  return [{ name: 'quick-start', folder: ROOT }, ...examples].filter(({ folder }) =>
    existsSync(join(folder, 'platform.yaml')),
  );
}

/**
 * Synthesizes a copy of an example with the project's own command.
 *
 * @param copies folder for the copy
 * @throws Error with the command's messages when it refuses the project
 */
export async function synthesizeExample(name: string, folder: string, copies: string): Promise<Example> {
  const copy = join(copies, name);
  mkdirSync(copy, { recursive: true });
  cpSync(join(folder, 'platform.yaml'), join(copy, 'platform.yaml'));
  cpSync(join(folder, 'runs'), join(copy, 'runs'), { recursive: true });
  await promisify(execFile)(process.execPath, [join(ROOT, 'bin/cdk8s-tpu-ray.cjs'), 'synth', copy]);
  const dist = join(copy, 'dist');
  const names = readdirSync(dist).sort();
  return {
    name,
    dist,
    project: {
      plan: JSON.parse(readFileSync(join(copy, 'plan.json'), 'utf8')) as PlannedProject,
      files: new Map(
        names.map((file): [string, KubernetesObject[]] => [
          file,
          parseObjects(readFileSync(join(dist, file), 'utf8')),
        ]),
      ),
    },
  };
}
