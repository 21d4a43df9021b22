export { Interrupted, Interruption } from './child-process';
export { CompileError, compileStep } from './compile-step';
export type { CompileOutcome } from './compile-step';
export { estimatedState, meshOf } from './estimated-state';
export { Progress } from './progress';
export { reportOutcome, titleOf } from './report';
export { UnreadablePlan, readRuns } from './run-plan';
export type { RunPlan } from './run-plan';
