import { processTerminal, runCommandLine } from './lib/cli';

const terminal = processTerminal(() => {
  process.exitCode = 1;
});
void runCommandLine(process.argv.slice(2), terminal).then((code) => {
  // A stream may have failed before the command ended.
  process.exitCode ??= code;
});
