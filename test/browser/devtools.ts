import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/** How long one question to the browser may take, on a loaded machine. */
const ANSWER_MS = 120_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/**
 * A headless Chromium, driven by the DevTools protocol over two pipes: no port, no library. `close` ends the process and
 * removes its profile.
 */
export class Browser {
  private readonly profile = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-browser-'));
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly events = new Set<(message: Message) => void>();
  private readonly ended: Promise<void>;
  private lastId = 0;
  private received = '';
  private complaints = '';
  private hasEnded = false;

  public constructor(command: string) {
    this.child = spawn(
      command,
      [
        '--headless',
        '--remote-debugging-pipe',
        '--no-first-run',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--hide-scrollbars',
        '--force-device-scale-factor=1',
        // Pages are files of this suite; root has no sandbox.
        '--no-sandbox',
        `--user-data-dir=${this.profile}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], env: { ...process.env, HOME: this.profile } },
    );
    this.child.stderr?.on(
      'data',
      (data: Buffer) => (this.complaints = (this.complaints + data.toString()).slice(-2000)),
    );
    this.output.on('data', (data: Buffer) => {
      this.receive(data.toString());
    });
    this.input.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.hasEnded = true;
        for (const answer of this.waiting.values())
          answer({ error: { message: `Chromium ended: ${this.complaints}` } });
        resolve();
      };
      this.child.once('error', end).once('close', end);
    });
  }

  /** Opens a file in a window of a size and gives what an expression in it comes to. */
  public async evaluate<T>(
    file: string,
    size: { width: number; height: number },
    expression: string,
  ): Promise<T> {
    return this.withPage(file, size, async (session) => {
      const { result, exceptionDetails } = (await this.ask(
        'Runtime.evaluate',
        { expression, returnByValue: true, awaitPromise: true },
        session,
      )) as {
        result: { value: T };
        exceptionDetails?: { text: string; exception?: { description?: string } };
      };
      if (exceptionDetails !== undefined) {
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      }
      return result.value;
    });
  }

  /** Writes a picture of a whole page. */
  public async screenshot(
    file: string,
    size: { width: number; height: number },
    target: string,
  ): Promise<void> {
    await this.withPage(file, size, async (session) => {
      const { data } = await this.ask(
        'Page.captureScreenshot',
        { format: 'png', captureBeyondViewport: true },
        session,
      );
      writeFileSync(target, Buffer.from(String(data), 'base64'));
    });
  }

  public async close(): Promise<void> {
    if (!this.hasEnded) this.child.kill('SIGKILL');
    await this.ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  private get input(): Writable {
    return this.child.stdio[3] as Writable;
  }

  private get output(): Readable {
    return this.child.stdio[4] as Readable;
  }

  private async withPage<T>(
    file: string,
    { width, height }: { width: number; height: number },
    use: (session: string) => Promise<T>,
  ): Promise<T> {
    const { targetId } = await this.ask('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.ask('Target.attachToTarget', { targetId, flatten: true });
    const session = String(sessionId);
    try {
      await this.ask('Page.enable', {}, session);
      await this.ask(
        'Emulation.setDeviceMetricsOverride',
        { width, height, deviceScaleFactor: 1, mobile: false },
        session,
      );
      const loaded = this.event('Page.loadEventFired', session);
      await this.ask('Page.navigate', { url: pathToFileURL(file).href }, session);
      await loaded;
      return await use(session);
    } finally {
      await this.ask('Target.closeTarget', { targetId }).catch(() => undefined);
    }
  }

  private async ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    sessionId?: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (this.hasEnded) throw new Error(`Chromium ended: ${this.complaints}`);
    const id = ++this.lastId;
    const answered = new Promise<Message>((resolve) => this.waiting.set(id, resolve));
    this.input.write(
      `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
    );
    const { result, error } = await withinTime(answered, method);
    this.waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  private event(method: string, session: string): Promise<void> {
    const happened = new Promise<void>((resolve) => {
      const look = (message: Message): void => {
        if (message.method !== method || message.sessionId !== session) return;
        this.events.delete(look);
        resolve();
      };
      this.events.add(look);
    });
    return withinTime(happened, method);
  }

  private receive(data: string): void {
    const messages = (this.received + data).split('\0');
    this.received = messages.pop() ?? '';
    for (const text of messages) {
      const message = JSON.parse(text) as Message;
      if (message.id !== undefined) this.waiting.get(message.id)?.(message);
      for (const look of [...this.events]) look(message);
    }
  }
}

async function withinTime<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what}: no answer within ${String(ANSWER_MS / 1000)} s`));
    }, ANSWER_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
