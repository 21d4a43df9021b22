import { problem } from '../problems';
import type { Problem } from '../problems';
import { asList, asObject } from './json';
import type { ContainerView } from './manifest';
import { portUses, type PortUse } from './port-uses';
import { forEachPod } from './rule';

/** Ports that GKE's nodes have taken. @see https://kubernetes.io/docs/reference/networking/ports-and-protocols/ */
const NODE_PORTS: ReadonlyMap<number, string> = new Map([
  [988, 'the metadata server'],
  [10248, 'the kubelet'],
  [10249, 'kube-proxy'],
  [10250, 'the kubelet'],
  [10255, 'the kubelet'],
  [10256, 'kube-proxy'],
]);

/**
 * In one pod no two containers, and no container twice, listen on one port: they share the pod's network. Ray's own ports count, declared
 * or not, and so does MegaScale's. Port names are unique in a pod. On the host network a host port is the container's port, and the node's
 * own agents have theirs.
 */
export const ports = forEachPod((pod) => {
  const uses = portUses(pod);
  const onHost = pod.spec['hostNetwork'] === true;
  return [
    ...uses.flatMap((use) => clashProblems(use, uses)),
    ...uses.flatMap((use) => nameProblems(use, uses)),
    ...(onHost ? [...uses.flatMap(nodeProblems), ...pod.containers.flatMap(hostPortProblems)] : []),
  ];
});

function clashProblems(use: PortUse, uses: readonly PortUse[]): Problem[] {
  const { path } = use;
  if (path === undefined) return [];
  const same = uses.filter(
    (other) => other !== use && other.number === use.number && other.protocol === use.protocol,
  );
  // Of two written ports the later one is at fault; Ray's own are never.
  const clash = same.find((other) => other.path === undefined || uses.indexOf(other) < uses.indexOf(use));
  if (clash === undefined) return [];
  return [problem('PORT_TWICE', [...path, use.field], use.number, { place: clash.title })];
}

function nodeProblems(use: PortUse): Problem[] {
  const agent = NODE_PORTS.get(use.number);
  if (agent === undefined) return [];
  return [
    problem(
      'HOST_PORT_TAKEN',
      use.path === undefined ? ['spec', 'hostNetwork'] : [...use.path, use.field],
      use.number,
      { agent, title: use.title },
    ),
  ];
}

function nameProblems(use: PortUse, uses: readonly PortUse[]): Problem[] {
  const first = uses.find(({ name }) => name === use.name);
  if (use.path === undefined || use.name === undefined || first === undefined || first === use) return [];
  return [problem('PORT_NAME_TWICE', [...use.path, 'name'], use.name, { place: first.title })];
}

function hostPortProblems({ path, container }: ContainerView): Problem[] {
  return asList(container['ports']).flatMap((value, index): Problem[] => {
    const { hostPort, containerPort } = asObject(value);
    if (hostPort === undefined || hostPort === containerPort) return [];
    return [
      problem('HOST_PORT', [...path, 'ports', index, 'hostPort'], hostPort, {
        containerPort: String(containerPort),
      }),
    ];
  });
}
