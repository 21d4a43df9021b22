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

  /**
   * What `kubectl diff` says counts, not the word of `kubectl apply`: for custom resources that calls an apply
   * "configured" which only leaves out what the schema fills in again.
   */
  public async applyAgain(): Promise<string[]> {
    const difference = await this.difference();
    await this.kubectl(['apply', '--validate=strict', ...this.files]);
    return difference === '' ? [] : [difference];
  }

  /** What an apply would change; kubectl ends with 1 when there is something. */
  private async difference(): Promise<string> {
    try {
      return await this.kubectl(['diff', ...this.files]);
    } catch (error) {
      const { code, stdout } = error as { code?: number; stdout?: string };
      if (code === 1 && stdout !== undefined) return stdout;
      throw error;
    }
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
