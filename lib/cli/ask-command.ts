import { spawnSync } from 'node:child_process';
import type { Observation } from '../doctor';

/** How long a question to the API server may take, seconds. */
export const ANSWER_SECONDS = 15;

/** gcloud alone takes seconds to start. */
const COMMAND_MS = 60_000;

const MOST_OUTPUT = 256 * 2 ** 20;

/** What tools say when the thing that was asked for does not exist. */
const NOT_FOUND = /NotFound|not found|does not exist|the server could not find the requested resource/;

/** Runs a command that only reads, and gives its answer or why there is none. Nothing of its environment is printed. */
export function ask(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Observation {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    env: { ...environment, CLOUDSDK_CORE_DISABLE_PROMPTS: '1' },
    encoding: 'utf8',
    timeout: COMMAND_MS,
    maxBuffer: MOST_OUTPUT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { isThere: false, isNotFound: true, reason: `${command} is not on PATH` };
    const reason = code === 'ETIMEDOUT' ? `no answer within ${String(COMMAND_MS / 1000)} s` : error.message;
    return { isThere: false, isNotFound: false, reason: `${command}: ${reason}` };
  }
  if (status === 0) return { isThere: true, output: stdout };
  const said = lastLine(stderr) ?? lastLine(stdout) ?? `ended with ${String(status ?? signal)}`;
  return { isThere: false, isNotFound: NOT_FOUND.test(said), reason: `${command}: ${said}` };
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1) || undefined;
}
