export * from './gcs-fuse-volume';
export * from './multislice-network';
export * from './ray-monitoring';
export * from './ray-pod';
export * from './tpu-ray-cluster';
export * from './trainer-sources';
export * from './trainer-submitter';
