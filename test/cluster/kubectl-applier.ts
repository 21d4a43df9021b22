import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Cluster } from './cluster';
import type { Applier } from './scenario';

const run = promisify(execFile);

/** Most that kubectl may print. */
const MOST_OUTPUT = 64 * 2 ** 20;

/** Applies files as a user does, with `kubectl apply -f`, here with strict validation. */
export class KubectlApplier implements Applier {
  private readonly files: readonly string[];

  /** @param paths of the manifests, in the order in which they are applied */
  public constructor(
    private readonly cluster: Cluster,
    paths: readonly string[],
  ) {
    this.files = paths.flatMap((path) => ['-f', path]);
  }

  public async apply(): Promise<void> {
    await this.kubectl(['apply', '--validate=strict', ...this.files]);
  }

  public async applyAgain(): Promise<string[]> {
    const output = await this.kubectl(['apply', '--validate=strict', ...this.files]);
    return output.split('\n').filter((line) => line !== '' && !line.endsWith(' unchanged'));
  }

  public async delete(): Promise<void> {
    await this.kubectl(['delete', '--wait=false', '--ignore-not-found', ...this.files]);
  }

  private async kubectl(commandLine: readonly string[]): Promise<string> {
    const { controlPlane, binaries } = this.cluster;
    const options = {
      env: { ...process.env, KUBECONFIG: controlPlane.kubeconfig, HOME: controlPlane.folder },
      maxBuffer: MOST_OUTPUT,
    };
    const { stdout } = await run(binaries.kube, ['kubectl', ...commandLine], options);
    return stdout;
  }
}
