export * from './infrastructure-plan';
export * from './infrastructure-tsv';
export * from './plan-infrastructure';
