import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../lib/doctor';
import type { Cluster } from './cluster';
import { baseRun } from './life-cycle';
import { untilRunning } from './scenario';
import { platformOf } from './shapes';
import { Stage } from './stage';
import { synthesizeProject } from './synthesized-project';
import type { Tally } from './tally';

const NAME = 'doctor';

/** How long the doctor may take on a loaded machine. */
const EXAMINED_MS = 180_000;

/** What has to be said of a thing: the verdict, and words of the detail. */
type Expected = readonly [subject: string, verdict: Finding['verdict'], detail: RegExp];

/** The doctor against the API server: before anything is applied, and of a run that is up. */
export async function examineWithDoctor(
  cluster: Cluster,
  selected: (named: { name: string }) => boolean,
  tally: Tally,
): Promise<void> {
  if (!selected({ name: NAME })) return;
  const spec = baseRun(NAME);
  // The version of this API server, which the manifests are for.
  const platform = {
    ...platformOf(NAME),
    cluster: { ...platformOf(NAME).cluster, version: '1.34.1-gke.1829001' },
  };
  const project = synthesizeProject(platform, [spec]);
  const [run] = project.plan.runs;
  if (run === undefined) throw new Error('the project has no run');
  const directory = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-doctor-'));
  const stage = await Stage.set(cluster, NAME, project.plan, 'baseline');
  try {
    mkdirSync(join(directory, 'runs'));
    writeFileSync(join(directory, 'platform.yaml'), JSON.stringify(platform, null, 2));
    writeFileSync(join(directory, `runs/${spec.name}.yaml`), JSON.stringify(spec, null, 2));
    const look = async (): Promise<Finding[]> => examine(cluster, directory);

    tally.record(
      'doctor before apply',
      differences(await look(), [
        ['kubeconfig', 'ok', /^context /],
        ['API server', 'ok', /^v1\.34\./],
        ['API ray.io/v1', 'ok', /^RayCluster$/],
        ['API batch/v1', 'ok', /^Job$/],
        ['RayCluster CRD', 'ok', /KubeRay 1\.5\.0/],
        ['TPU webhook', 'unknown', /^kuberay-tpu-webhook is there/],
        [`namespace ${NAME}`, 'ok', /^there$/],
        ['service account tpu-trainer', 'missing', /^not there$/],
        ...project.plan.infrastructure.nodePools.map(({ name, nodes }): Expected => [
          `node pool ${name}`,
          'ok',
          new RegExp(`^${String(nodes)} of ${String(nodes)} nodes ready$`),
        ]),
        [`RayCluster ${run.rayCluster}`, 'unknown', /^not applied yet$/],
      ]),
    );

    for (const object of [...project.files.values()].flat()) await cluster.controlPlane.client.apply(object);
    const pods = 1 + run.tpu.slices.max * run.tpu.hostsPerSlice;
    await untilRunning(cluster, NAME, run, pods);
    tally.record(
      'doctor of a run that is up',
      differences(await look(), [
        ['service account tpu-trainer', 'ok', /^there$/],
        [`RayCluster ${run.rayCluster}`, 'ok', /^ready$/],
        [`pods of ${run.rayCluster}`, 'ok', new RegExp(`^${String(pods)} of ${String(pods)} ready$`)],
        [`TPU environment of ${run.rayCluster}`, 'ok', new RegExp(`^${String(pods - 1)} workers, each`)],
        [`Job ${run.job}`, 'ok', /^1 pod active$/],
      ]),
    );
  } catch (error) {
    tally.record('doctor', [error instanceof Error ? error.message : String(error)]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
    await stage.clear();
  }
}

function differences(findings: readonly Finding[], expected: readonly Expected[]): string[] {
  return expected.flatMap(([subject, verdict, detail]) => {
    const finding = findings.find((candidate) => candidate.subject === subject);
    if (finding === undefined) return [`nothing is said of ${subject}`];
    const isAsExpected = finding.verdict === verdict && detail.test(finding.detail);
    return isAsExpected
      ? []
      : [`${subject}: ${finding.verdict}: ${finding.detail}; ${verdict} ${String(detail)} expected`];
  });
}

/** Runs the command as a user does, with this control plane's kubectl and kubeconfig and no gcloud. */
async function examine({ controlPlane, binaries }: Cluster, directory: string): Promise<Finding[]> {
  const tools = join(directory, 'bin');
  const kubectl = join(tools, 'kubectl');
  mkdirSync(tools, { recursive: true });
  writeFileSync(kubectl, `#!/bin/sh\nexec '${binaries.kube}' kubectl "$@"\n`);
  chmodSync(kubectl, 0o755);
  const command = [join(__dirname, '../../bin/cdk8s-tpu-ray.cjs'), 'doctor', directory, '--json'];
  const env = { PATH: tools, HOME: directory, KUBECONFIG: controlPlane.kubeconfig };
  const text = await new Promise<string>((resolve, reject) => {
    // It ends with 1: there is no gcloud, and before apply no service account.
    execFile(process.execPath, command, { env, timeout: EXAMINED_MS }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`doctor says nothing: ${stderr}${error?.message ?? ''}`));
      else resolve(stdout);
    });
  });
  return (JSON.parse(text) as { findings: Finding[] }).findings;
}
