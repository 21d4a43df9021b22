import type { Check } from './observation';
import { variableOf } from './observation';

/** The names by which hosts of a slice look for each other are those that the headless service answers to. */
export const hostNames: Check = ({ run, workers, services, endpointSlices }) => {
  if (run.tpu.hostsPerSlice === 1) return [];
  const problems: string[] = [];
  const answered = new Map<string, string>();
  for (const slice of endpointSlices) {
    const service = slice.metadata.labels?.['kubernetes.io/service-name'] ?? '';
    for (const { hostname, targetRef } of slice.endpoints ?? []) {
      if (hostname !== undefined) answered.set(`${hostname}.${service}`, targetRef?.name ?? '');
    }
  }
  for (const pod of workers) {
    const { hostname = '', subdomain = '' } = pod.spec;
    const name = pod.metadata.name ?? '';
    const service = services.find(({ metadata }) => metadata.name === subdomain);
    if (service?.spec.clusterIP !== 'None')
      problems.push(`no headless service is named '${subdomain}', the subdomain of ${name}`);
    if (answered.get(`${hostname}.${subdomain}`) !== name)
      problems.push(`'${hostname}.${subdomain}' does not lead to ${name}`);
    const peers = (variableOf(pod, 'TPU_WORKER_HOSTNAMES') ?? '').split(',');
    const workerId = Number(variableOf(pod, 'TPU_WORKER_ID'));
    if (peers.length !== run.tpu.hostsPerSlice || peers[workerId] !== `${hostname}.${subdomain}`) {
      problems.push(`TPU_WORKER_HOSTNAMES of ${name} is '${peers.join(',')}' at worker ${String(workerId)}`);
    }
    const unknown = peers.filter((peer) => !answered.has(peer));
    if (unknown.length > 0)
      problems.push(`${name} looks for ${unknown.join(', ')}, which nothing answers to`);
  }
  return problems;
};
