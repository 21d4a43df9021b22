import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';

/**
 * The JSON schema of platform.yaml and runs/*.yaml, generated from `lib/run`'s types, as text. `$defs` of the root hold
 * `PlatformSpec` and `RunSpec`.
 */
export function generateSchema(root: string): string {
  const schema = createGenerator({
    path: join(root, 'lib/config/config-root.ts'),
    tsconfig: join(root, 'tsconfig.json'),
    type: 'ConfigRoot',
    skipTypeCheck: true,
    sortProps: true,
    additionalProperties: false,
  }).createSchema('ConfigRoot');
  return `${JSON.stringify(schema, withRequiredConditions, 2)}\n`;
}

/** Conditions of unions that name a key hold only for maps that have it: otherwise every branch would be checked. */
function withRequiredConditions(key: string, value: unknown): unknown {
  if (key !== 'if' || value === null || typeof value !== 'object' || !('properties' in value)) return value;
  return { type: 'object', ...value, required: Object.keys(value.properties as object) };
}
