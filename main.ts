import { runCommandLine } from './lib/project';

process.exitCode = runCommandLine(process.argv.slice(2), {
  environment: process.env,
  workingDirectory: process.cwd(),
  print: (text) => process.stderr.write(text),
  output: (text) => process.stdout.write(text),
  columns: process.stdout.columns,
});
