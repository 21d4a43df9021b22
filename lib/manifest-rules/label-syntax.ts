import { DNS1123_SUBDOMAIN, DNS_SUBDOMAIN_MAX } from '../kubernetes/names';
import type { Problem } from '../problem';
import { asObject, fieldPath, type JsonObject } from './json';
import { forEachManifest } from './rule';

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

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
  return Object.entries(labels).flatMap(([key, value]) => [
    ...keyProblems(path, key),
    ...(typeof value !== 'string' || value === '' || NAME.test(value)
      ? []
      : [
          {
            path: fieldPath(path, key),
            value,
            rule: 'a label value has at most 63 letters, digits, -, _ and ., and begins and ends with a letter or digit',
            fix: 'shorten or change it, or use an annotation',
          },
        ]),
  ]);
}

function keyProblems(path: string, key: string): Problem[] {
  const slash = key.indexOf('/');
  const prefix = key.slice(0, Math.max(0, slash));
  const isLegal =
    NAME.test(key.slice(slash + 1)) &&
    (slash === -1 || (prefix.length <= DNS_SUBDOMAIN_MAX && DNS1123_SUBDOMAIN.test(prefix)));
  if (isLegal) return [];
  const rule =
    'a key is [prefix/]name, the prefix a DNS subdomain, the name at most 63 letters, digits, -, _ and .';
  return [{ path: fieldPath(path, key), value: key, rule, fix: 'change the key' }];
}
