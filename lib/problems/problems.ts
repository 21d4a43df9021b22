import { MANIFEST_PROBLEMS } from './manifest-problems';
import { PLATFORM_PROBLEMS } from './platform-problems';
import { PROJECT_PROBLEMS } from './project-problems';
import { RUN_PROBLEMS } from './run-problems';
import { SCHEMA_PROBLEMS } from './schema-problems';
import { TPU_PROBLEMS } from './tpu-problems';
import { TRAINING_PROBLEMS } from './training-problems';
import { VOLUMES_PROBLEMS } from './volumes-problems';

/** Kinds of Problems by what they are about, in the order of docs/errors.md. */
export const PROBLEM_AREAS = {
  Files: PROJECT_PROBLEMS,
  'Keys and values': SCHEMA_PROBLEMS,
  Platform: PLATFORM_PROBLEMS,
  Slices: TPU_PROBLEMS,
  Runs: RUN_PROBLEMS,
  Volumes: VOLUMES_PROBLEMS,
  Trainers: TRAINING_PROBLEMS,
  'Rendered objects': MANIFEST_PROBLEMS,
} as const;

/** Every kind of Problem: the only place where its texts stand. */
export const PROBLEMS = {
  ...PROJECT_PROBLEMS,
  ...SCHEMA_PROBLEMS,
  ...PLATFORM_PROBLEMS,
  ...TPU_PROBLEMS,
  ...RUN_PROBLEMS,
  ...VOLUMES_PROBLEMS,
  ...TRAINING_PROBLEMS,
  ...MANIFEST_PROBLEMS,
} as const;

/** The id of a kind of Problem. */
export type ProblemId = keyof typeof PROBLEMS;
