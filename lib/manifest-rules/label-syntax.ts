import { labelKeyError, labelValueError } from '../kubernetes/labels';
import type { Problem } from '../problem';
import { asObject, fieldPath, type JsonObject } from './json';
import { forEachManifest } from './rule';

/**
 * Keys and values of labels, and keys of annotations, are legal: `[prefix/]name` of at most 63 characters.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export const labelSyntax = forEachManifest(({ object, pods }) => [
  ...metadataProblems('metadata', asObject(object['metadata'])),
  ...pods
    .filter(({ path }) => path !== '')
    .flatMap((pod) => metadataProblems(`${pod.path}.metadata`, pod.metadata)),
  ...pods.flatMap((pod) =>
    labelProblems(
      pod.path === '' ? 'spec.nodeSelector' : `${pod.path}.spec.nodeSelector`,
      asObject(pod.spec['nodeSelector']),
    ),
  ),
]);

function metadataProblems(path: string, metadata: JsonObject): Problem[] {
  const annotations = asObject(metadata['annotations']);
  return [
    ...labelProblems(`${path}.labels`, asObject(metadata['labels'])),
    ...Object.keys(annotations).flatMap((key) => keyProblems(`${path}.annotations`, key)),
  ];
}

function labelProblems(path: string, labels: JsonObject): Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const rule = typeof value === 'string' ? labelValueError(value) : undefined;
    return [
      ...keyProblems(path, key),
      ...(rule === undefined
        ? []
        : [{ path: fieldPath(path, key), value, rule, fix: 'shorten or change it, or use an annotation' }]),
    ];
  });
}

function keyProblems(path: string, key: string): Problem[] {
  const rule = labelKeyError(key);
  return rule === undefined ? [] : [{ path: fieldPath(path, key), value: key, rule, fix: 'change the key' }];
}
