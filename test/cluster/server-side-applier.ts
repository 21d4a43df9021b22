import type { ApiClient } from './api-client';
import { objectPath } from './api-paths';
import type { KubernetesObject } from './kubernetes-object';
import { titleOf } from './kubernetes-object';
import type { Applier } from './scenario';

/** Applies on the server's side, with one request an object. */
export class ServerSideApplier implements Applier {
  public constructor(
    private readonly client: ApiClient,
    private readonly objects: readonly KubernetesObject[],
  ) {}

  public async apply(): Promise<void> {
    for (const object of this.objects) {
      const { warnings } = await this.client.apply(object);
      if (warnings.length > 0)
        throw new Error(`${titleOf(object)}: the API server warns: ${warnings.join('; ')}`);
    }
  }

  public async applyAgain(): Promise<string[]> {
    const changed: string[] = [];
    for (const object of this.objects) {
      const before = await this.client.get<KubernetesObject>(objectPath(object));
      const { object: after } = await this.client.apply(object);
      if (contentOf(before) !== contentOf(after)) changed.push(`${titleOf(object)} changed`);
    }
    return changed;
  }

  public async delete(): Promise<void> {
    for (const object of [...this.objects].reverse()) await this.client.delete(object);
  }
}

/** All but what changes by itself: the status, and the version that counts its changes. */
function contentOf(object: KubernetesObject): string {
  const { metadata, status: _status, ...rest } = object as KubernetesObject & { status?: unknown };
  const { resourceVersion: _version, ...stable } = metadata as {
    resourceVersion?: string;
    managedFields?: unknown;
  };
  return JSON.stringify({ ...rest, metadata: { ...stable, managedFields: undefined } });
}
