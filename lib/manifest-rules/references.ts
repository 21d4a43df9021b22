import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asList, asObject, asText, type JsonObject } from './json';
import { DEFAULT_NAMESPACE, type Manifest, objectId, type PodView } from './manifest';
import type { ManifestRule, ManifestRuleOptions } from './rule';

/** Objects that Kubernetes itself makes in every namespace. */
const IN_EVERY_NAMESPACE: ReadonlySet<string> = new Set([
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
]);

const ANY_NAMESPACE = '*';

/** One use of another object's name. */
interface Reference {
  readonly path: Path;
  readonly kind: string;
  readonly name: string;
  /** Unset: that of the object which refers. */
  readonly namespace?: string;
  /** A key the object must hold, for ConfigMaps and Secrets. */
  readonly key?: string;
}

/**
 * Whatever an object names exists: it is rendered too, or declared external. A pod with a missing reference waits for ever with nothing
 * but an event. Optional references may miss.
 */
export const references: ManifestRule = (manifests, options) => {
  const rendered = new Map(manifests.map((manifest) => [manifest.id, manifest]));
  const external = externalIds(options);
  return manifests.flatMap((manifest) =>
    referencesOf(manifest).flatMap((reference) =>
      check(reference, manifest, rendered, external).map((problem) => ({ object: manifest.id, ...problem })),
    ),
  );
};

function check(
  reference: Reference,
  manifest: Manifest,
  rendered: ReadonlyMap<string, Manifest>,
  external: ReadonlySet<string>,
): Problem[] {
  const { kind, name, path, key } = reference;
  const namespace = isClusterScoped(kind)
    ? undefined
    : (reference.namespace ?? manifest.namespace ?? DEFAULT_NAMESPACE);
  const target = rendered.get(objectId(kind, namespace, name));
  if (target === undefined) {
    if (IN_EVERY_NAMESPACE.has(`${kind} ${name}`) || isExternal(external, kind, namespace, name)) return [];
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    return [problem('REFERENCE_UNKNOWN', path, name, { kind, where })];
  }
  if (key === undefined || hasKey(target.object, key)) return [];
  return [problem('REFERENCE_KEY', path, key, { object: target.id, keys: keysOf(target.object).join(', ') })];
}

function isClusterScoped(kind: string): boolean {
  return kind === 'PersistentVolume' || kind === 'ClusterRole';
}

/** Identities of the external objects; `*` for the namespace of one that is declared for all. */
function externalIds({ external }: ManifestRuleOptions): ReadonlySet<string> {
  return new Set(
    (external ?? []).map(({ kind, namespace, name }) => objectId(kind, namespace ?? ANY_NAMESPACE, name)),
  );
}

function isExternal(
  external: ReadonlySet<string>,
  kind: string,
  namespace: string | undefined,
  name: string,
): boolean {
  return (
    external.has(objectId(kind, ANY_NAMESPACE, name)) ||
    (namespace !== undefined && external.has(objectId(kind, namespace, name)))
  );
}

function keysOf(object: JsonObject): string[] {
  return ['data', 'binaryData', 'stringData'].flatMap((field) => Object.keys(asObject(object[field])));
}

function hasKey(object: JsonObject, key: string): boolean {
  return keysOf(object).includes(key);
}

function referencesOf(manifest: Manifest): Reference[] {
  return [
    ...manifest.pods.flatMap((pod) => nested(pod.path, podReferences(pod))),
    ...manifest.rayClusters.flatMap(({ path, spec }) => nested(path, rayClusterReferences(spec))),
    ...ownReferences(manifest),
  ];
}

function nested(prefix: Path, found: readonly Reference[]): Reference[] {
  return found.map((reference) => ({
    ...reference,
    path: [...prefix, ...reference.path],
  }));
}

function podReferences(pod: PodView): Reference[] {
  const { spec } = pod;
  return [
    ...named('ServiceAccount', ['spec', 'serviceAccountName'], spec['serviceAccountName']),
    ...asList(spec['imagePullSecrets']).flatMap((secret, index) =>
      named('Secret', ['spec', 'imagePullSecrets', index, 'name'], asObject(secret)['name']),
    ),
    ...asList(spec['resourceClaims']).flatMap((value, index) => {
      const claim = asObject(value);
      const path = ['spec', 'resourceClaims', index];
      return [
        ...named(
          'ResourceClaimTemplate',
          [...path, 'resourceClaimTemplateName'],
          claim['resourceClaimTemplateName'],
        ),
        ...named('ResourceClaim', [...path, 'resourceClaimName'], claim['resourceClaimName']),
      ];
    }),
    ...asList(spec['volumes']).flatMap((volume, index) =>
      nested(['spec', 'volumes', index], volumeReferences(asObject(volume))),
    ),
    ...pod.containers.flatMap(({ path, container }) => nested(path, containerReferences(container))),
  ];
}

function volumeReferences(volume: JsonObject): Reference[] {
  const claim = asObject(volume['persistentVolumeClaim']);
  const publishSecret = asObject(asObject(volume['csi'])['nodePublishSecretRef']);
  return [
    ...fileReferences('ConfigMap', 'configMap', 'name', volume['configMap']),
    ...fileReferences('Secret', 'secret', 'secretName', volume['secret']),
    ...named('PersistentVolumeClaim', ['persistentVolumeClaim', 'claimName'], claim['claimName']),
    ...named('Secret', ['csi', 'nodePublishSecretRef', 'name'], publishSecret['name']),
    ...asList(asObject(volume['projected'])['sources']).flatMap((value, index) => {
      const source = asObject(value);
      return nested(
        ['projected', 'sources', index],
        [
          ...fileReferences('ConfigMap', 'configMap', 'name', source['configMap']),
          ...fileReferences('Secret', 'secret', 'name', source['secret']),
        ],
      );
    }),
  ];
}

/** A ConfigMap or Secret that is mounted: it exists, and so does every key that is mounted by name. */
function fileReferences(kind: string, field: string, nameField: string, value: unknown): Reference[] {
  return unlessOptional(value, (source) => {
    const whole = named(kind, [field, nameField], source[nameField]);
    const items = asList(source['items']).flatMap((item, index) =>
      whole.map((reference) => ({
        ...reference,
        path: [field, 'items', index, 'key'],
        key: asText(asObject(item)['key']) ?? '',
      })),
    );
    return items.length === 0 ? whole : items;
  });
}

function containerReferences(container: JsonObject): Reference[] {
  return [
    ...asList(container['env']).flatMap((variable, index) =>
      nested(['env', index, 'valueFrom'], valueReferences(asObject(asObject(variable)['valueFrom']))),
    ),
    ...asList(container['envFrom']).flatMap((value, index) => {
      const source = asObject(value);
      return nested(
        ['envFrom', index],
        [
          ...unlessOptional(source['configMapRef'], (from) =>
            named('ConfigMap', ['configMapRef', 'name'], from['name']),
          ),
          ...unlessOptional(source['secretRef'], (from) =>
            named('Secret', ['secretRef', 'name'], from['name']),
          ),
        ],
      );
    }),
  ];
}

function valueReferences(valueFrom: JsonObject): Reference[] {
  return (
    [
      ['configMapKeyRef', 'ConfigMap'],
      ['secretKeyRef', 'Secret'],
    ] as const
  ).flatMap(([field, kind]) =>
    unlessOptional(valueFrom[field], (source) =>
      named(kind, [field, 'name'], source['name']).map((reference) => ({
        ...reference,
        key: asText(source['key']) ?? '',
      })),
    ),
  );
}

function rayClusterReferences(spec: JsonObject): Reference[] {
  const faultTolerance = asObject(spec['gcsFaultToleranceOptions']);
  return [
    ...named('Secret', ['authOptions', 'secretName'], asObject(spec['authOptions'])['secretName']),
    ...['redisPassword', 'redisUsername'].flatMap((field) =>
      nested(
        ['gcsFaultToleranceOptions', field, 'valueFrom'],
        valueReferences(asObject(asObject(faultTolerance[field])['valueFrom'])),
      ),
    ),
  ];
}

function ownReferences({ kind, object }: Manifest): Reference[] {
  const spec = asObject(object['spec']);
  switch (kind) {
    case 'PersistentVolumeClaim':
      return named('PersistentVolume', ['spec', 'volumeName'], spec['volumeName']);
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return bindingReferences(object);
    default:
      return [];
  }
}

/** ClusterRoles are the cluster's own more often than not (`view`, `edit`), so they are not looked for. */
function bindingReferences(object: JsonObject): Reference[] {
  const role = asObject(object['roleRef']);
  const roles = role['kind'] === 'Role' ? named('Role', ['roleRef', 'name'], role['name']) : [];
  const subjects = asList(object['subjects']).flatMap((value, index) => {
    const subject = asObject(value);
    if (subject['kind'] !== 'ServiceAccount') return [];
    const namespace = asText(subject['namespace']);
    return named('ServiceAccount', ['subjects', index, 'name'], subject['name']).map((reference) =>
      namespace === undefined ? reference : { ...reference, namespace },
    );
  });
  return [...roles, ...subjects];
}

function unlessOptional(source: unknown, find: (source: JsonObject) => Reference[]): Reference[] {
  const object = asObject(source);
  return object['optional'] === true ? [] : find(object);
}

function named(kind: string, path: Path, name: unknown): Reference[] {
  return typeof name === 'string' && name !== '' ? [{ kind, path, name }] : [];
}
