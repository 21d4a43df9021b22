import type { ProblemTable } from './problem-table';

/** Problems of a slice: generation, topology, machine type. */
export const TPU_PROBLEMS = {
  TPU_GENERATION: {
    rule: 'a TPU generation is one of <generations>',
    fix: '<advice>',
  },
  TPU_TOPOLOGY: {
    rule: '<reason>',
    fix: '<advice>',
  },
  TPU_MACHINE_TOPOLOGY: {
    rule: '<generation> <topology> exists on <machines>',
    fix: '<advice>',
  },
  TPU_MACHINE_AMBIGUOUS: {
    rule: '<generation> <topology> exists on <machines>, so the machine type decides the number of hosts',
    fix: 'set machineType to <fitting>',
  },
  TPU_MACHINE: {
    rule: '<generation> machines are <allowed><text>',
    fix: 'leave machineType out unless the topology exists on two machine types',
  },
} as const satisfies ProblemTable;
