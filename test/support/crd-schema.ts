import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import type { KubeRayVersion } from '../../lib/kuberay/versions';
import { type OpenApiSchema, readRayClusterCrd } from '../../scripts/ray-cluster-crd';

const ROOT = join(__dirname, '..', '..');
const INT32_MAX = 2 ** 31 - 1;

/** Reading and compiling a CRD takes part of a second, so it is done once per version and test process. */
const compiled = new Map<KubeRayVersion, ValidateFunction>();

/**
 * Validates a rendered RayCluster against the CRD of a KubeRay version, with every object closed: the API server would drop an unknown
 * field in silence. CEL rules (`x-kubernetes-validations`) are not evaluated.
 *
 * @param object the whole manifest as plain JSON
 * @returns one readable line per fault: `/spec/rayVersion must be string, got 2`. Empty if there is none.
 */
export function rayClusterSchemaProblems(object: unknown, version: KubeRayVersion): string[] {
  const validate = compiled.get(version) ?? compile(version);
  compiled.set(version, validate);
  return validate(object) ? [] : (validate.errors ?? []).map(readable);
}

function compile(version: KubeRayVersion): ValidateFunction {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    formats: {
      int32: { type: 'number', validate: (value: number) => value >= -INT32_MAX - 1 && value <= INT32_MAX },
      int64: { type: 'number', validate: (value: number) => Number.isSafeInteger(value) },
      'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
    },
  });
  const schema = readRayClusterCrd(ROOT, version).spec.versions[0].schema.openAPIV3Schema;
  const definitions = new Map<string, OpenApiSchema>();
  const root = closed({ ...schema, required: ['apiVersion', 'kind', 'metadata', 'spec'] }, definitions);
  return ajv.compile({ ...root, $defs: Object.fromEntries(definitions) });
}

/**
 * The schema with every object closed that lists its properties and does not ask for unknown ones to be kept. Objects become definitions,
 * equal ones the same: the CRD repeats the container's schema six times and the pod's twice, and would take seconds to compile.
 */
function closed(schema: OpenApiSchema, definitions: Map<string, OpenApiSchema>): OpenApiSchema {
  const { properties, items, additionalProperties } = schema;
  const result: OpenApiSchema = {
    ...schema,
    ...(properties && { properties: mapValues(properties, (property) => closed(property, definitions)) }),
    ...(properties &&
      schema['x-kubernetes-preserve-unknown-fields'] !== true && { additionalProperties: false }),
    ...(items && { items: closed(items, definitions) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: closed(additionalProperties, definitions),
    }),
  };
  return properties === undefined ? result : reference(result, definitions);
}

function reference(schema: OpenApiSchema, definitions: Map<string, OpenApiSchema>): OpenApiSchema {
  const name = createHash('sha256').update(JSON.stringify(schema)).digest('hex');
  definitions.set(name, schema);
  return { $ref: `#/$defs/${name}` };
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function readable(error: ErrorObject): string {
  const path = error.instancePath === '' ? '/' : error.instancePath;
  if (error.keyword === 'additionalProperties') {
    return `${path} has an unknown field '${String(error.params['additionalProperty'])}'`;
  }
  const got = error.keyword === 'required' ? '' : `, got ${JSON.stringify(error.data)}`;
  return `${path} ${error.message ?? error.keyword}${got}`;
}
