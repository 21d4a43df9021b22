/**
 * Claim template and RayCluster of Google's public multislice sample for Ray Train and MaxText, as data: its placeholders
 * filled with the values of this repository's projects.
 *
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples ai-ml/gke-ray/raytrain/maxtext/ray-cluster.tpu-multi-slice.yaml (2b503651)
 */
export function multisliceSample(
  bucket: string,
  serviceAccount: string,
): { claimTemplate: unknown; rayCluster: unknown } {
  const fuse = {
    'gke-gcsfuse/volumes': 'true',
    'gke-gcsfuse/cpu-limit': '0',
    'gke-gcsfuse/memory-limit': '0',
    'gke-gcsfuse/ephemeral-storage-limit': '0',
  };
  const image = 'rayproject/ray:nightly-py312-tpu';
  const metadataServer = { 'iam.gke.io/gke-metadata-server-enabled': 'true' };
  const volumeMounts = [
    { name: 'gcs-fuse-csi-ephemeral', mountPath: '/data' },
    { name: 'dshm', mountPath: '/dev/shm' },
  ];
  const volumes = [
    { name: 'dshm', emptyDir: { medium: 'Memory' } },
    {
      name: 'gcs-fuse-csi-ephemeral',
      csi: {
        driver: 'gcsfuse.csi.storage.gke.io',
        volumeAttributes: {
          bucketName: bucket,
          mountOptions:
            'implicit-dirs,uid=1000,gid=1000,dir-mode=775,file-mode=664,file-cache:max-size-mb:-1',
        },
      },
    },
  ];
  const claimTemplate = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'two-netdev' },
    spec: {
      spec: {
        devices: {
          requests: [
            {
              name: 'req-netdev',
              exactly: { deviceClassName: 'netdev.google.com', allocationMode: 'ExactCount', count: 2 },
            },
          ],
        },
      },
    },
  };
  const rayCluster = {
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
                imagePullPolicy: 'Always',
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
            nodeSelector: metadataServer,
          },
        },
      },
      workerGroupSpecs: [
        {
          replicas: 2,
          numOfHosts: 4,
          groupName: 'tpu-group',
          rayStartParams: { 'metrics-export-port': '8082' },
          template: {
            metadata: { annotations: fuse },
            spec: {
              serviceAccountName: serviceAccount,
              resourceClaims: [{ name: 'netdev', resourceClaimTemplateName: 'two-netdev' }],
              containers: [
                {
                  name: 'ray-worker',
                  image,
                  imagePullPolicy: 'Always',
                  resources: {
                    claims: [{ name: 'netdev' }],
                    limits: { memory: '200G', 'google.com/tpu': '4' },
                    requests: { cpu: '8', memory: '200G', 'google.com/tpu': '4' },
                  },
                  env: [
                    { name: 'MEGASCALE_NUM_SLICES', value: '2' },
                    { name: 'MEGASCALE_PORT', value: '9915' },
                    { name: 'JAX_PLATFORMS', value: 'tpu,cpu' },
                    { name: 'ENABLE_PJRT_COMPATIBILITY', value: 'true' },
                    { name: 'LIBTPU_INIT_ARGS', value: [...SAMPLE_FLAGS, INTERFACE_FLAG].join(' ') },
                  ],
                  securityContext: { privileged: true },
                  volumeMounts,
                },
              ],
              volumes,
              nodeSelector: {
                ...metadataServer,
                'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
                'cloud.google.com/gke-tpu-topology': '4x4',
              },
            },
          },
        },
      ],
    },
  };
  return { claimTemplate, rayCluster };
}

/** The sample's libtpu flags but the last. */
export const SAMPLE_FLAGS = [
  '--xla_tpu_scoped_vmem_limit_kib=122880',
  '--xla_tpu_use_minor_sharding_for_major_trivial_input=true',
  '--xla_tpu_relayout_group_size_threshold_for_reduce_scatter=1',
  '--xla_tpu_assign_all_reduce_scatter_layout',
  '--xla_tpu_enable_async_collective_fusion_fuse_all_gather=true',
  '--xla_tpu_enable_async_collective_fusion_multiple_steps=true',
  '--xla_tpu_overlap_compute_collective_tc=true',
  '--xla_enable_async_all_gather=true',
] as const;

/** The flag that follows from the network cards. */
export const INTERFACE_FLAG = '--megascale_grpc_interface_prefixes=eth1,eth2,lo';
