import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { TrainerSources } from '../constructs/trainer-sources';
import type { TrainerSourceFiles } from '../run';

/** `01-trainer-<kind>`: the sources of one trainer kind. */
export class TrainerChart extends Chart {
  public readonly sources: TrainerSources;

  public constructor(scope: Construct, id: string, namespace: string, sources: TrainerSourceFiles) {
    super(scope, id, { disableResourceNameHashes: true });
    this.sources = new TrainerSources(this, 'sources', { namespace, sources });
  }
}
