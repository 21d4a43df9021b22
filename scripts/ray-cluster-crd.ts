import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeRayVersion } from '../lib/kuberay/versions';

/** An OpenAPI v3 schema as Kubernetes embeds it in a CRD; only what this project reads. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly [keyword: string]: unknown;
}

/** A CustomResourceDefinition with one API version. */
export interface RayClusterCrd {
  readonly spec: {
    readonly versions: readonly [
      { readonly name: 'v1'; readonly schema: { readonly openAPIV3Schema: OpenApiSchema } },
    ];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface RawCrd {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: OpenApiSchema };
    }[];
  };
}

/**
 * The vendored RayCluster CRD of a KubeRay version, reduced to `ray.io/v1` without descriptions and status.
 *
 * @throws if the file cannot be read or has no version v1
 */
export function readRayClusterCrd(root: string, version: KubeRayVersion): RayClusterCrd {
  const file = join(root, 'imports', 'crds', version, 'rayclusters.yaml');
  const crd = parse(readFileSync(file, 'utf8')) as RawCrd;
  const v1 = crd.spec.versions.find((served) => served.name === 'v1');
  if (v1 === undefined)
    throw new Error(`${file}: no version v1 in spec.versions: vendor a CRD that serves ray.io/v1`);
  const { status: _status, ...properties } = v1.schema.openAPIV3Schema.properties ?? {};
  const openAPIV3Schema = withoutDescriptions({ ...v1.schema.openAPIV3Schema, properties });
  return { ...crd, spec: { ...crd.spec, versions: [{ ...v1, name: 'v1', schema: { openAPIV3Schema } }] } };
}

/** A property may itself be called `description`; only text under that key is prose. */
function withoutDescriptions<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutDescriptions) as T;
  if (node === null || typeof node !== 'object') return node;
  const kept = Object.entries(node).filter(
    ([key, value]) => !(key === 'description' && typeof value === 'string'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)])) as T;
}
