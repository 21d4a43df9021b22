export * from './platform-chart';
export * from './project-app';
export * from './run-chart';
export * from './trainer-chart';
