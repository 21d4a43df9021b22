import type { ProblemTable } from './problem-table';

/** Problems of a project’s files: what can be read, and what YAML and the schema say. */
export const PROJECT_PROBLEMS = {
  TRAINER_KIND_WITHOUT_SOURCES: {
    rule: 'this version carries the sources of <trainerKinds>, and none for this kind',
    fix: 'use another kind, or a version of cdk8s-tpu-ray that has it',
  },
  RUN_NAME_TAKEN: {
    rule: 'every run has a name of its own, and <file> has this one',
    fix: 'rename one of the two runs',
  },
  RUN_NAME_FILE: {
    rule: 'a run has the name of its file, here <stem>',
    fix: 'rename the file to runs/<name>.yaml, or the run to <stem>',
  },
  FILE_UNREADABLE: {
    rule: 'the file can be read',
    fix: '<advice>',
  },
  FILE_LINK: {
    rule: 'the file can be read',
    fix: 'remove it, or write what it points to',
  },
  FILE_TOO_LARGE: {
    rule: 'a file has at most <mostCharacters> characters',
    fix: 'split it',
  },
  FILE_EMPTY: {
    rule: 'the file holds one YAML document',
    fix: 'write one',
  },
  YAML_SYNTAX: {
    rule: 'YAML: <yamlMessage>',
    fix: 'correct the line',
  },
  FILE_DOCUMENTS: {
    rule: 'the file holds one YAML document',
    fix: 'put every run into a file of its own',
  },
  YAML_ALIASES: {
    rule: 'aliases stand for at most <mostAliases> copies',
    fix: 'write the values out',
  },
  YAML_ALIAS: {
    rule: 'an alias repeats what an anchor of its name marked before',
    fix: 'mark it with &<source>, or put quotes around the text',
  },
  YAML_KEY: {
    rule: 'a key is text',
    fix: 'write a name before the colon',
  },
  PLACEHOLDER_UNSET: {
    rule: '${<name>} is filled from the environment variable <name>, which is not set',
    fix: 'export <name>=… first, or write the value itself',
  },
  PROJECT_DIRECTORY: {
    rule: 'a project is a directory with platform.yaml and runs/',
    fix: '<advice>',
  },
  RUNS_FOLDER: {
    rule: 'run files lie in this folder',
    fix: 'create <runsFolder>/ and write a run into it',
  },
  RUN_FILE_NAME: {
    rule: "a run file's name ends in .yaml or .yml, in lower case",
    fix: 'rename it to <runsFolder>/<name>',
  },
  RUNS_EMPTY: {
    rule: 'a project has at least one run',
    fix: 'write <runsFolder>/NAME.yaml',
  },
  OUTPUT_GAP: {
    rule: 'the output is whole: dist/ has every object that plan.json speaks of',
    fix: '<advice>',
  },
  OUTPUT_OBJECT: {
    rule: 'a manifest has apiVersion, kind and metadata.name',
    fix: '<advice>',
  },
  CONSTRUCT_INVALID: {
    rule: '<reason>',
    fix: 'correct the construct',
  },
  PLAN_FILE: {
    rule: 'plan.json is what npm run synth writes, of schema version 1 or 2',
    fix: 'run npm run synth there with this release, and commit what it writes',
  },
} as const satisfies ProblemTable;
