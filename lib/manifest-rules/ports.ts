import { CLIENT_PORT, DASHBOARD_PORT, GCS_PORT, METRICS_PORT, type RayPort } from '../kuberay/ports';
import type { Problem } from '../problem';
import { asList, asObject } from './json';
import type { ContainerView, PodView } from './manifest';
import { forEachPod } from './rule';

/** Ports Ray opens whether or not they are declared, with the `ray start` parameter that moves them. */
const RAY_HEAD_PORTS: readonly (readonly [RayPort, parameter: string])[] = [
  [GCS_PORT, 'port'],
  [DASHBOARD_PORT, 'dashboard-port'],
  [CLIENT_PORT, 'ray-client-server-port'],
];
const RAY_NODE_PORTS: readonly (readonly [RayPort, parameter: string])[] = [
  [METRICS_PORT, 'metrics-export-port'],
];

interface PortUse {
  readonly path: string;
  readonly owner: ContainerView | undefined;
  readonly number: number;
  readonly protocol: string;
  readonly name: unknown;
}

/**
 * In one pod no two containers, and no container twice, listen on one port: they share the pod's network. Ray's own ports count, declared
 * or not. Port names are unique in a pod, and on the host network a host port is the container's port.
 */
export const ports = forEachPod((pod) => {
  const declared = pod.containers.filter(({ isInit }) => !isInit).flatMap(declaredPorts);
  const opened = rayPorts(pod).filter(
    ({ number, owner }) => !declared.some((port) => port.owner === owner && port.number === number),
  );
  const uses = [...declared, ...opened];
  return [
    ...declared.flatMap((use) => clashProblems(use, uses)),
    ...declared.flatMap((use) => nameProblems(use, declared)),
    ...(pod.spec['hostNetwork'] === true ? pod.containers.flatMap(hostPortProblems) : []),
  ];
});

function declaredPorts(owner: ContainerView): PortUse[] {
  return asList(owner.container['ports']).flatMap((value, index): PortUse[] => {
    const port = asObject(value);
    const number = port['containerPort'];
    if (typeof number !== 'number') return [];
    const protocol = typeof port['protocol'] === 'string' ? port['protocol'] : 'TCP';
    return [{ path: `${owner.path}.ports[${index}]`, owner, number, protocol, name: port['name'] }];
  });
}

function rayPorts(pod: PodView): PortUse[] {
  if (pod.rayNode === undefined) return [];
  const owner = pod.containers.find(({ path }) => path === 'spec.containers[0]');
  const parameters = asObject(pod.group['rayStartParams']);
  const opened = pod.rayNode === 'head' ? [...RAY_HEAD_PORTS, ...RAY_NODE_PORTS] : RAY_NODE_PORTS;
  return opened.map(([port, parameter]) => {
    const number = Number(parameters[parameter] ?? port.port);
    return { path: `Ray's ${port.name} port`, owner, number, protocol: 'TCP', name: undefined };
  });
}

function clashProblems(use: PortUse, uses: readonly PortUse[]): Problem[] {
  const other = uses.find(
    (candidate) => candidate.number === use.number && candidate.protocol === use.protocol,
  );
  // Ray's own ports stand behind the declared ones, so that a sidecar's clash with them is found from the sidecar's side.
  const clash =
    other === use
      ? uses.find((candidate) => isOpenedByRay(candidate) && candidate.number === use.number)
      : other;
  if (clash === undefined || clash === use) return [];
  return [
    {
      path: `${use.path}.containerPort`,
      value: use.number,
      rule: `containers of a pod share its network, ${clash.path} is on this port already`,
      fix: 'use another port',
    },
  ];
}

function isOpenedByRay(use: PortUse): boolean {
  return !use.path.startsWith('spec.');
}

function nameProblems(use: PortUse, declared: readonly PortUse[]): Problem[] {
  const first = declared.find(({ name }) => name === use.name);
  if (use.name === undefined || first === undefined || first === use) return [];
  const rule = `port names of a pod are unique, ${first.path} has this one`;
  return [{ path: `${use.path}.name`, value: use.name, rule, fix: 'rename one of them' }];
}

function hostPortProblems({ path, container }: ContainerView): Problem[] {
  return asList(container['ports']).flatMap((value, index): Problem[] => {
    const { hostPort, containerPort } = asObject(value);
    if (hostPort === undefined || hostPort === containerPort) return [];
    const rule = `on the host network a host port is the container's port, here ${String(containerPort)}`;
    return [{ path: `${path}.ports[${index}].hostPort`, value: hostPort, rule, fix: 'leave it out' }];
  });
}
