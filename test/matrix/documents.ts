/** A YAML document as data. */
export type Data = string | number | boolean | null | Data[] | { [key: string]: Data };

/** A platform and a run that are right together; most fields are there, and few have their default. */
export interface Base {
  readonly platform: { [key: string]: Data };
  readonly run: { [key: string]: Data };
}

function platform(mode: 'standard' | 'autopilot', gitOps?: 'flux'): Base['platform'] {
  return {
    project: 'my-project',
    region: 'us-east5',
    zone: 'us-east5-b',
    cluster: { name: 'tpu-ray', mode, version: '1.36.0-gke.1842000' },
    kubeRayVersion: '1.6.0',
    namespace: 'train',
    serviceAccount: { name: 'trainer', create: false },
    bucket: { name: 'my-bucket', location: 'us', hierarchicalNamespace: false },
    imageRepository: { name: 'images', location: 'us' },
    network: { ranges: ['10.70.0.0/16', '10.80.0.0/16'], create: false },
    ...(gitOps === undefined ? {} : { gitOps }),
  };
}

/** Fresh documents: one slice with mounted buckets, an elastic range on DRANET, and slices on Autopilot. */
export function bases(): Base[] {
  return [
    {
      platform: platform('standard', 'flux'),
      run: {
        name: 'llama3-8b',
        tpu: { generation: 'v6e', topology: '4x4', capacity: { kind: 'spot' }, shareNodePools: false },
        ray: { version: '2.59.0', authTokenSecret: 'ray-token' },
        image: 'registry/maxtext:1',
        imagePullPolicy: 'Always',
        trainer: {
          kind: 'maxtext',
          model: 'llama3-8b',
          steps: 20,
          baseOutputDirectory: '/data/out',
          runName: 'first',
          perDeviceBatchSize: 2,
          maxTargetLength: 4096,
          mesh: { ici: { fsdp: 4, tensor: 4 } },
          weightDtype: 'bfloat16',
          checkpointing: { enabled: true, period: 10 },
          compilationCache: 'gs://my-bucket/cache',
          env: { LOG_LEVEL: 'debug' },
          arguments: ['enable_goodput_recording=false'],
          maxFailures: 2,
          startDeadline: '40m',
          stepTimeout: '20m',
        },
        volumes: [
          {
            kind: 'gcs-fuse',
            mountPath: '/data',
            onlyDir: 'runs',
            fileCache: { size: '20Gi', medium: 'disk' },
          },
          { kind: 'empty-dir', mountPath: '/scratch', size: '10Gi' },
          { kind: 'claim', mountPath: '/sets', claimName: 'sets', readOnly: true },
        ],
        resources: {
          head: { cpu: '4', memory: '24Gi' },
          worker: { cpu: '64', memory: '300Gi', sharedMemory: '100Gi' },
        },
        env: { HF_HOME: '/data/hf', HF_TOKEN: { secretName: 'hugging-face', key: 'token' } },
        user: { uid: 2000, gid: 2000 },
        submitter: {
          startDeadline: '2h',
          runDeadline: '3d',
          onActiveRun: 'wait',
          onTermination: 'detach',
          backoffLimit: 1,
        },
        runId: 'second',
      },
    },
    {
      platform: platform('standard'),
      run: {
        name: 'elastic',
        tpu: {
          generation: 'v6e',
          topology: '4x4',
          slices: { min: 1, max: 2 },
          capacity: { kind: 'reservation', name: 'mine' },
        },
        image: 'registry/maxtext:1',
        trainer: {
          kind: 'maxtext',
          model: 'llama3-8b',
          steps: 20,
          baseOutputDirectory: 'gs://my-bucket/out',
          mesh: { ici: { fsdp: 16 }, dcn: { data: -1 } },
        },
        network: { mode: 'dranet', libtpuInitArgs: ['--xla_tpu_scoped_vmem_limit_kib=98304'] },
        submitter: { onFinish: 'deleteCluster' },
      },
    },
    {
      platform: platform('autopilot', 'flux'),
      run: {
        name: 'wide',
        tpu: { generation: 'v5e', topology: '8x8', slices: 2, capacity: { kind: 'flex-start' } },
        image: 'registry/maxtext:1',
        trainer: {
          kind: 'maxtext',
          model: 'gemma2-2b',
          steps: 20,
          baseOutputDirectory: '/out/x',
          mesh: { ici: { fsdp: 64 }, dcn: { data: 2 } },
        },
        network: { mode: 'pod-network' },
        volumes: [
          { kind: 'gcs-fuse', mountPath: '/out', form: 'persistent-volume', profile: 'checkpointing' },
        ],
      },
    },
  ];
}
