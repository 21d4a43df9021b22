import Ajv from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import schema from '../config/schema.json';
import { isSamePath, problemsElsewhere } from '../problems';
import type { Problem } from '../problems';
import { assumedValue } from './assumed-value';
import type { PlatformSpec } from './platform-spec';
import type { RunSpec } from './run-spec';
import { schemaProblems } from './schema-problems';

/** The specs that have a definition in the generated JSON schema. */
interface Specs {
  readonly PlatformSpec: PlatformSpec;
  readonly RunSpec: RunSpec;
}

/** A value held against its definition in the JSON schema. */
export interface SpecForm<T> {
  /** The value, or what it was most likely meant to be; undefined when nothing can be made of it. Never for output while there are Problems. */
  readonly spec?: T;
  /** Where it differs from the definition: keys, types, choices, least and most. */
  readonly problems: readonly Problem[];
}

let schemas: Ajv | undefined;
const validators = new Map<keyof Specs, ValidateFunction>();

/** Compiled once, and only when something is checked. */
function validatorOf(name: keyof Specs): ValidateFunction {
  const known = validators.get(name);
  if (known !== undefined) return known;
  // NaN and infinity are no numbers of a manifest.
  schemas ??= new Ajv({ allErrors: true, strict: false, strictNumbers: true, verbose: true }).addSchema(
    schema,
    'config',
  );
  const validator = schemas.compile({ $ref: `config#/definitions/${name}` });
  validators.set(name, validator);
  return validator;
}

/** Holds a value against the JSON schema of its type: the one place where that is done, for YAML and TypeScript alike. */
export function checkForm<Name extends keyof Specs>(name: Name, value: unknown): SpecForm<Specs[Name]> {
  const validate = validatorOf(name);
  const errors = errorsOf(validate, value);
  if (errors.length === 0) return { spec: value as Specs[Name], problems: [] };
  const problems = schemaProblems(errors, value);
  const assumed = assumedValue(value, errors);
  return errorsOf(validate, assumed).length > 0 ? { problems } : { spec: assumed as Specs[Name], problems };
}

function errorsOf(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

/**
 * Problems of a form and of what was assumed for it, each fault once: a number where text is due is told with what the text would have to
 * be, and nothing is said of a value that stands in for a refused one.
 */
export function joinProblems(form: readonly Problem[], derived: readonly Problem[]): Problem[] {
  return [
    ...form.map((problem) => {
      const asText = isScalarForText(problem)
        ? derived.find(({ path }) => isSamePath(path, problem.path))
        : undefined;
      if (asText === undefined) return problem;
      return { ...asText, value: problem.value, rule: `it is text: ${asText.rule}` };
    }),
    ...problemsElsewhere(derived, form),
  ];
}

function isScalarForText({ id, value }: Problem): boolean {
  return (typeof value === 'number' || typeof value === 'boolean') && id === 'VALUE_TEXT';
}
