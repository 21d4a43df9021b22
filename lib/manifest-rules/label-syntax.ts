import { labelKeyError, labelValueError } from '../kubernetes/labels';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asObject, type JsonObject } from './json';
import { forEachManifest } from './rule';

/**
 * Keys and values of labels, and keys of annotations, are legal: `[prefix/]name` of at most 63 characters.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export const labelSyntax = forEachManifest(({ object, pods }) => [
  ...metadataProblems(['metadata'], asObject(object['metadata'])),
  ...pods
    .filter(({ path }) => path.length > 0)
    .flatMap((pod) => metadataProblems([...pod.path, 'metadata'], pod.metadata)),
  ...pods.flatMap((pod) =>
    labelProblems([...pod.path, 'spec', 'nodeSelector'], asObject(pod.spec['nodeSelector'])),
  ),
]);

function metadataProblems(path: Path, metadata: JsonObject): Problem[] {
  const annotations = asObject(metadata['annotations']);
  return [
    ...labelProblems([...path, 'labels'], asObject(metadata['labels'])),
    ...Object.keys(annotations).flatMap((key) => keyProblems([...path, 'annotations'], key)),
  ];
}

function labelProblems(path: Path, labels: JsonObject): Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const rule = typeof value === 'string' ? labelValueError(value) : undefined;
    return [
      ...keyProblems(path, key),
      ...(rule === undefined ? [] : [problem('LABEL_VALUE', [...path, key], value, { reason: rule })]),
    ];
  });
}

function keyProblems(path: Path, key: string): Problem[] {
  const rule = labelKeyError(key);
  return rule === undefined ? [] : [problem('LABEL_KEY', [...path, key], key, { reason: rule })];
}
