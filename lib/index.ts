export * from './charts';
export * from './constructs';
export { planInfrastructure, renderInfrastructureTsv } from './infrastructure';
export type * from './infrastructure';
export * from './manifest-rules';
export type { Problem } from './problems';
export * from './run';
export * from './tpu';
export * from './training';
