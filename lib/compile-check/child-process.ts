import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';

/** How long a process may take to end after SIGTERM. */
const GRACE_MILLISECONDS = 5000;

/** The signal that ended the command, as an error. */
export class Interrupted extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

/** How a process ended: one of the two. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Stops what runs when the command is stopped: children die with their whole process group. */
export class Interruption {
  private signal: NodeJS.Signals | undefined;
  private readonly running = new Set<ChildProcess>();
  private readonly handler = (signal: NodeJS.Signals): void => {
    this.signal ??= signal;
    for (const child of this.running) this.end(child);
  };

  /** Takes over SIGINT, SIGTERM and SIGHUP. */
  listen(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, this.handler);
  }

  /** Throws when the command was stopped. */
  check(): void {
    if (this.signal !== undefined) throw new Interrupted(this.signal);
  }

  /**
   * Runs a program in a process group of its own to its end and says how it ended.
   * @param onStart gets the process, to read its pipes
   */
  async run(
    command: string,
    args: readonly string[],
    options: { readonly stdio: StdioOptions; readonly env?: NodeJS.ProcessEnv },
    onStart: (child: ChildProcess) => void,
  ): Promise<Ending> {
    this.check();
    const child = spawn(command, [...args], { ...options, detached: true });
    this.running.add(child);
    try {
      return await new Promise<Ending>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code, signal) => {
          resolve({ code, signal });
        });
        onStart(child);
      });
    } finally {
      this.running.delete(child);
      this.check();
    }
  }

  private end(child: ChildProcess): void {
    killGroup(child, 'SIGTERM');
    setTimeout(() => {
      if (this.running.has(child)) killGroup(child, 'SIGKILL');
    }, GRACE_MILLISECONDS).unref();
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // Gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
