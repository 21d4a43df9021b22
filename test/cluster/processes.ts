import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processes of one control plane. They, and its folder, do not outlive this process, not even when it is killed. */
export class Processes {
  private readonly guard: ChildProcess;
  private readonly ended = new Map<string, string>();
  private isStopping = false;

  /** @param folder holds the state and logs of all processes; it is removed with them */
  public constructor(private readonly folder: string) {
    mkdirSync(join(folder, 'log'), { recursive: true });
    this.guard = spawn('bash', [join(__dirname, 'guard.sh'), folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }

  /** Starts a process whose output goes to a log in the folder. */
  public start(
    name: string,
    command: string,
    commandLine: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): void {
    const log = openSync(this.logOf(name), 'a');
    const child = spawn(command, commandLine, {
      // Its own group, so that Ctrl-C reaches this process only, which then stops all in order.
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...environment },
    });
    closeSync(log);
    child.once('error', (error) => this.ended.set(name, error.message));
    child.once('exit', (code, signal) => {
      if (!this.isStopping) this.ended.set(name, `ended with ${String(code ?? signal)}`);
    });
    if (child.pid !== undefined) this.guard.stdin?.write(`${String(child.pid)}\n`);
    child.unref();
  }

  /** @throws Error with the end of its log when a process has ended by itself */
  public check(): void {
    for (const [name, how] of this.ended)
      throw new Error(`${name} ${how}; its log ends with:\n${this.logTail(name)}`);
  }

  /** All that a process has said so far. */
  public log(name: string): string {
    return readFileSync(this.logOf(name), 'utf8');
  }

  /** The last lines of a process's log. */
  public logTail(name: string): string {
    return this.log(name).trimEnd().split('\n').slice(-20).join('\n');
  }

  /** Ends all processes and removes the folder. */
  public async stop(): Promise<void> {
    this.isStopping = true;
    const done = new Promise<void>((resolve) => {
      if (this.guard.exitCode !== null) resolve();
      else
        this.guard.once('exit', () => {
          resolve();
        });
    });
    this.guard.stdin?.end();
    await done;
  }

  private logOf(name: string): string {
    return join(this.folder, 'log', `${name}.log`);
  }
}
