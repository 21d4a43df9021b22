/** Every scalar field of an object: path -> value. Empty objects and lists are fields of their own. */
export type Fields = ReadonlyMap<string, unknown>;

/** Lists whose elements are told apart by a key and not by their place. */
const ELEMENT_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  ports: 'name',
  volumeMounts: 'mountPath',
  tolerations: 'key',
  resourceClaims: 'name',
  claims: 'name',
  workerGroupSpecs: 'groupName',
  requests: 'name',
};

type Json = Readonly<Record<string, unknown>>;

/**
 * The fields of a RayCluster such that two of them can be compared: list elements by their own key, volumes by where they
 * are mounted (their names are free), groups and pods by short names.
 */
export function rayClusterFields(object: unknown): Fields {
  const cluster = object as {
    metadata: Json;
    spec: Json & {
      headGroupSpec: Json & { template: Json };
      workerGroupSpecs: (Json & { template: Json })[];
    };
  };
  const { headGroupSpec, workerGroupSpecs, ...spec } = cluster.spec;
  const { template: head, ...headGroup } = headGroupSpec;
  const [{ template: workers, ...workerGroup }] = workerGroupSpecs as [Json & { template: Json }];
  const fields = new Map<string, unknown>();
  flatten(fields, 'metadata', cluster.metadata);
  for (const [key, value] of Object.entries(spec)) flatten(fields, `spec.${key}`, value);
  flatten(fields, 'head', headGroup);
  flatten(fields, 'head', withVolumesByPath(head));
  flatten(fields, 'workers', workerGroup);
  flatten(fields, 'workers', withVolumesByPath(workers));
  return fields;
}

/** The fields of any object. */
export function fieldsOf(object: unknown): Fields {
  const fields = new Map<string, unknown>();
  flatten(fields, '', object);
  return fields;
}

function withVolumesByPath(template: Json): Json {
  const spec = template['spec'] as {
    containers: (Json & { volumeMounts: { name: string; mountPath: string }[] })[];
    volumes: (Json & { name: string })[];
  };
  const mounts = spec.containers.flatMap((container) => container.volumeMounts);
  const volumes = spec.volumes.map(({ name, ...volume }) => {
    const mount = mounts.find((candidate) => candidate.name === name);
    return [mount?.mountPath ?? `unmounted ${name}`, volume] as const;
  });
  const containers = spec.containers.map((container) => ({
    ...container,
    volumeMounts: container.volumeMounts.map(({ name: _name, ...mount }) => mount),
  }));
  return { ...template, spec: { ...spec, containers, volumes: Object.fromEntries(volumes) } };
}

function flatten(fields: Map<string, unknown>, path: string, value: unknown, name = ''): void {
  if (typeof value !== 'object' || value === null) {
    fields.set(path, value);
    return;
  }
  const elementKey = ELEMENT_KEYS[name];
  const entries = Array.isArray(value)
    ? value.map((element: unknown, index): [string, unknown] => [
        `[${elementKey === undefined ? String(index) : String((element as Json)[elementKey])}]`,
        element,
      ])
    : Object.entries(value).map(([key, element]): [string, unknown] => [
        /^[\w-]+$/.test(key) ? `.${key}` : `[${key}]`,
        element,
      ]);
  if (entries.length === 0) fields.set(path, Array.isArray(value) ? '[]' : '{}');
  for (const [step, element] of entries) {
    flatten(fields, `${path}${step}`.replace(/^\./, ''), element, step.replace(/^[.[]|\]$/g, ''));
  }
}
