import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { objectPath } from './api-paths';
import type { KubernetesObject } from './kubernetes-object';

/** An answer of the API server that is no success. */
export class ApiError extends Error {
  public constructor(
    public readonly status: number,
    public readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** What the API server answered to a request, with the warnings it added. */
export interface Answer<T> {
  readonly object: T;
  readonly warnings: readonly string[];
}

interface RequestOptions {
  readonly body?: unknown;
  readonly contentType?: string;
}

/** How often, and how many times, a request is sent to a server that asks to wait. */
const BUSY_MS = 250;
const BUSY_TRIES = 120;

/** Name under which this suite owns fields that it applies. */
const FIELD_MANAGER = 'test-cluster';

/** Talks to one API server as one user. */
export class ApiClient {
  private readonly agent: Agent;
  private readonly watches = new Set<IncomingMessage>();

  /**
   * @param server `https://127.0.0.1:PORT`
   * @param ca PEM of the server's certificate authority
   * @param token bearer token of the user
   */
  public constructor(
    private readonly server: string,
    private readonly ca: string,
    private readonly token: string,
  ) {
    this.agent = new Agent({ keepAlive: true, ca });
  }

  /**
   * Sends a request and gives the answer's object; again while the server asks to wait, as it does when a schema was
   * replaced.
   * @throws ApiError when the server refuses it, or the error of the connection
   */
  public async send<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.sendOnce<T>(method, path, options);
      } catch (error) {
        const asksToWait = error instanceof ApiError && error.status === 429;
        if (!asksToWait || tries === BUSY_TRIES) throw error;
      }
      await delay(BUSY_MS);
    }
  }

  private async sendOnce<T>(method: string, path: string, options: RequestOptions): Promise<Answer<T>> {
    const data = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    return await new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.server}${path}`,
        {
          method,
          agent: this.agent,
          headers: {
            authorization: `Bearer ${this.token}`,
            ...(data === undefined
              ? {}
              : { 'content-type': options.contentType ?? 'application/json', 'content-length': data.length }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const status = response.statusCode ?? 0;
            if (status < 300) resolve({ object: parse(text) as T, warnings: warningsOf(response) });
            else reject(refusal(status, text));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(data);
    });
  }

  public async get<T>(path: string): Promise<T> {
    return (await this.send<T>('GET', path)).object;
  }

  public async create<T extends KubernetesObject>(object: T): Promise<Answer<T>> {
    const path = objectPath(object);
    return await this.send<T>('POST', path.slice(0, path.lastIndexOf('/')), { body: object });
  }

  /**
   * Applies an object on the server's side; unknown and doubled fields are refused.
   *
   * @param dryRun true changes nothing, but runs admission in full
   */
  public async apply<T extends KubernetesObject>(object: T, dryRun = false): Promise<Answer<T>> {
    const query = `fieldManager=${FIELD_MANAGER}&fieldValidation=Strict&force=true${dryRun ? '&dryRun=All' : ''}`;
    return await this.send<T>('PATCH', `${objectPath(object)}?${query}`, {
      body: object,
      contentType: 'application/apply-patch+yaml',
    });
  }

  /** Deletes an object; one that is gone already is no error. */
  public async delete(object: KubernetesObject): Promise<void> {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
    try {
      await this.send('DELETE', objectPath(object), { body: options });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }

  /**
   * Follows a collection from a version on, until the server closes the watch.
   *
   * @param onEvent is called with every event's type and object
   */
  public async watch<T>(
    path: string,
    resourceVersion: string,
    onEvent: (type: string, object: T) => void,
  ): Promise<void> {
    const url = `${this.server}${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
    await new Promise<void>((resolve, reject) => {
      const outgoing = request(
        url,
        { ca: this.ca, headers: { authorization: `Bearer ${this.token}` } },
        (response) => {
          this.watches.add(response);
          let rest = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            const lines = `${rest}${chunk}`.split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) {
              const { type, object } = JSON.parse(line) as { type: string; object: T };
              onEvent(type, object);
            }
          });
          response.on('close', () => {
            this.watches.delete(response);
            resolve();
          });
          response.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** Ends all connections, watches included. */
  public close(): void {
    for (const response of this.watches) response.destroy();
    this.agent.destroy();
  }
}

function parse(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

function refusal(status: number, text: string): ApiError {
  try {
    const { reason, message } = JSON.parse(text) as { reason?: string; message?: string };
    return new ApiError(status, reason ?? '', message ?? text);
  } catch {
    return new ApiError(status, '', text);
  }
}

/** Texts of `Warning: 299 - "text"` headers. */
function warningsOf(response: IncomingMessage): string[] {
  const header = response.headers['warning'];
  if (header === undefined) return [];
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    (match[1] ?? '').replace(/\\(.)/g, '$1'),
  );
}
