import { pathText, problem } from '../problems';
import type { Path, Problem } from '../problems';
import { MACHINE_FACTS, type MachineType } from '../tpu';
import { asList, asObject, asText, type JsonObject } from './json';
import type { Manifest, PodView } from './manifest';
import type { ManifestRule } from './rule';
import { tpuMachineOf } from './tpu-machine';

/** Device classes of GKE's managed DRANET. @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/allocate-network-resources-dra */
const NETWORK_DEVICE_CLASSES = ['netdev.google.com', 'mrdma.google.com'];

/** Fields of a device request of resource.k8s.io/v1; everything else stands below `exactly` or `firstAvailable`. */
const REQUEST_FIELDS = ['name', 'exactly', 'firstAvailable'];

/**
 * Claims of network cards: requests are in the form of resource.k8s.io/v1, of a class that GKE has, and for no more cards than the host of
 * the pod has. A claim that cannot be met leaves its pod Pending. Classes outside google.com are another driver's and pass.
 */
export const deviceClaims: ManifestRule = (manifests) =>
  manifests
    .filter(({ kind }) => kind === 'ResourceClaimTemplate' || kind === 'ResourceClaim')
    .flatMap((manifest) => {
      const machines = machinesThatClaim(manifest, manifests);
      return requestsOf(manifest).flatMap(({ path, request }) =>
        [
          ...formProblems(path, request),
          ...classProblems(path, request),
          ...countProblems(path, request, machines),
        ].map((problem) => ({ object: manifest.id, ...problem })),
      );
    });

function requestsOf({ kind, object }: Manifest): { path: Path; request: JsonObject }[] {
  const isTemplate = kind === 'ResourceClaimTemplate';
  const spec = asObject(object['spec']);
  const devices = asObject((isTemplate ? asObject(spec['spec']) : spec)['devices']);
  const prefix = isTemplate ? ['spec', 'spec'] : ['spec'];
  return asList(devices['requests']).map((request, index) => ({
    path: [...prefix, 'devices', 'requests', index],
    request: asObject(request),
  }));
}

function formProblems(path: Path, request: JsonObject): Problem[] {
  return Object.entries(request)
    .filter(([field]) => !REQUEST_FIELDS.includes(field))
    .map(([field, value]) =>
      problem('DEVICE_REQUEST_FORM', [...path, field], value, {
        place: pathText([...path, 'exactly', field]),
      }),
    );
}

function classProblems(path: Path, request: JsonObject): Problem[] {
  const name = asText(asObject(request['exactly'])['deviceClassName']);
  if (name === undefined || !name.endsWith('.google.com') || NETWORK_DEVICE_CLASSES.includes(name)) return [];
  return [
    problem('DEVICE_CLASS', [...path, 'exactly', 'deviceClassName'], name, {
      networkDeviceClasses: NETWORK_DEVICE_CLASSES.join(' and '),
    }),
  ];
}

function countProblems(path: Path, request: JsonObject, machines: readonly MachineType[]): Problem[] {
  const { deviceClassName, count } = asObject(request['exactly']) as Record<string, unknown>;
  if (typeof count !== 'number' || !NETWORK_DEVICE_CLASSES.includes(String(deviceClassName))) return [];
  return machines.flatMap((machine) => {
    const { networkCards } = MACHINE_FACTS[machine];
    if (networkCards === undefined || count <= networkCards) return [];
    return [
      problem('DEVICE_COUNT', [...path, 'exactly', 'count'], count, {
        machine,
        networkCards,
        cards: `${String(networkCards)} network card${networkCards === 1 ? '' : 's'}`,
      }),
    ];
  });
}

/** Machine types of the TPU pods that use the claim, each once. */
function machinesThatClaim(claim: Manifest, manifests: readonly Manifest[]): MachineType[] {
  const machines = manifests
    .filter(({ namespace }) => namespace === claim.namespace)
    .flatMap(({ pods }) => pods.filter((pod) => uses(pod, claim)).map(tpuMachineOf));
  return [...new Set(machines)].filter((machine) => machine !== undefined);
}

function uses(pod: PodView, claim: Manifest): boolean {
  const field = claim.kind === 'ResourceClaim' ? 'resourceClaimName' : 'resourceClaimTemplateName';
  return asList(pod.spec['resourceClaims']).some((item) => asObject(item)[field] === claim.name);
}
