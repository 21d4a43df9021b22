import { POD_TEMPLATE_FIELD_NAMES, RAY_CLUSTER_FIELD_NAMES } from '../kuberay/field-names.generated';
import { nearestName } from '../nearest-name';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { isObject } from './json';
import type { Manifest } from './manifest';
import { forEachManifest } from './rule';

/**
 * No field of a RayCluster or of any pod template is a misspelling of a known one: a GitOps controller without strict validation drops it in
 * silence. Fields unlike every known one pass, so that one of a release newer than this package can be tried.
 */
export const fieldNames = forEachManifest((manifest) => [
  ...clusterProblems(manifest),
  ...manifest.pods.flatMap(({ path, metadata, spec }) =>
    visit({ metadata, spec }, path, '', POD_TEMPLATE_FIELD_NAMES),
  ),
]);

/** Field names by the path of their parent, as the tables have them. */
type Names = Readonly<Record<string, string>>;

/** RayJob and RayService carry the same spec elsewhere. */
function clusterProblems({ rayClusters }: Manifest): Problem[] {
  return rayClusters.flatMap(({ path, spec }) => visit(spec, path, 'spec', RAY_CLUSTER_FIELD_NAMES));
}

function visit(node: unknown, path: Path, parent: string, names: Names): Problem[] {
  if (Array.isArray(node)) {
    return node.flatMap((item, index) => visit(item, [...path, index], `${parent}[]`, names));
  }
  if (!isObject(node)) return [];
  const known = names[parent]?.split(' ');
  return Object.entries(node).flatMap(([name, value]): Problem[] => {
    const at = [...path, name];
    if (known === undefined) return visit(value, at, `${parent}.*`, names);
    if (known.includes(name)) return visit(value, at, parent === '' ? name : `${parent}.${name}`, names);
    const meant = nearestName(name, known);
    if (meant === undefined) return [];
    return [problem('FIELD_MISSPELT', at, value, { meant })];
  });
}
