export * from './path';
export * from './problem';
export type { ProblemTable, ProblemTexts } from './problem-table';
export * from './problems';
