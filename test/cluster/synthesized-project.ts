import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { describeProblems, synthesize } from '../../lib/project';
import type { PlatformSpec, RunSpec } from '../../lib/run';
import type { KubernetesObject } from './kubernetes-object';
import type { PlannedProject } from '../../lib/plan';
import type { Project } from './project';

/**
 * The project that platform and runs make up, by way of its files.
 * @throws Error with every Problem when the project is refused
 */
export function synthesizeProject(platform: PlatformSpec, runs: readonly RunSpec[]): Project {
  const directory = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-project-'));
  try {
    mkdirSync(join(directory, 'runs'));
    // JSON is YAML.
    writeFileSync(join(directory, 'platform.yaml'), JSON.stringify(platform, null, 2));
    for (const run of runs)
      writeFileSync(join(directory, 'runs', `${run.name}.yaml`), JSON.stringify(run, null, 2));
    const { synthesis, problems } = synthesize(directory, {});
    if (synthesis === undefined) throw new Error(describeProblems(problems));
    return {
      plan: JSON.parse(JSON.stringify(synthesis.plan)) as PlannedProject,
      files: new Map([...synthesis.manifests].map(([name, text]) => [name, parseObjects(text)])),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Objects of a manifest file. */
export function parseObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}
