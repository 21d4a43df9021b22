import type { ProblemTable } from './problem-table';

/** Problems of keys and values that do not fit the JSON schema. */
export const SCHEMA_PROBLEMS = {
  KEY_UNKNOWN: {
    rule: 'unknown key <key><known>',
    fix: '<advice>',
  },
  KEY_MISSING: {
    rule: '<key> is required',
    fix: '<advice>',
  },
  VALUE_CHOICE: {
    rule: 'allowed values are <allowed>',
    fix: '<advice>',
  },
  VALUE_TEXT: {
    rule: 'it is text',
    fix: '<advice>',
  },
  VALUE_TYPE: {
    rule: 'it is <types>',
    fix: '<advice>',
  },
  VALUE_MINIMUM: {
    rule: 'it is at least <limit>',
    fix: 'write a larger number',
  },
  VALUE_MAXIMUM: {
    rule: 'it is at most <limit>',
    fix: 'write a smaller number',
  },
  VALUE_ABOVE: {
    rule: 'it is above <limit>',
    fix: 'write a larger number',
  },
  VALUE_EMPTY: {
    rule: 'it is not empty',
    fix: 'write something, or leave the key out',
  },
  VALUE_FORM: {
    rule: 'it has none of the allowed forms',
    fix: 'look the key up in the configuration reference',
  },
  VALUE_SCHEMA: {
    rule: 'it fits its description: <reason>',
    fix: 'look the key up in the configuration reference',
  },
  VARIABLE_VALUE: {
    rule: 'an environment variable is text, or a reference {secretName: …, key: …}',
    fix: '<advice>',
  },
  SLICES_VALUE: {
    rule: 'slices is a whole number from 1 to 1024, as each slice is a node pool of its own, or a range {min: …, max: …}',
    fix: 'write it as in 2, or {min: 1, max: 2}',
  },
} as const satisfies ProblemTable;
