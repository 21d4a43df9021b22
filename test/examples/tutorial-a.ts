/**
 * The RayCluster of Google's tutorial "Train an LLM using JAX, Ray Train, and TPU Trillium on GKE", as data: its
 * placeholders filled with the values of this repository's projects.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/tutorials/training-ray-tpu-trillium
 */
export function tutorialARayCluster(image: string, bucket: string, serviceAccount: string): unknown {
  const fuse = {
    'gke-gcsfuse/volumes': 'true',
    'gke-gcsfuse/cpu-limit': '0',
    'gke-gcsfuse/memory-limit': '0',
    'gke-gcsfuse/ephemeral-storage-limit': '0',
  };
  const volumeMounts = [
    { name: 'gcs-fuse-csi-ephemeral', mountPath: '/data' },
    { name: 'dshm', mountPath: '/dev/shm' },
  ];
  const volumes = [
    { name: 'gcs-fuse-cache', emptyDir: { medium: 'Memory' } },
    { name: 'dshm', emptyDir: { medium: 'Memory' } },
    {
      name: 'gcs-fuse-csi-ephemeral',
      csi: {
        driver: 'gcsfuse.csi.storage.gke.io',
        volumeAttributes: { bucketName: bucket, mountOptions: 'implicit-dirs' },
      },
    },
  ];
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'maxtext-tpu-cluster' },
    spec: {
      headGroupSpec: {
        rayStartParams: {},
        template: {
          metadata: { annotations: fuse },
          spec: {
            serviceAccountName: serviceAccount,
            containers: [
              {
                name: 'ray-head',
                image,
                imagePullPolicy: 'IfNotPresent',
                ports: [
                  { containerPort: 6379, name: 'gcs-server' },
                  { containerPort: 8265, name: 'dashboard' },
                  { containerPort: 10001, name: 'client' },
                ],
                resources: { limits: { memory: '16Gi' }, requests: { cpu: '8', memory: '16Gi' } },
                volumeMounts,
              },
            ],
            volumes,
          },
        },
      },
      workerGroupSpecs: [
        {
          replicas: 1,
          numOfHosts: 4,
          groupName: 'tpu-group',
          rayStartParams: {},
          template: {
            metadata: { annotations: fuse },
            spec: {
              serviceAccountName: serviceAccount,
              containers: [
                {
                  name: 'ray-worker',
                  image,
                  imagePullPolicy: 'IfNotPresent',
                  resources: {
                    limits: { memory: '200G', 'google.com/tpu': '4' },
                    requests: { cpu: '8', memory: '200G', 'google.com/tpu': '4' },
                  },
                  env: [
                    { name: 'JAX_PLATFORMS', value: 'tpu' },
                    { name: 'ENABLE_PJRT_COMPATIBILITY', value: 'true' },
                  ],
                  volumeMounts,
                },
              ],
              volumes,
              nodeSelector: {
                'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
                'cloud.google.com/gke-tpu-topology': '4x4',
              },
            },
          },
        },
      ],
    },
  };
}

/** MaxText's arguments in the tutorial's `ray job submit`, in its order. */
export const TUTORIAL_A_ARGUMENTS = [
  'base_output_directory=/data/',
  'dataset_type=synthetic',
  'per_device_batch_size=1',
  'max_target_length=4096',
  'model_name=llama3-8b',
  'steps=100',
  'ici_fsdp_parallelism=4',
  'ici_tensor_parallelism=4',
  'run_name=rayjob-8b-4096-tp4-4x4',
] as const;

/** What the tutorial's script passes to ScalingConfig, as options of our trainer. */
export const TUTORIAL_A_SCALING = {
  '--topology': '4x4',
  '--accelerator-type': 'TPU-V6E',
  '--min-workers': '4',
  '--max-workers': '4',
  '--tpu-per-worker': '4',
} as const;
