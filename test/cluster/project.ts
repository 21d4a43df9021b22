import type { KubernetesObject } from './kubernetes-object';
import type { Plan, RunPlan } from './plan';

/** What a project becomes: its plan, and the objects of its manifests by file. */
export interface Project {
  readonly plan: Plan;
  /** File name without folder -> objects, in the order in which `kubectl apply -f dist/` reads them. */
  readonly files: ReadonlyMap<string, readonly KubernetesObject[]>;
}

/** Objects that all runs of a project share: service account, trainer sources. */
export function sharedObjects({ plan, files }: Project): KubernetesObject[] {
  const ofRuns = new Set(plan.runs.map(({ manifest }) => manifest));
  return [...files].filter(([name]) => !ofRuns.has(name)).flatMap(([, objects]) => objects);
}

/** Objects of one run. */
export function objectsOfRun({ files }: Project, run: RunPlan): readonly KubernetesObject[] {
  const objects = files.get(run.manifest);
  if (objects === undefined)
    throw new Error(`the plan names '${run.manifest}', which is not among the manifests`);
  return objects;
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
