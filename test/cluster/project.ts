import type { KubernetesObject } from './kubernetes-object';
import type { PlannedProject, PlannedRun } from '../../lib/plan';

/** What a project becomes: its plan, and the objects of its manifests by file. */
export interface Project {
  readonly plan: PlannedProject;
  /** File name without folder -> objects, in the order in which `kubectl apply -f dist/` reads them. */
  readonly files: ReadonlyMap<string, readonly KubernetesObject[]>;
}

/** Names of the files that all runs of a project share: service account, trainer sources. */
export function sharedFiles({ plan, files }: Project): string[] {
  const ofRuns = new Set(plan.runs.map(({ manifest }) => manifest));
  return [...files.keys()].filter((name) => !ofRuns.has(name));
}

/** Objects of one run. */
export function objectsOfRun({ files }: Project, run: PlannedRun): readonly KubernetesObject[] {
  const objects = files.get(run.manifest);
  if (objects === undefined)
    throw new Error(`the plan names '${run.manifest}', which is not among the manifests`);
  return objects;
}

/** Objects of some files of a project. */
export function objectsOf({ files }: Project, names: readonly string[]): KubernetesObject[] {
  return names.flatMap((name) => files.get(name) ?? []);
}

/** The one object of a kind. */
export function only<T extends KubernetesObject>(objects: readonly KubernetesObject[], kind: string): T {
  const [object, ...more] = objects.filter((candidate) => candidate.kind === kind);
  if (object === undefined || more.length > 0) {
    throw new Error(
      `${String(more.length + (object === undefined ? 0 : 1))} objects of kind ${kind}, 1 expected`,
    );
  }
  return object as T;
}
