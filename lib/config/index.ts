export * from './located-problem';
export * from './read-config';
export type { Environment } from './source-document';
