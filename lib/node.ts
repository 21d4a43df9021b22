/** What needs files and a process: `cdk8s-tpu-ray/node`. */
export { processTerminal, runCommandLine } from './cli';
export type { Terminal } from './cli';
export type { PlannedProject } from './plan';
export { describeProblems, loadTrainerSources, synthesize } from './project';
export type { Synthesis, SynthesisResult } from './project';
