import { processTerminal, runCommandLine } from './lib/project';

const terminal = processTerminal(() => {
  process.exitCode = 1;
});
const code = runCommandLine(process.argv.slice(2), terminal);
// A stream may have failed before the command ended.
process.exitCode ??= code;
