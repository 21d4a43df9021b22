/** The two TPU generations of the tutorial. */
export type TutorialCGeneration = 'v6e' | 'tpu7x';

/**
 * The RayClusters of Google's tutorial "Fine-tune models on multi-host TPUs with Ray and TorchTPU", as data, with the image
 * of this repository's projects. Lists the tutorial leaves out are empty, so that they can be compared.
 */
export function tutorialCRayCluster(generation: TutorialCGeneration, image: string): unknown {
  const token = {
    name: 'HF_TOKEN',
    valueFrom: { secretKeyRef: { name: 'hf-secret', key: 'hf_api_token' } },
  };
  const perChip = { name: 'RAY_TPU_RESOURCE_PER_CHIP', value: '2' };
  const env = generation === 'tpu7x' ? [token, perChip] : [token];
  const memory = generation === 'tpu7x' ? '250Gi' : '200Gi';
  const worker = { cpu: '64', memory, 'google.com/tpu': '4' };
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'ray-torchtpu-cluster' },
    spec: {
      headGroupSpec: {
        rayStartParams: { 'num-cpus': '0' },
        template: {
          spec: {
            containers: [
              {
                name: 'ray-head',
                image,
                env,
                ports: [
                  { containerPort: 6379, name: 'gcs' },
                  { containerPort: 8265, name: 'dashboard' },
                  { containerPort: 10001, name: 'client' },
                ],
                resources: {
                  limits: { cpu: '4', memory: '16Gi' },
                  requests: { cpu: '4', memory: '16Gi' },
                },
                volumeMounts: [],
              },
            ],
            volumes: [],
          },
        },
      },
      workerGroupSpecs: [
        {
          groupName: generation === 'tpu7x' ? 'tpu7x-16' : 'v6e-16',
          replicas: 1,
          numOfHosts: generation === 'tpu7x' ? 2 : 4,
          ...(generation === 'tpu7x' ? { resources: { TPU: '8' } } : {}),
          template: {
            spec: {
              containers: [
                {
                  name: 'ray-worker',
                  image,
                  env,
                  resources: { limits: worker, requests: worker },
                  volumeMounts: [{ mountPath: '/dev/shm', name: 'dshm' }],
                },
              ],
              volumes: [
                {
                  name: 'dshm',
                  emptyDir: { medium: 'Memory', sizeLimit: generation === 'tpu7x' ? '128Gi' : '100Gi' },
                },
              ],
              nodeSelector: {
                'cloud.google.com/gke-tpu-accelerator': generation === 'tpu7x' ? 'tpu7x' : 'tpu-v6e-slice',
                'cloud.google.com/gke-tpu-topology': generation === 'tpu7x' ? '2x2x2' : '4x4',
              },
            },
          },
        },
      ],
    },
  };
}

/** Options of the tutorial's fine-tune script, as those of our trainer: its defaults and what its commands give. */
export const TUTORIAL_C_OPTIONS = {
  '--model': 'google/gemma-4-E2B-it',
  '--dataset': 'databricks/databricks-dolly-15k',
  '--workers': '16',
  '--tpu-per-worker': '1',
  '--epochs': '3',
  '--per-device-batch-size': '4',
  '--learning-rate': '0.00002',
  '--max-length': '512',
  '--rows': '1024',
} as const;
