export * from './plan-project';
export * from './planned-project';
export * from './read-plan';
