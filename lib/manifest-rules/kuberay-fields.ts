import type { FieldAge } from '../kuberay/field-age';
import { POD_TEMPLATE_FIELDS, RAY_CLUSTER_FIELDS } from '../kuberay/fields.generated';
import { compareKubeRayVersions, type KubeRayVersion } from '../kuberay/versions';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asList, isObject } from './json';
import { forEachManifest } from './rule';

/** The tables' paths, split once. `[]` stands for every item of a list. */
const CLUSTER_FIELDS = splitPaths(RAY_CLUSTER_FIELDS);
const TEMPLATE_FIELDS = splitPaths(POD_TEMPLATE_FIELDS);

interface AgedPath {
  readonly steps: readonly string[];
  readonly age: FieldAge;
}

/**
 * A RayCluster has only fields that the KubeRay release in the cluster knows: others are dropped in silence. Fields that no release is
 * known to have pass, so that one can be tried.
 */
export const kubeRayFields = forEachManifest((manifest, { kubeRayVersion }) => {
  if (manifest.kind !== 'RayCluster') return [];
  return [
    ...problemsOf(manifest.object, [], CLUSTER_FIELDS, kubeRayVersion),
    ...manifest.pods.flatMap(({ path, metadata, spec }) =>
      problemsOf({ metadata, spec }, path, TEMPLATE_FIELDS, kubeRayVersion),
    ),
  ];
});

function problemsOf(
  root: unknown,
  prefix: Path,
  fields: readonly AgedPath[],
  version: KubeRayVersion,
): Problem[] {
  return fields
    .filter(({ age }) => !isKnown(age, version))
    .flatMap(({ steps, age }) =>
      find(root, prefix, steps).map(({ path, value }) =>
        problem('KUBERAY_FIELD', path, value, { reason: ruleOf(age, version), advice: fixOf(age) }),
      ),
    );
}

function isKnown({ since, removed }: FieldAge, version: KubeRayVersion): boolean {
  const isOldEnough = compareKubeRayVersions(version, since) >= 0;
  return isOldEnough && (removed === undefined || compareKubeRayVersions(version, removed) < 0);
}

function ruleOf({ since, removed }: FieldAge, version: KubeRayVersion): string {
  const end = removed === undefined ? '' : ` and was removed in ${removed}`;
  return `this field came with KubeRay ${since}${end}, and the cluster has ${version}, which would drop it`;
}

function fixOf({ since, removed }: FieldAge): string {
  return removed === undefined ? `remove it, or use KubeRay ${since} or newer and say so` : 'remove it';
}

function find(
  node: unknown,
  path: Path,
  steps: readonly string[],
): { readonly path: Path; readonly value: unknown }[] {
  const [step, ...rest] = steps;
  if (step === undefined) return node === undefined ? [] : [{ path, value: node }];
  if (step === '[]') return asList(node).flatMap((item, index) => find(item, [...path, index], rest));
  return isObject(node) ? find(node[step], [...path, step], rest) : [];
}

function splitPaths(table: Readonly<Record<string, FieldAge>>): AgedPath[] {
  return Object.entries(table).map(([path, age]) => ({
    steps: path.replaceAll('[]', '.[]').split('.'),
    age,
  }));
}
