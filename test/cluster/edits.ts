import type { Edit, Step } from './broken-manifests';
import type { KubernetesObject } from './kubernetes-object';

type Container = Record<Step, unknown>;

/**
 * Copies objects and changes the copies.
 * @throws Error when an edit has no object, or its path leads nowhere: it would break nothing
 */
export function edited(objects: readonly KubernetesObject[], edits: readonly Edit[]): KubernetesObject[] {
  const copies = structuredClone(objects) as KubernetesObject[];
  for (const { kind, at, to } of edits) {
    const object = copies.find((candidate) => candidate.kind === kind);
    const last = at.at(-1);
    if (object === undefined || last === undefined) throw new Error(`there is no ${kind} to edit`);
    const parent = descend(object as unknown as Container, at.slice(0, -1), kind, to !== undefined);
    if (to === undefined && !(last in parent)) throw new Error(`${kind} has no ${at.join('.')} to remove`);
    if (to === undefined) Reflect.deleteProperty(parent, last);
    else parent[last] = to;
  }
  return copies;
}

function descend(object: Container, path: readonly Step[], kind: string, create: boolean): Container {
  let place = object;
  for (const [depth, step] of path.entries()) {
    if (place[step] === undefined && create) place[step] = typeof path[depth + 1] === 'number' ? [] : {};
    const next = place[step];
    if (typeof next !== 'object' || next === null)
      throw new Error(`${kind} has no ${path.slice(0, depth + 1).join('.')}`);
    place = next as Container;
  }
  return place;
}
