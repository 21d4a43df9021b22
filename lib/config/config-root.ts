import type { PlatformSpec, RunSpec } from '../run';

/** What the JSON schema is generated from: the two kinds of files of a project. */
export interface ConfigRoot {
  readonly platform: PlatformSpec;
  readonly run: RunSpec;
}
