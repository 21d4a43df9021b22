import { resolvePlatform } from '../../lib/run';
import type { PlatformSpec } from '../../lib/run';
import { AUTOPILOT, PLATFORM, problemLine } from '../support/training-run';

function problemsOf(spec: PlatformSpec): string[] {
  return resolvePlatform(spec).problems.map(problemLine);
}

test('every default', () => {
  const { bucket: _, kubeRayVersion: __, ...least } = PLATFORM;
  expect(resolvePlatform(least)).toEqual({
    isStandIn: false,
    problems: [],
    platform: {
      project: 'my-project',
      region: 'us-east5',
      zone: 'us-east5-b',
      cluster: {
        name: 'tpu-ray',
        mode: 'standard',
        version: '1.35.2-gke.1842000',
        location: 'us-east5-b',
        create: true,
      },
      kubeRayVersion: '1.4.0',
      namespace: 'default',
      multiHostIndexing: false,
      ownNamespace: false,
      serviceAccount: { name: 'tpu-trainer', create: true },
      network: { profile: 'explicit', ranges: ['10.50.0.0/16', '10.60.0.0/16'], create: true },
    },
  });
});

test('an Autopilot cluster is regional, bucket and repository lie in the region', () => {
  const { platform } = resolvePlatform({ ...AUTOPILOT, imageRepository: { name: 'images' } });
  expect(platform).toMatchObject({
    cluster: { location: 'us-east5' },
    bucket: { location: 'us-east5', hierarchicalNamespace: true, create: true },
    imageRepository: { location: 'us-east5', create: true },
  });
});

test.each(['us-south1-ai1b', 'us-central1-ai1a'])('C1: the AI zone %s is a zone of its region', (zone) => {
  const region = zone.slice(0, zone.lastIndexOf('-'));
  const { platform, problems } = resolvePlatform({ ...PLATFORM, region, zone });
  expect(problems).toEqual([]);
  expect(platform).toMatchObject({ region, zone });
});

test.each(['us-south1-ai1', 'us-south1-ab', 'us-south1-aib', 'us-south1-ai1-b'])(
  'C1: %s is no zone',
  (zone) => {
    expect(resolvePlatform({ ...PLATFORM, region: 'us-south1', zone }).problems).toMatchObject([
      { id: 'PLATFORM_ZONE', path: ['zone'] },
    ]);
  },
);

test.each([false, true])('C2: a cluster name of 40 characters, create: %s', (create) => {
  const cluster = { ...PLATFORM.cluster, name: 'a'.repeat(40), create };
  expect(resolvePlatform({ ...PLATFORM, cluster }).problems).toEqual([]);
});

test('a patch release of KubeRay counts as its minor release', () => {
  expect(resolvePlatform({ ...PLATFORM, kubeRayVersion: '1.6.2' }).platform.kubeRayVersion).toBe('1.6.0');
});

const LOCATION = 'letters, digits and dashes; write it as in us-east5 or us, or leave it out for the region';
const RANGE =
  'a range is a network address with a prefix of 8 to 29, as in 10.50.0.0/16, and its host bits are zero; write a range that no other network of the project uses';

test.each<[string, Partial<PlatformSpec>, string]>([
  [
    'a project number',
    { project: '123456789' },
    "project: '123456789': a project id has 6 to 30 lower-case letters, digits and dashes and begins with a letter; write the id, not the name or number: gcloud config get project",
  ],
  [
    'a zone as region',
    { region: 'us-east5-b' },
    "region: 'us-east5-b': a region is written as in us-east5; write the region without the zone letter",
  ],
  [
    'a region as zone',
    { zone: 'us-east5' },
    "zone: 'us-east5': a zone is a region and a letter, as in us-east5-b, or an AI zone, as in us-central1-ai1a; write the zone that has TPU capacity",
  ],
  [
    'a zone of another region',
    { zone: 'us-east1-c' },
    "zone: 'us-east1-c': the zone must lie in the region us-east5; use us-east5-… or change the region",
  ],
  [
    'a cluster name over the limit',
    { cluster: { ...PLATFORM.cluster, name: 'a'.repeat(41) } },
    `cluster.name: '${'a'.repeat(41)}': GKE’s names of clusters have at most 40 characters; this one has 41; choose a shorter name`,
  ],
  [
    'a version in short',
    { cluster: { ...PLATFORM.cluster, version: '1.35' } },
    "cluster.version: '1.35': a GKE version is written in full, as in 1.35.2-gke.1842000; look one up: gcloud container get-server-config",
  ],
  [
    'a control plane elsewhere',
    { cluster: { ...PLATFORM.cluster, location: 'us-east1' } },
    "cluster.location: 'us-east1': the control plane lies in the zone us-east5-b or the region us-east5; use one of them or leave location out",
  ],
  [
    'a zonal Autopilot cluster',
    { cluster: { ...AUTOPILOT.cluster, location: 'us-east5-b' } },
    "cluster.location: 'us-east5-b': an Autopilot cluster is regional; use us-east5 or leave location out",
  ],
  [
    'an unknown KubeRay',
    { kubeRayVersion: '1.3.0' },
    "kubeRayVersion: '1.3.0': known KubeRay versions are 1.4.0, 1.5.0, 1.6.0, 1.7.0 and their patch releases; write the newest of them that is not newer than the operator in the cluster",
  ],
  [
    'a namespace with a dot',
    { namespace: 'a.b' },
    "namespace: 'a.b': a name here consists of lower-case letters, digits and -, neither beginning nor ending with -; rename it",
  ],
  [
    'the namespace default as its own',
    { ownNamespace: true },
    'ownNamespace: true: the namespace default belongs to the cluster and is never rendered; name a namespace of your own, or leave ownNamespace out',
  ],
  [
    'a system namespace',
    { namespace: 'kube-system' },
    "namespace: 'kube-system': namespaces that begin with kube- are the cluster’s own, and the TPU webhook leaves kube-system out; use default or a namespace of your own",
  ],
  [
    'a service account with capitals',
    { serviceAccount: { name: 'Trainer' } },
    "serviceAccount.name: 'Trainer': a name here consists of lower-case letters, digits and -, neither beginning nor ending with -; rename it",
  ],
  [
    'a bucket with its scheme',
    { bucket: { name: 'gs://my-bucket' } },
    "bucket.name: 'gs://my-bucket': a bucket is named without gs:// and path: 3 to 63 lower-case letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit; write my-bucket",
  ],
  [
    'a bucket nowhere',
    { bucket: { name: 'my-bucket', location: 'us\teast' } },
    `bucket.location: "us\\teast": a location is a region, dual-region or multi-region: ${LOCATION}`,
  ],
  [
    'a repository with its host',
    { imageRepository: { name: 'us-docker.pkg.dev/p/r' } },
    "imageRepository.name: 'us-docker.pkg.dev/p/r': a repository has lower-case letters, digits and dashes, begins with a letter and has at most 63 characters; write the name alone, without host and project",
  ],
  [
    'a repository nowhere',
    { imageRepository: { name: 'r', location: 'us east' } },
    `imageRepository.location: 'us east': a location is a region or multi-region: ${LOCATION}`,
  ],
  [
    'a range that is none',
    { network: { ranges: ['10.50.0.0'] } },
    `network.ranges[0]: '10.50.0.0': ${RANGE}`,
  ],
  [
    'a range with host bits',
    { network: { ranges: ['10.50.0.1/16'] } },
    `network.ranges[0]: '10.50.0.1/16': ${RANGE}`,
  ],
  [
    'a range beyond 255',
    { network: { ranges: ['10.256.0.0/16'] } },
    `network.ranges[0]: '10.256.0.0/16': ${RANGE}`,
  ],
  [
    'a range of four addresses',
    { network: { ranges: ['10.50.0.0/30'] } },
    `network.ranges[0]: '10.50.0.0/30': ${RANGE}`,
  ],
  [
    'ranges that overlap',
    { network: { ranges: ['10.50.0.0/16', '10.50.128.0/17'] } },
    "network.ranges[1]: '10.50.128.0/17': ranges must not overlap, and this one overlaps 10.50.0.0/16; write a range of its own for every network card",
  ],
])('fails for %s', (_, change, line) => {
  expect(problemsOf({ ...PLATFORM, ...change })).toEqual([line]);
});
