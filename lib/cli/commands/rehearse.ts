import { join } from 'node:path';
import { packageRoot } from '../../project';
import type { CliCommand } from '../command';
import { runProgram } from '../run-program';

export const rehearseCommand: CliCommand = {
  name: 'rehearse',
  summary: 'run a synthesized run on this machine, with a local Ray posing as its slices',
  details: `Makes its Python environment on first use (Linux, Python 3.11 to 3.13, the package index). docs/rehearsal.md tells
what is real and what is a stand-in.`,
  declare: (command) =>
    command
      .argument('[DIR]', 'directory of the project, with its dist/', '.')
      .argument('[RUN]', 'name of the run, where the project has several')
      .option('--steps <N>', 'steps to train')
      .option('--lose-slice <N>', 'lose this slice while training, counted from 0')
      .option('--at-step <N>', 'the step after which it is lost')
      .option('--most-hosts <N>', 'hosts to start at most, about 0.6 GB each'),
  run: (given, terminal) => {
    const [directory = '.', ...run] = given.args;
    const options = Object.entries(given.opts<Readonly<Record<string, string>>>()).flatMap(
      ([name, value]) => [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value],
    );
    const script = join(packageRoot(), 'rehearsal/rehearse.sh');
    return runProgram('bash', [script, directory, ...run, ...options], terminal);
  },
};
