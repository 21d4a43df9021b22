import type { ApiClient } from './api-client';
import { objectPath } from './api-paths';
import type { KubernetesObject } from './kubernetes-object';
import { titleOf } from './kubernetes-object';
import type { Applier } from './scenario';

/** Applies on the server's side, with one request an object. */
export class ServerSideApplier implements Applier {
  public constructor(private readonly client: ApiClient) {}

  public async apply(objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects) {
      const { warnings } = await this.client.apply(object);
      if (warnings.length > 0)
        throw new Error(`${titleOf(object)}: the API server warns: ${warnings.join('; ')}`);
    }
  }

  public async applyAgain(objects: readonly KubernetesObject[]): Promise<string[]> {
    const changed: string[] = [];
    for (const object of objects) {
      const before = await this.client.get<KubernetesObject>(objectPath(object));
      const { object: after } = await this.client.apply(object);
      if (contentOf(before) !== contentOf(after)) changed.push(`${titleOf(object)} changed`);
    }
    return changed;
  }

  public async delete(objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of [...objects].reverse()) await this.client.delete(object);
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
