import type { ProblemTable } from './problem-table';

/** Problems of platform.yaml. */
export const PLATFORM_PROBLEMS = {
  NETWORK_RANGES_COUNT: {
    rule: 'every network card has a network with a range of its own, and workers have <cards> cards',
    fix: 'write <cards> ranges, or leave ranges out',
  },
  NODE_POOL_NAME_TAKEN: {
    rule: 'every node pool has a name of its own, and the runs <text> come to this one',
    fix: 'rename one of these runs, or let them share node pools',
  },
  BUCKET_NAME_GOOGLE: {
    rule: 'no bucket name begins with goog or contains google',
    fix: 'choose another name',
  },
  BUCKET_NAME: {
    rule: 'a bucket is named without gs:// and path: 3 to 63 lower-case letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit',
    fix: '<advice>',
  },
  BUCKET_NAME_DOTS: {
    rule: 'dots of a bucket name stand between letters and digits, as in a domain',
    fix: 'use dashes',
  },
  PLATFORM_PROJECT: {
    rule: 'a project id has 6 to 30 lower-case letters, digits and dashes and begins with a letter',
    fix: 'write the id, not the name or number: gcloud config get project',
  },
  PLATFORM_REGION: {
    rule: 'a region is written as in us-east5',
    fix: 'write the region without the zone letter',
  },
  PLATFORM_ZONE: {
    rule: 'a zone is a region and a letter, as in us-east5-b, or an AI zone, as in us-central1-ai1a',
    fix: 'write the zone that has TPU capacity',
  },
  PLATFORM_ZONE_REGION: {
    rule: 'the zone must lie in the region <region>',
    fix: 'use <region>-… or change the region',
  },
  KUBERAY_VERSION: {
    rule: 'known KubeRay versions are <kuberayVersions> and their patch releases',
    fix: 'write the newest of them that is not newer than the operator in the cluster',
  },
  KUBERAY_GATE: {
    rule: 'KubeRay <kubeRayVersion> has no feature gate RayMultiHostIndexing: it came with 1.5',
    fix: 'remove it, or raise kubeRayVersion if the operator is that new',
  },
  NAMESPACE_NAME: {
    rule: '<reason>',
    fix: 'rename it',
  },
  NAMESPACE_RESERVED: {
    rule: 'namespaces that begin with kube- are the cluster’s own, and the TPU webhook leaves kube-system out',
    fix: 'use default or a namespace of your own',
  },
  NAMESPACE_DEFAULT: {
    rule: 'the namespace <namespace> belongs to the cluster and is never rendered',
    fix: 'name a namespace of your own, or leave ownNamespace out',
  },
  SERVICE_ACCOUNT_NAME: {
    rule: '<reason>',
    fix: 'rename it',
  },
  IMAGE_REPOSITORY_NAME: {
    rule: 'a repository has lower-case letters, digits and dashes, begins with a letter and has at most 63 characters',
    fix: 'write the name alone, without host and project',
  },
  LOCATION: {
    rule: 'a location is <what>: letters, digits and dashes',
    fix: 'write it as in us-east5 or us, or leave it out for the region',
  },
  CLUSTER_NAME: {
    rule: '<reason>',
    fix: 'rename the cluster',
  },
  CLUSTER_NAME_LENGTH: {
    rule: 'GKE’s names of clusters have at most <longestClusterName> characters; this one has <length>',
    fix: 'choose a shorter name',
  },
  CLUSTER_VERSION: {
    rule: '<reason>',
    fix: 'look one up: gcloud container get-server-config',
  },
  CLUSTER_LOCATION_AUTOPILOT: {
    rule: 'an Autopilot cluster is regional',
    fix: 'use <region> or leave location out',
  },
  CLUSTER_LOCATION: {
    rule: 'the control plane lies in the zone <zone> or the region <region>',
    fix: 'use one of them or leave location out',
  },
  NETWORK_RANGE: {
    rule: 'a range is a network address with a prefix of 8 to 29, as in 10.50.0.0/16, and its host bits are zero',
    fix: 'write a range that no other network of the project uses',
  },
  NETWORK_RANGES_OVERLAP: {
    rule: 'ranges must not overlap, and this one overlaps <ranges>',
    fix: 'write a range of its own for every network card',
  },
} as const satisfies ProblemTable;
