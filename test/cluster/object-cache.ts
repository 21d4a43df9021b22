import type { ApiClient } from './api-client';
import { collectionPath } from './api-paths';
import type { KubernetesObject } from './kubernetes-object';

interface Wait {
  readonly check: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Lets many wait for what the caches will show, without polling. */
export class Changes {
  private readonly waits = new Set<Wait>();
  private scheduled = false;

  /** Something changed: look at all conditions again, once for a burst of changes. */
  public notify(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      for (const wait of [...this.waits]) this.look(wait);
    });
  }

  private look(wait: Wait): void {
    try {
      if (wait.check()) wait.resolve();
    } catch (error) {
      wait.reject(error);
    }
  }

  /**
   * Waits until a condition holds.
   *
   * @param condition looks at caches only
   * @param seconds how long it may take
   * @param describe says what is missing, for the error
   * @throws Error with the description when the time is over
   */
  public async until(condition: () => boolean, seconds: number, describe: () => string): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waits.delete(wait);
      };
      const wait: Wait = {
        check: condition,
        resolve: () => {
          end();
          resolve();
        },
        reject: (error) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      };
      const timer = setTimeout(() => {
        wait.reject(new Error(`after ${String(seconds)} s: ${describe()}`));
      }, seconds * 1000);
      this.waits.add(wait);
    });
  }
}

interface List<T> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly T[];
}

/** What changed in a cache. */
export type CacheListener<T> = (object: T, gone: boolean) => void;

/** Every object of one kind, kept up to date by a watch. */
export class ObjectCache<T extends KubernetesObject> {
  private readonly byNamespace = new Map<string, Map<string, T>>();
  private readonly listeners: CacheListener<T>[] = [];
  private readonly path: string;
  private stopped = false;

  public constructor(
    private readonly client: ApiClient,
    private readonly kind: string,
    private readonly changes: Changes,
  ) {
    this.path = collectionPath(kind);
  }

  /** Is called with every object that is added, changed or gone from now on. */
  public subscribe(listener: CacheListener<T>): void {
    this.listeners.push(listener);
  }

  /** Reads the collection, and follows it until `stop`. */
  public async start(): Promise<void> {
    const version = await this.read();
    void this.follow(version);
  }

  public stop(): void {
    this.stopped = true;
  }

  /** Objects of a namespace; cluster-scoped ones are in `''`. */
  public in(namespace: string): T[] {
    return [...(this.byNamespace.get(namespace)?.values() ?? [])];
  }

  public get(namespace: string, name: string): T | undefined {
    return this.byNamespace.get(namespace)?.get(name);
  }

  private async read(): Promise<string> {
    const list = await this.client.get<List<T>>(this.path);
    const present = new Set(list.items.map((item) => item.metadata.uid));
    for (const objects of this.byNamespace.values()) {
      for (const object of [...objects.values()])
        if (!present.has(object.metadata.uid)) this.update(object, true);
    }
    // Items of a list do not say what they are.
    const [apiVersion = '', kind = ''] = this.kind.split(' ');
    for (const item of list.items) this.update({ ...item, apiVersion, kind }, false);
    return list.metadata.resourceVersion;
  }

  /** A watch ends now and then, by the server's time limit: it goes on from a fresh list. */
  private async follow(version: string): Promise<void> {
    let from = version;
    // `stop` is called while this waits: the compiler cannot know.
    const isStopped = (): boolean => this.stopped;
    while (!isStopped()) {
      try {
        await this.client.watch<T>(this.path, from, (type, object) => {
          if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
            this.update(object, type === 'DELETED');
        });
        if (!isStopped()) from = await this.read();
      } catch (error) {
        if (isStopped()) return;
        throw error;
      }
    }
  }

  private update(object: T, gone: boolean): void {
    const { namespace = '', name = '' } = object.metadata;
    const objects = this.byNamespace.get(namespace) ?? new Map<string, T>();
    this.byNamespace.set(namespace, objects);
    if (gone) objects.delete(name);
    else objects.set(name, object);
    if (objects.size === 0) this.byNamespace.delete(namespace);
    for (const listener of this.listeners) listener(object, gone);
    this.changes.notify();
  }
}
