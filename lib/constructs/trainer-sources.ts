import type { ApiObject } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-29';
import { Construct } from 'constructs';
import { FLUX_SUBSTITUTE_ANNOTATION, LABELS, MANAGED_BY, SOURCES_ANNOTATION } from '../kubernetes/well-known';
import type { TrainerSourceFiles } from '../run';
import { keepUnknownFields } from './keep-unknown-fields';

/** Properties of `TrainerSources`. */
export interface TrainerSourcesProps {
  readonly namespace: string;
  /** The trainer kind's import closure. */
  readonly sources: TrainerSourceFiles;
}

/**
 * The Python sources of one trainer kind as a ConfigMap, which an upgrade updates in place. The submitter mounts it and
 * uploads what it finds at its start to Ray: a run that is up keeps what it was submitted with.
 */
export class TrainerSources extends Construct {
  /** Name of the ConfigMap. */
  public readonly configMapName: string;
  /** Folder of the package below the working directory: where the ConfigMap is mounted. */
  public readonly packageFolder: string;
  /** The ConfigMap, for patches. */
  public readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: TrainerSourcesProps) {
    super(scope, id);
    const { sources } = props;
    this.configMapName = sources.configMapName;
    this.packageFolder = sources.packageFolder;
    const configMap = new ConfigMap(this, 'Resource', {
      metadata: {
        name: this.configMapName,
        namespace: props.namespace,
        labels: { [LABELS.managedBy]: MANAGED_BY, [LABELS.component]: `trainer-${sources.kind}` },
        annotations: { [FLUX_SUBSTITUTE_ANNOTATION]: 'disabled', [SOURCES_ANNOTATION]: sources.digest },
      },
      data: Object.fromEntries(sources.paths.map((path) => [basename(path), sources.text(path)])),
    });
    this.apiObject = keepUnknownFields(configMap);
  }
}

/** A ConfigMap's keys hold no slash; the package has no folders, so its files' names will do. */
function basename(path: string): string {
  return path.split('/').at(-1) ?? path;
}
