import { Argument } from 'commander';
import type { CliCommand } from '../command';
import { SHELLS, completionFor } from '../completion';
import type { Shell } from '../completion';

export const completionCommand: CliCommand = {
  name: 'completion',
  summary: 'print completion for a shell',
  details: 'For this shell: source <(cdk8s-tpu-ray completion bash)',
  declare: (command) => command.addArgument(new Argument('<SHELL>', 'which shell').choices(SHELLS)),
  run: (given, terminal) => {
    if (given.parent !== null) terminal.output(completionFor(given.args[0] as Shell, given.parent));
    return 0;
  },
};
