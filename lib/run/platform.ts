import { bucketNameProblem } from '../kubernetes/bucket-name';
import { GKE_VERSION_RULE, parseGkeVersion } from '../kubernetes/gke-version';
import { dns1035LabelError, dns1123LabelError } from '../kubernetes/names';
import { KUBERAY_VERSIONS, NEWEST_KUBERAY_VERSION, parseKubeRayVersion } from '../kuberay/versions';
import type { KubeRayVersion } from '../kuberay/versions';
import { nestProblems, problem } from '../problems';
import type { Path, Problem } from '../problems';
import { DEFAULT_KUBERAY_VERSION, DEFAULT_NAMESPACE, DEFAULT_SERVICE_ACCOUNT } from './defaults';
import type { PlatformSpec } from './platform-spec';
import { checkForm, joinProblems } from './spec-form';
import { hasIndexingGate } from './whole-slices';

/** A project's GKE side with every default filled in. */
export interface Platform {
  readonly project: string;
  readonly region: string;
  readonly zone: string;
  readonly cluster: {
    readonly name: string;
    readonly mode: 'standard' | 'autopilot';
    readonly version: string;
    readonly location: string;
    readonly create: boolean;
  };
  readonly kubeRayVersion: KubeRayVersion;
  readonly multiHostIndexing: boolean;
  readonly namespace: string;
  readonly ownNamespace: boolean;
  readonly serviceAccount: { readonly name: string; readonly create: boolean };
  readonly bucket?: {
    readonly name: string;
    readonly location: string;
    readonly hierarchicalNamespace: boolean;
    readonly create: boolean;
  };
  readonly imageRepository?: { readonly name: string; readonly location: string; readonly create: boolean };
  readonly network: {
    readonly profile: 'auto' | 'explicit';
    readonly ranges: readonly string[];
    readonly create: boolean;
  };
  readonly gitOps?: 'argo-cd' | 'flux';
}

/** Ranges of explicit networks when platform.yaml names none: one /16 per network card. */
const DEFAULT_RANGES = ['10.50.0.0/16', '10.60.0.0/16'] as const;

/** GKE's limit. Names of networks and placement policies begin with the cluster's, and may have 63. */
const LONGEST_CLUSTER_NAME = 40;

/** A project id; projects of a domain have it as a prefix. */
export const PROJECT_ID = /^([a-z][-a-z0-9.]{0,61}[a-z0-9]:)?[a-z][-a-z0-9]{4,28}[a-z0-9]$/;
const REGION = /^[a-z]+-[a-z]+[0-9]+$/;
/** The letter of an AI zone comes after `ai` and a number. */
const ZONE = /^([a-z]+-[a-z]+[0-9]+)-(?:ai[0-9]+)?[a-z]$/;
const LOCATION = /^[A-Za-z]([-A-Za-z0-9]{0,38}[A-Za-z0-9])?$/;
const REPOSITORY = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A platform and the Problems of its spec. */
export interface ResolvedPlatform {
  /** Usable only when there are no Problems. */
  readonly platform: Platform;
  readonly problems: readonly Problem[];
  /** True when nothing can be made of the spec: `platform` is another one then, on which runs are refused for nothing but themselves. */
  readonly isStandIn: boolean;
}

/** The platform a spec describes, or every Problem in it. */
export function resolvePlatform(given: PlatformSpec): ResolvedPlatform {
  const form = checkForm('PlatformSpec', given);
  if (form.spec === undefined) {
    return { platform: resolveSpec(ANY_PLATFORM).platform, problems: form.problems, isStandIn: true };
  }
  const { platform, problems } = resolveSpec(form.spec);
  return { platform, problems: joinProblems(form.problems, problems), isStandIn: false };
}

/** Stands in for a platform that cannot be used: a run that is refused on it is refused on every platform. */
const ANY_PLATFORM: PlatformSpec = {
  project: 'any-project',
  region: 'us-east5',
  zone: 'us-east5-b',
  cluster: { name: 'any', mode: 'standard', version: '9.0.0-gke.0' },
  kubeRayVersion: NEWEST_KUBERAY_VERSION,
  multiHostIndexing: false,
  bucket: { name: 'any-bucket' },
};

function resolveSpec(spec: PlatformSpec): { platform: Platform; problems: Problem[] } {
  const problems: Problem[] = [];
  const refuse: Refuse = (...found) => problems.push(...found);
  if (!PROJECT_ID.test(spec.project)) {
    refuse(problem('PLATFORM_PROJECT', ['project'], spec.project));
  }
  if (!REGION.test(spec.region)) {
    refuse(problem('PLATFORM_REGION', ['region'], spec.region));
  }
  const zoneRegion = ZONE.exec(spec.zone)?.[1];
  if (zoneRegion === undefined) {
    refuse(problem('PLATFORM_ZONE', ['zone'], spec.zone));
  } else if (zoneRegion !== spec.region && REGION.test(spec.region)) {
    refuse(problem('PLATFORM_ZONE_REGION', ['zone'], spec.zone, { region: spec.region }));
  }
  checkCluster(spec, refuse);
  const kubeRayVersion = parseKubeRayVersion(spec.kubeRayVersion ?? DEFAULT_KUBERAY_VERSION);
  if (kubeRayVersion === undefined) {
    refuse(
      problem('KUBERAY_VERSION', ['kubeRayVersion'], spec.kubeRayVersion, {
        kuberayVersions: KUBERAY_VERSIONS.join(', '),
      }),
    );
  }
  if (spec.multiHostIndexing === true && kubeRayVersion !== undefined && !hasIndexingGate(kubeRayVersion)) {
    refuse(problem('KUBERAY_GATE', ['multiHostIndexing'], true, { kubeRayVersion }));
  }
  const namespace = spec.namespace ?? DEFAULT_NAMESPACE;
  const namespaceProblem = dns1123LabelError(namespace);
  if (namespaceProblem !== undefined) {
    refuse(problem('NAMESPACE_NAME', ['namespace'], namespace, { reason: namespaceProblem }));
  }
  if (namespace.startsWith('kube-')) {
    refuse(problem('NAMESPACE_RESERVED', ['namespace'], namespace));
  }
  if (spec.ownNamespace === true && namespace === 'default') {
    refuse(problem('NAMESPACE_DEFAULT', ['ownNamespace'], true, { namespace }));
  }
  const serviceAccount = spec.serviceAccount?.name ?? DEFAULT_SERVICE_ACCOUNT;
  const accountProblem = dns1123LabelError(serviceAccount);
  if (accountProblem !== undefined) {
    refuse(
      problem('SERVICE_ACCOUNT_NAME', ['serviceAccount', 'name'], serviceAccount, { reason: accountProblem }),
    );
  }
  if (spec.bucket !== undefined) {
    const bucketProblem = bucketNameProblem(spec.bucket.name);
    if (bucketProblem !== undefined) {
      refuse(...nestProblems(['bucket', 'name'], [bucketProblem]));
    }
    checkLocation(
      ['bucket', 'location'],
      spec.bucket.location,
      'a region, dual-region or multi-region',
      refuse,
    );
  }
  if (spec.imageRepository !== undefined && !REPOSITORY.test(spec.imageRepository.name)) {
    refuse(problem('IMAGE_REPOSITORY_NAME', ['imageRepository', 'name'], spec.imageRepository.name));
  }
  checkLocation(
    ['imageRepository', 'location'],
    spec.imageRepository?.location,
    'a region or multi-region',
    refuse,
  );
  const ranges = spec.network?.ranges ?? DEFAULT_RANGES;
  checkRanges(ranges, refuse);
  return {
    problems,
    platform: {
      project: spec.project,
      region: spec.region,
      zone: spec.zone,
      cluster: {
        name: spec.cluster.name,
        mode: spec.cluster.mode,
        version: spec.cluster.version,
        location: spec.cluster.location ?? (spec.cluster.mode === 'autopilot' ? spec.region : spec.zone),
        create: spec.cluster.create ?? true,
      },
      kubeRayVersion: kubeRayVersion ?? DEFAULT_KUBERAY_VERSION,
      multiHostIndexing: spec.multiHostIndexing ?? false,
      namespace,
      ownNamespace: spec.ownNamespace ?? false,
      serviceAccount: { name: serviceAccount, create: spec.serviceAccount?.create ?? true },
      ...(spec.bucket === undefined
        ? {}
        : {
            bucket: {
              name: spec.bucket.name,
              location: spec.bucket.location ?? spec.region,
              hierarchicalNamespace: spec.bucket.hierarchicalNamespace ?? true,
              create: spec.bucket.create ?? true,
            },
          }),
      ...(spec.imageRepository === undefined
        ? {}
        : {
            imageRepository: {
              name: spec.imageRepository.name,
              location: spec.imageRepository.location ?? spec.region,
              create: spec.imageRepository.create ?? true,
            },
          }),
      network: {
        profile: spec.network?.profile ?? 'explicit',
        ranges: [...ranges],
        create: spec.network?.create ?? true,
      },
      ...(spec.gitOps === undefined ? {} : { gitOps: spec.gitOps }),
    },
  };
}

type Refuse = (...found: Problem[]) => void;

function checkLocation(path: Path, location: string | undefined, what: string, refuse: Refuse): void {
  if (location === undefined || LOCATION.test(location)) return;
  refuse(problem('LOCATION', path, location, { what }));
}

function checkCluster(spec: PlatformSpec, refuse: Refuse): void {
  const { name, mode, version, location } = spec.cluster;
  const nameProblem = dns1035LabelError(name);
  if (nameProblem !== undefined)
    refuse(problem('CLUSTER_NAME', ['cluster', 'name'], name, { reason: nameProblem }));
  else if (name.length > LONGEST_CLUSTER_NAME) {
    refuse(
      problem('CLUSTER_NAME_LENGTH', ['cluster', 'name'], name, {
        longestClusterName: LONGEST_CLUSTER_NAME,
        length: name.length,
      }),
    );
  }
  if (parseGkeVersion(version) === undefined) {
    refuse(problem('CLUSTER_VERSION', ['cluster', 'version'], version, { reason: GKE_VERSION_RULE }));
  }
  if (location === undefined || location === spec.zone || location === spec.region) {
    if (mode === 'autopilot' && location === spec.zone) {
      refuse(
        problem('CLUSTER_LOCATION_AUTOPILOT', ['cluster', 'location'], location, { region: spec.region }),
      );
    }
    return;
  }
  refuse(
    problem('CLUSTER_LOCATION', ['cluster', 'location'], location, { zone: spec.zone, region: spec.region }),
  );
}

const CIDR = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

function checkRanges(ranges: readonly string[], refuse: Refuse): void {
  const parsed = ranges.map((range) => parseRange(range));
  for (const [index, range] of ranges.entries()) {
    if (parsed[index] === undefined) {
      refuse(problem('NETWORK_RANGE', ['network', 'ranges', index], range));
    }
  }
  for (const [index, range] of parsed.entries()) {
    const earlier = parsed
      .slice(0, index)
      .findIndex((other) => other !== undefined && range !== undefined && overlap(other, range));
    if (earlier >= 0) {
      refuse(
        problem('NETWORK_RANGES_OVERLAP', ['network', 'ranges', index], ranges[index], {
          ranges: ranges[earlier] ?? '',
        }),
      );
    }
  }
}

interface AddressRange {
  readonly first: number;
  readonly last: number;
}

function parseRange(text: string): AddressRange | undefined {
  const match = CIDR.exec(text);
  if (match === null) return undefined;
  const octets = match.slice(1, 5).map(Number);
  const prefix = Number(match[5]);
  if (octets.some((octet) => octet > 255) || prefix < 8 || prefix > 29) return undefined;
  const first = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? { first, last: first + size - 1 } : undefined;
}

function overlap(a: AddressRange, b: AddressRange): boolean {
  return a.first <= b.last && b.first <= a.last;
}
