import { problem } from '../problems';
import type { ManifestRule } from './rule';

/** No two objects have the same kind, namespace and name: the second would overwrite the first on apply. */
export const uniqueIdentity: ManifestRule = (manifests) => {
  const namesById = new Map<string, string[]>();
  for (const { id, name } of manifests) namesById.set(id, [...(namesById.get(id) ?? []), name]);
  return [...namesById]
    .filter(([, names]) => names.length > 1)
    .map(([id, names]) => ({
      object: id,
      ...problem('OBJECT_TWICE', ['metadata', 'name'], names[0], { length: names.length }),
    }));
};
