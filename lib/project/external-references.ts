import type { ExternalObject } from '../manifest-rules';
import type { Platform, TrainingRun } from '../run';

/** What the manifests of a project name but do not make: Secrets, claims and an adopted service account. */
export function externalReferences(platform: Platform, runs: readonly TrainingRun[]): ExternalObject[] {
  const { namespace, serviceAccount } = platform;
  const objects: ExternalObject[] = serviceAccount.create
    ? []
    : [{ kind: 'ServiceAccount', name: serviceAccount.name, namespace }];
  for (const run of runs) {
    for (const value of Object.values(run.environment)) {
      if (typeof value !== 'string') objects.push({ kind: 'Secret', name: value.secretName, namespace });
    }
    if (run.authTokenSecret !== undefined) {
      objects.push({ kind: 'Secret', name: run.authTokenSecret, namespace });
    }
    for (const volume of run.volumes) {
      if (volume.kind === 'claim') {
        objects.push({ kind: 'PersistentVolumeClaim', name: volume.claimName, namespace });
      }
    }
  }
  return objects;
}
