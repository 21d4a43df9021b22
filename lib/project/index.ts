export { runCommandLine } from './command-line';
export type { Terminal } from './command-line';
export type { PlanDocument } from './plan-document';
export { describeProblems, synthesize } from './synthesize';
export type { Synthesis, SynthesisResult } from './synthesize';
export { loadTrainerSources } from './trainer-sources-loader';
