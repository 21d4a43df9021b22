export { runCommandLine } from './command-line';
export { describeProblems, synthesize } from './synthesize';
export type { Synthesis, SynthesisResult } from './synthesize';
export { runDoctor } from './doctor-command';
export { runPlan } from './plan-command';
export { processTerminal } from './process-terminal';
export type { Terminal } from './terminal';
export { loadTrainerSources } from './trainer-sources-loader';
