import { join } from 'node:path';
import { packageRoot } from '../../project';
import type { CliCommand } from '../command';
import type { CommandName } from '../exit-codes';
import { runProgram } from '../run-program';

/** A command that is a script of scripts/gcloud; options that it alone knows reach it as they are. */
function scriptCommand(
  name: CommandName & ('up' | 'down' | 'status'),
  summary: string,
  details: string,
): CliCommand {
  return {
    name,
    summary,
    details,
    declare: (command) =>
      command
        .argument('[DIR]', 'directory of the project', '.')
        .argument('[OPTION...]', `options of scripts/gcloud/${name}.sh`)
        .allowUnknownOption(),
    run: ({ args }, terminal) => {
      const given = args.some((argument) => !argument.startsWith('-')) ? args : ['.', ...args];
      return runProgram('bash', [join(packageRoot(), 'scripts/gcloud', `${name}.sh`), ...given], terminal);
    },
  };
}

export const upCommand = scriptCommand(
  'up',
  'make the infrastructure of infrastructure.tsv with gcloud',
  `Run it again at any time: what is there is left alone. DRY_RUN=1 prints the commands of a first run and does nothing.`,
);

export const downCommand = scriptCommand(
  'down',
  'delete what up has made',
  `Asks before it deletes; what was adopted stays. DRY_RUN=1 prints the commands and does nothing. Options are those of
docs/operations.md.`,
);

export const statusCommand = scriptCommand(
  'status',
  'compare Google Cloud with infrastructure.tsv',
  `Reads only.`,
);
