export * from './access';
export * from './cluster';
export * from './finding';
export * from './machine';
export * from './node-pools';
export * from './report';
export * from './run';
