import { Chart } from 'cdk8s';
import type { ApiObject } from 'cdk8s';
import { Namespace, ServiceAccount } from 'cdk8s-plus-29';
import type { Construct } from 'constructs';
import { keepUnknownFields } from '../constructs/keep-unknown-fields';
import { LABELS, MANAGED_BY } from '../kubernetes/well-known';
import type { Platform } from '../run';

/** Pod Security levels of a namespace this project owns: Ray pods hold to baseline, host networking does not. */
const POD_SECURITY_LABELS = {
  'pod-security.kubernetes.io/enforce': 'baseline',
  'pod-security.kubernetes.io/warn': 'restricted',
} as const;

/** `00-platform`: what all runs share. */
export class PlatformChart extends Chart {
  /** Every object of the chart, for patches. */
  public readonly objects: readonly ApiObject[];

  public constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id, { disableResourceNameHashes: true });
    const objects: ApiObject[] = [];
    if (platform.ownNamespace) {
      const namespace = new Namespace(this, 'namespace', {
        metadata: {
          name: platform.namespace,
          labels: { [LABELS.managedBy]: MANAGED_BY, ...POD_SECURITY_LABELS },
        },
      });
      objects.push(keepUnknownFields(namespace));
    }
    if (platform.serviceAccount.create) {
      const account = new ServiceAccount(this, 'service-account', {
        metadata: {
          name: platform.serviceAccount.name,
          namespace: platform.namespace,
          labels: { [LABELS.managedBy]: MANAGED_BY },
        },
        automountToken: false,
      });
      objects.push(keepUnknownFields(account));
    }
    this.objects = objects;
  }
}
