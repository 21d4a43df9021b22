export { TORCHTPU_COLLECTIVES } from './collectives';
export { TORCHTPU_FINETUNE } from './finetune';
export type { TorchTpuPlan } from './plan';
export * from './spec';
