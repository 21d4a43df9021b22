export * from './capacity';
export * from './generations';
export * from './machine-types';
export * from './ray-support';
export * from './slice';
export * from './topologies';
