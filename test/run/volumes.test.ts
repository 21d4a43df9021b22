import { posix } from 'node:path';
import { handleSuffixOf, resolvePlatform } from '../../lib/run';
import type { GcsFuseVolumeSpec, VolumeSpec } from '../../lib/run';
import { AUTOPILOT, PLATFORM, RUN, TORCH, runProblems, trainingRun } from '../support/training-run';
import type { PlatformSpec } from '../../lib/run';

const DATA = { kind: 'gcs-fuse', mountPath: '/data' } as const;

/** Problems of a further volume beside the run's own. */
function problemsOf(volume: VolumeSpec, platform: PlatformSpec = PLATFORM): string[] {
  return runProblems({ ...RUN, volumes: [DATA, volume] }, platform).map((line) =>
    line.replace('volumes[1].', ''),
  );
}

const OTHER = { kind: 'gcs-fuse', mountPath: '/other', bucket: 'other-bucket' } as const;
const PATH_RULE =
  'a mount path is absolute, without a slash at its end, blanks or colons; write it as in /data';
const BUCKET_RULE =
  'a bucket is named without gs:// and path: 3 to 63 lower-case letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit';
const QUANTITY = 'a quantity is a number with an optional suffix m, k, M, G, T, P, Ki, Mi, Gi, Ti or Pi';

test.each(['/other/', 'other', '/a b', '/a:b', '/a/../b', '/a/.', '', '//a'])(
  "fails for the path '%s'",
  (mountPath) => {
    expect(problemsOf({ ...OTHER, mountPath })).toEqual([`mountPath: '${mountPath}': ${PATH_RULE}`]);
  },
);

test.each([
  ['/', '/ the image has all its files'],
  ['/tmp', '/tmp Ray and the image put temporary files'],
  ['/tmp/ray', '/tmp/ray Ray keeps sockets, sessions and logs'],
  ['/dev/shm', '/dev Kubernetes mounts devices and shared memory'],
  ['/dev/shm/x', '/dev Kubernetes mounts devices and shared memory'],
  ['/opt', '/opt the image has software'],
  ['/opt/tpu-trainers/x', "/opt/tpu-trainers the submitter has the trainer's sources"],
  ['/var', '/var the operating system keeps its state'],
  ['/run', '/run Kubernetes mounts tokens and the container runtime keeps its sockets'],
  [
    '/var/run/secrets/kubernetes.io/serviceaccount',
    '/var/run Kubernetes mounts tokens and the container runtime keeps its sockets',
  ],
  ['/root', '/root the image has the homes of its users'],
  ['/home/ray', '/home/ray the image has the homes of its users'],
  ['/home/ray/anaconda3', "/home/ray/anaconda3 Ray's images have Python and Ray"],
  ['/home/ray/anaconda3/lib', "/home/ray/anaconda3 Ray's images have Python and Ray"],
  ['/usr/local/lib', '/usr the image has its operating system'],
])('fails for %s, which is taken', (mountPath, place) => {
  const fix =
    mountPath === '/dev/shm'
      ? 'set resources.worker.sharedMemory instead'
      : 'mount it elsewhere, as at /data';
  expect(problemsOf({ ...OTHER, mountPath })).toEqual([
    `mountPath: '${mountPath}': a volume at ${mountPath} would hide what is there: at ${place}; ${fix}`,
  ]);
});

test.each([
  '/mnt/x',
  '/home/ray/data',
  '/opt/data',
  '/tmp/data',
  '/var/data',
  posix.join('/root', 'data'),
  '/runs',
  '/device',
])('a volume at %s hides nothing', (mountPath) => {
  expect(problemsOf({ ...OTHER, mountPath })).toEqual([]);
});

test('files belong to the user of the pods where it is known', () => {
  const volume = { ...OTHER, mountOptions: ['uid=0', 'gid=0'] };
  expect(problemsOf(volume)).toEqual([
    "mountOptions[0]: 'uid=0': files belong to the user of the pods, so that uid follows from user.uid; set user.uid instead",
    "mountOptions[1]: 'gid=0': files belong to the user of the pods, so that gid follows from user.gid; set user.gid instead",
  ]);
  expect(runProblems({ ...TORCH, volumes: [volume] })).toEqual([]);
});

describe('volumes in memory', () => {
  const SCRATCH = { kind: 'empty-dir', mountPath: '/scratch', medium: 'memory' } as const;

  test('count against the memory of the worker, beside /dev/shm', () => {
    // A host has 720 GB; half of it is the worker's, and half of that /dev/shm.
    expect(problemsOf({ ...SCRATCH, size: '100Gi' })).toEqual([]);
    for (const size of ['170Gi', '5000Gi']) {
      expect(problemsOf({ ...SCRATCH, size })).toEqual([
        `size: '${size}': volumes in memory and /dev/shm (171520Mi) count against the worker's memory limit of 335Gi and must be smaller together; lower the size, lower resources.worker.sharedMemory, raise resources.worker.memory, or use medium: disk`,
      ]);
    }
  });

  test('a file cache counts against the host', () => {
    expect(problemsOf({ ...OTHER, fileCache: { size: '300Gi' } })).toEqual([]);
    expect(problemsOf({ ...OTHER, fileCache: { size: '600Gi' } })).toEqual([
      "fileCache.size: '600Gi': file caches in memory and the worker's memory of 335Gi must be smaller together than the 720 GB of ct6e-standard-4t; lower the size, lower resources.worker.memory, or use medium: disk",
    ]);
    expect(problemsOf({ ...OTHER, fileCache: { size: '600Gi', medium: 'disk' } })).toEqual([]);
  });

  test('a file cache counts against the limit of the sidecar', () => {
    const line =
      "fileCache.size: '4Gi': file caches in memory count together against the memory limit of the FUSE sidecar, here 4Gi, and must be smaller; lower the size, raise sidecar.memoryLimit, or use medium: disk";
    expect(problemsOf({ ...OTHER, fileCache: { size: '4Gi' } }, AUTOPILOT)).toEqual([line]);
    expect(problemsOf({ ...OTHER, fileCache: { size: '4Gi' }, sidecar: { memoryLimit: '4Gi' } })).toEqual([
      line,
    ]);
    expect(
      problemsOf({ ...OTHER, fileCache: { size: '4Gi' }, sidecar: { memoryLimit: '8Gi' } }, AUTOPILOT),
    ).toEqual([]);
  });
});

test.each([
  ['gs://other-bucket', 'write other-bucket'],
  ['gs://other-bucket/a/b', 'write other-bucket, and mount its folder with onlyDir: a/b'],
  ['other-bucket/a', 'write other-bucket, and mount its folder with onlyDir: a'],
  ['gs://My Bucket/x', 'write my-bucket, and mount its folder with onlyDir: x'],
  ['gs://', 'write the name of the bucket'],
  ['Other_Bucket', 'try other_bucket'],
  ['-other-', 'try other'],
  ['10.0.0.1', 'choose a name of 3 to 63 such characters'],
  ['a', 'choose a name of 3 to 63 such characters'],
  ['-a', 'choose a name of 3 to 63 such characters'],
  ['_', 'choose a name of 3 to 63 such characters'],
  ['', 'choose a name of 3 to 63 such characters'],
  ['x'.repeat(64), 'choose a name of 3 to 63 such characters'],
])("field report 38: fails for the bucket '%s'", (bucket, fix) => {
  expect(problemsOf({ ...OTHER, bucket })).toEqual([`bucket: '${bucket}': ${BUCKET_RULE}; ${fix}`]);
});

test.each<[string, VolumeSpec, string]>([
  [
    'a folder with a leading slash',
    { ...OTHER, onlyDir: '/a' },
    "onlyDir: '/a': a folder of the bucket is written without a leading slash, blanks or commas; write a",
  ],
  [
    'a folder above the bucket',
    { ...OTHER, onlyDir: '../x' },
    "onlyDir: '../x': a folder of the bucket is named from its top, and a bucket has no folders . and ..; write the folder itself, as in runs/first",
  ],
  [
    'a mount option with a comma',
    { ...OTHER, mountOptions: ['a,b'] },
    "mountOptions[0]: 'a,b': one mount option an entry, without blanks and commas; split it into entries of the list",
  ],
  [
    'a misspelt mount option',
    { ...OTHER, mountOptions: ['implicit_dirs'] },
    "mountOptions[0]: 'implicit_dirs': gcsfuse knows no option implicit_dirs; write implicit-dirs, or x-implicit_dirs to hand it on unseen to a newer gcsfuse",
  ],
  [
    'a mount option that a field sets',
    { ...OTHER, mountOptions: ['only-dir=a'] },
    "mountOptions[0]: 'only-dir=a': only-dir follows from the volume's onlyDir; set onlyDir instead",
  ],
  [
    'the file cache as a mount option',
    { ...OTHER, mountOptions: ['file-cache:max-size-mb:10'] },
    "mountOptions[0]: 'file-cache:max-size-mb:10': file-cache:max-size-mb follows from the volume's fileCache.size; set fileCache.size instead",
  ],
  [
    'a profile as a mount option',
    { ...OTHER, mountOptions: ['profile:training'] },
    "mountOptions[0]: 'profile:training': profile follows from the volume's profile; set profile instead",
  ],
  [
    'a file cache that is no quantity',
    { ...OTHER, fileCache: { size: 'big' } },
    `fileCache.size: 'big': ${QUANTITY}; write it as in 50Gi`,
  ],
  [
    'a file cache of nothing',
    { ...OTHER, fileCache: { size: '0' } },
    "fileCache.size: '0': a size is counted in bytes, at least 1Mi; write it as in 50Gi",
  ],
  [
    'an emptyDir without a size',
    { kind: 'empty-dir', mountPath: '/other', size: '' },
    `size: '': ${QUANTITY}; write it as in 50Gi`,
  ],
  [
    'an emptyDir of 50 bytes',
    { kind: 'empty-dir', mountPath: '/other', size: '50' },
    "size: '50': a size is counted in bytes, at least 1Mi; write it as in 50Gi",
  ],
  [
    'a claim with capitals',
    { kind: 'claim', mountPath: '/other', claimName: 'My_Claim' },
    "claimName: 'My_Claim': a name here consists of lower-case letters, digits, - and ., each part neither empty nor beginning nor ending with -; write the name of a PersistentVolumeClaim of the namespace",
  ],
  [
    'a profile of an ephemeral volume',
    { ...OTHER, profile: 'training' },
    "profile: 'training': a profile is a StorageClass, so it works only with form: persistent-volume; set form: persistent-volume, or leave the profile out",
  ],
  [
    'a profile with a file cache',
    { ...OTHER, form: 'persistent-volume', profile: 'training', fileCache: { size: '1Gi' } },
    "fileCache: '1Gi': a profile sizes the file cache itself; leave either the profile or the file cache out",
  ],
  [
    'sidecar limits that are none',
    { ...OTHER, sidecar: { memoryLimit: 'x' } },
    `sidecar.memoryLimit: 'x': ${QUANTITY}; write it as in 2Gi`,
  ],
  [
    'a path that is taken',
    { ...OTHER, mountPath: '/data' },
    "mountPath: '/data': no two volumes share a mount path, and volume 0 is mounted there already; mount one of them elsewhere",
  ],
  [
    'a bucket that is mounted',
    { kind: 'gcs-fuse', mountPath: '/other' },
    "bucket: 'my-bucket': a pod mounts a bucket, or one folder of it, once, and volume 0 does so already; use one volume, or give each its own onlyDir",
  ],
])('fails for %s', (_, volume, line) => {
  expect(problemsOf(volume)).toEqual([line]);
});

test.each([
  [
    'implicitdirs',
    'gcsfuse knows no option implicitdirs; write implicit-dirs, or x-implicitdirs to hand it on unseen to a newer gcsfuse',
  ],
  [
    'constructor',
    'gcsfuse knows no option constructor; correct its name, or x-constructor to hand it on unseen to a newer gcsfuse',
  ],
  [
    'file-mode=0o664',
    'file-mode is a mode in octal digits, which gcsfuse reads without a prefix; write it as in 664',
  ],
  [
    'file-mode=688',
    'file-mode is a mode in octal digits, which gcsfuse reads without a prefix; write it as in 664',
  ],
  [
    'file-system:dir-mode:0x1ff',
    'file-system:dir-mode is a mode in octal digits, which gcsfuse reads without a prefix; write it as in 664',
  ],
  [
    'rename-dir-limit=many',
    'rename-dir-limit is a whole number; write digits, with a minus where it is unlimited',
  ],
  [
    'metadata-cache:ttl-secs',
    'metadata-cache:ttl-secs is a whole number; write digits, with a minus where it is unlimited',
  ],
  ['implicit-dirs=maybe', 'implicit-dirs is true or false; write true or false'],
  ['key-file=/x', "key-file is the CSI driver's own to set; remove it"],
])('B11: fails for the mount option %s', (option, text) => {
  expect(problemsOf({ ...OTHER, mountOptions: [option] })).toEqual([`mountOptions[0]: '${option}': ${text}`]);
});

test('B11: known options pass, and newer ones by their prefix', () => {
  const mountOptions = [
    'implicit-dirs',
    'implicit-dirs=true',
    'file-mode=664',
    'file-mode=0664',
    'metadata-cache:ttl-secs:-1',
    'file-system:kernel-list-cache-ttl-secs:60',
    'log-severity=trace',
    'noatime',
    'x-brand-new=1',
    'x-constructor',
  ];
  expect(problemsOf({ ...OTHER, mountOptions })).toEqual([]);
});

test("C6: an emptyDir at /tmp/ray keeps Ray's sessions; a bucket there does not", () => {
  expect(problemsOf({ kind: 'empty-dir', mountPath: '/tmp/ray', size: '50Gi' })).toEqual([]);
  expect(problemsOf({ ...OTHER, mountPath: '/tmp/ray' })).toHaveLength(1);
});

test('two folders of one bucket can be mounted', () => {
  expect(problemsOf({ kind: 'gcs-fuse', mountPath: '/other', onlyDir: 'checkpoints' })).toEqual([]);
});

test('fails without any bucket', () => {
  const { bucket: _, ...platform } = PLATFORM;
  expect(runProblems(RUN, platform)).toEqual([
    'volumes[0].bucket: missing: a gcs-fuse volume needs a bucket; name it here, or set bucket in platform.yaml',
  ]);
});

test('fails for a limit of "0" on Autopilot, where every container has one', () => {
  expect(problemsOf({ ...OTHER, sidecar: { cpuLimit: '0' } }, AUTOPILOT)).toEqual([
    'sidecar.cpuLimit: \'0\': Autopilot gives every container a limit, so "0" (no limit) is not allowed there; write a number, or leave it out for the default',
  ]);
  expect(problemsOf({ ...OTHER, sidecar: { cpuLimit: '0' } })).toEqual([]);
});

test('fails for a profile on a cluster without the StorageClasses', () => {
  const platform = { ...PLATFORM, cluster: { ...PLATFORM.cluster, version: '1.35.0-gke.1' } };
  expect(problemsOf({ ...OTHER, form: 'persistent-volume', profile: 'training' }, platform)).toEqual([
    "profile: 'training': the gcsfusecsi StorageClasses come with GKE 1.35.1-gke.1616000, the cluster has 1.35.0-gke.1; leave the profile out, or raise cluster.version in platform.yaml",
  ]);
});

test('field report 12: fails for GCS FUSE on a cluster without native sidecars', () => {
  const platform = { ...PLATFORM, cluster: { ...PLATFORM.cluster, version: '1.28.9-gke.1' } };
  const v5e = { ...RUN, tpu: { generation: 'v5e', topology: '4x4' } };
  expect(runProblems(v5e, platform)[0]).toBe(
    "volumes[0].kind: 'gcs-fuse': before GKE 1.29.3-gke.1093000 the FUSE sidecar is no native one: KubeRay's waiting init container cannot see the mount and the pod stalls; the cluster has 1.28.9-gke.1; raise cluster.version in platform.yaml",
  );
});

test('an output directory must lie on a volume that all hosts share and can write', () => {
  expect(runProblems({ ...RUN, volumes: [{ ...DATA, readOnly: true }] })).toEqual([
    "trainer.baseOutputDirectory: '/data': head and workers must all write to it: gs://BUCKET/… or a path beneath a mounted bucket or claim, and the run mounts /data (read-only); write gs://…, or add a gcs-fuse volume",
  ]);
  expect(
    runProblems({ ...RUN, volumes: [{ kind: 'empty-dir', mountPath: '/data', size: '1Gi' }] }),
  ).toHaveLength(1);
  expect(
    trainingRun({ ...RUN, volumes: [{ kind: 'claim', mountPath: '/data', claimName: 'data' }] }).name,
  ).toBe('train');
});

describe('B1: one bucket or claim, several volumes', () => {
  const SHARED: readonly VolumeSpec[] = [
    DATA,
    { kind: 'gcs-fuse', mountPath: '/a', onlyDir: 'a', form: 'persistent-volume' },
    { kind: 'gcs-fuse', mountPath: '/b', onlyDir: 'b', form: 'persistent-volume' },
    { kind: 'gcs-fuse', mountPath: '/c', bucket: 'other-bucket', form: 'persistent-volume' },
    { kind: 'gcs-fuse', mountPath: '/d', bucket: 'my-bucket', onlyDir: 'd', form: 'persistent-volume' },
  ];

  test('every PersistentVolume of a run has a handle of its own', () => {
    const { platform } = resolvePlatform(PLATFORM);
    expect(runProblems({ ...RUN, volumes: SHARED })).toEqual([]);
    expect(SHARED.map((_, index) => handleSuffixOf(SHARED, index, platform))).toEqual([
      undefined,
      undefined,
      '2',
      undefined,
      '4',
    ]);
  });

  test('two are refused on a cluster whose driver takes no suffix', () => {
    const platform = { ...PLATFORM, cluster: { ...PLATFORM.cluster, version: '1.32.9-gke.1000' } };
    expect(runProblems({ ...RUN, volumes: SHARED.slice(0, 3) }, platform)).toEqual([
      "volumes[2].form: 'persistent-volume': before GKE 1.33 a pod mounts one PersistentVolume per bucket, and another volume has my-bucket already; the cluster has 1.32.9-gke.1000; use form: ephemeral, or raise cluster.version in platform.yaml",
    ]);
    expect(runProblems({ ...RUN, volumes: SHARED.slice(0, 2) }, platform)).toEqual([]);
  });

  test('a claim is mounted once', () => {
    const claim = { kind: 'claim', mountPath: '/x', claimName: 'disk' } as const;
    const volumes = [DATA, claim, { ...claim, mountPath: '/y', readOnly: true }];
    expect(runProblems({ ...RUN, volumes })).toEqual([
      "volumes[2].claimName: 'disk': a pod mounts a claim once, and volume 1 does so already; use one volume, or a second claim",
    ]);
  });
});

describe('B10: a pod has one FUSE sidecar with one cache', () => {
  const cached = (index: number, more: Partial<GcsFuseVolumeSpec>): VolumeSpec => ({
    kind: 'gcs-fuse',
    mountPath: `/m${String(index)}`,
    onlyDir: String(index),
    ...more,
  });

  test('the caches of two volumes count together against its limit', () => {
    const volumes = [
      DATA,
      cached(1, { fileCache: { size: '3Gi' } }),
      cached(2, { fileCache: { size: '3Gi' }, sidecar: { memoryLimit: '5Gi' } }),
    ];
    expect(runProblems({ ...RUN, volumes })).toEqual([
      "volumes[2].fileCache.size: '3Gi': file caches in memory count together against the memory limit of the FUSE sidecar, here 5Gi, and must be smaller; lower the size, raise sidecar.memoryLimit, or use medium: disk",
    ]);
    expect(runProblems({ ...RUN, volumes: volumes.slice(0, 2) }, AUTOPILOT)).toEqual([]);
  });

  test.each([
    [
      { sidecar: { memoryLimit: '8Gi' } },
      { sidecar: { memoryLimit: '4Gi' } },
      'sidecar.memoryLimit',
      '8Gi',
      '4Gi',
    ],
    [{ sidecar: { cpuLimit: '2' } }, { sidecar: { cpuLimit: '4' } }, 'sidecar.cpuLimit', '2', '4'],
    [
      { fileCache: { size: '1Gi' } },
      { fileCache: { size: '1Gi', medium: 'disk' } },
      'fileCache.medium',
      'memory',
      'disk',
    ],
  ] as const)('two volumes that say different things are refused: %j, %j', (first, second, key, was, is) => {
    expect(runProblems({ ...RUN, volumes: [DATA, cached(1, first), cached(2, second)] })).toEqual([
      `volumes[2].${key}: '${is}': a pod has one FUSE sidecar for all its buckets, and volumes[1].${key} says ${was}; write the same in both, or leave it out of one`,
    ]);
  });

  test('the same amount may be written in two ways', () => {
    const volumes = [
      DATA,
      cached(1, { sidecar: { cpuLimit: '2' } }),
      cached(2, { sidecar: { cpuLimit: '2000m' } }),
    ];
    expect(runProblems({ ...RUN, volumes })).toEqual([]);
  });
});
