import { CLIENT_PORT, DASHBOARD_PORT, GCS_PORT, METRICS_PORT, type RayPort } from '../kuberay/ports';
import { isSamePath, pathText } from '../problems';
import type { Path } from '../problems';
import { asList, asObject } from './json';
import type { ContainerView, PodView } from './manifest';

/** Ports Ray opens whether or not they are declared, with the `ray start` parameter that moves them. */
const RAY_HEAD_PORTS: readonly (readonly [RayPort, parameter: string])[] = [
  [GCS_PORT, 'port'],
  [DASHBOARD_PORT, 'dashboard-port'],
  [CLIENT_PORT, 'ray-client-server-port'],
];
const RAY_NODE_PORTS: readonly (readonly [RayPort, parameter: string])[] = [
  [METRICS_PORT, 'metrics-export-port'],
];

/** A port on which something in a pod listens. */
export interface PortUse {
  /** What declares it, below the pod's template; undefined for what is nowhere written. */
  readonly path: Path | undefined;
  /** The field below `path` that holds the number. */
  readonly field: string;
  /** What it is, for messages: its path, or `Ray's metrics port`. */
  readonly title: string;
  readonly owner: ContainerView | undefined;
  readonly number: number;
  readonly protocol: string;
  readonly name: unknown;
}

/** Ports of a pod: declared ones, MegaScale's where the environment names it, then those that Ray opens undeclared. */
export function portUses(pod: PodView): PortUse[] {
  const written = pod.containers
    .filter(({ isInit }) => !isInit)
    .flatMap((owner) => [...declaredPorts(owner), ...megascalePorts(owner)]);
  const opened = rayPorts(pod).filter(
    ({ number, owner }) =>
      !written.some(
        (port) => port.owner === owner && port.number === number && port.field === 'containerPort',
      ),
  );
  return [...written, ...opened];
}

function declaredPorts(owner: ContainerView): PortUse[] {
  return asList(owner.container['ports']).flatMap((value, index): PortUse[] => {
    const port = asObject(value);
    const number = port['containerPort'];
    if (typeof number !== 'number') return [];
    const protocol = typeof port['protocol'] === 'string' ? port['protocol'] : 'TCP';
    const path = [...owner.path, 'ports', index];
    return [
      { path, field: 'containerPort', title: pathText(path), owner, number, protocol, name: port['name'] },
    ];
  });
}

function megascalePorts(owner: ContainerView): PortUse[] {
  return asList(owner.container['env']).flatMap((value, index): PortUse[] => {
    const variable = asObject(value);
    const number = Number(variable['value']);
    if (variable['name'] !== 'MEGASCALE_PORT' || !Number.isInteger(number)) return [];
    const path = [...owner.path, 'env', index];
    return [{ path, field: 'value', title: pathText(path), owner, number, protocol: 'TCP', name: undefined }];
  });
}

function rayPorts(pod: PodView): PortUse[] {
  if (pod.rayNode === undefined) return [];
  const owner = pod.containers.find(({ path }) => isSamePath(path, ['spec', 'containers', 0]));
  const parameters = asObject(pod.group['rayStartParams']);
  const opened = pod.rayNode === 'head' ? [...RAY_HEAD_PORTS, ...RAY_NODE_PORTS] : RAY_NODE_PORTS;
  return opened.map(([port, parameter]) => {
    const number = Number(parameters[parameter] ?? port.port);
    const title = `Ray's ${port.name} port`;
    return { path: undefined, field: '', title, owner, number, protocol: 'TCP', name: undefined };
  });
}
