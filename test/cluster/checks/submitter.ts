import type { Pod } from '../kubernetes-object';
import type { Check } from './observation';
import { variableOf } from './observation';

/** What the submitter waits for and talks to is what KubeRay made. */
export const submitter: Check = ({ run, job, services, workers, slices }) => {
  const args = job.spec.template.spec.containers[0]?.args ?? [];
  const valueOf = (name: string): string => args[args.indexOf(name) + 1] ?? '';
  const problems: string[] = [];
  const [, service = '', namespace = '', port = ''] =
    /^http:\/\/([^.]+)\.([^.]+)\.svc:(\d+)$/.exec(valueOf('--address')) ?? [];
  const head = services.find(({ metadata }) => metadata.name === service && metadata.namespace === namespace);
  if (!(head?.spec.ports ?? []).some((served) => String(served.port) === port)) {
    problems.push(`--address ${valueOf('--address')} leads to no service of the RayCluster`);
  }
  const expectHosts = String(run.tpu.hostsPerSlice);
  if (valueOf('--hosts-per-slice') !== expectHosts) {
    problems.push(`--hosts-per-slice is ${valueOf('--hosts-per-slice')}, ${expectHosts} expected`);
  }
  if (Number(valueOf('--slices')) > slices || Number(valueOf('--slices')) !== run.tpu.slices.min) {
    problems.push(`--slices is ${valueOf('--slices')} where KubeRay makes ${String(slices)}`);
  }
  for (const tpu of new Set(workers.map(logicalTpu))) {
    if (String(tpu) !== valueOf('--tpu-per-host')) {
      problems.push(
        `--tpu-per-host is ${valueOf('--tpu-per-host')}, but KubeRay starts Ray with TPU: ${String(tpu)}`,
      );
    }
  }
  return problems;
};

/** Logical TPU resource in the command that KubeRay has made for a worker. */
function logicalTpu(pod: Pod): number | undefined {
  const command = variableOf(pod, 'KUBERAY_GEN_RAY_START_CMD') ?? '';
  // KubeRay puts its own JSON into single quotes; what rayStartParams says stands as it is, in double quotes with escapes.
  const own = /--resources='(\{.*?\})'/.exec(command)?.[1];
  const given = /--resources="(\{.*?\})"/.exec(command)?.[1]?.replaceAll('\\"', '"');
  const resources = own ?? given;
  return resources === undefined ? undefined : (JSON.parse(resources) as Record<string, number>)['TPU'];
}
