import { join } from 'node:path';
import type { PlannedProject } from '../../lib/plan';
import type { ReviewedProject } from '../../lib/review';
import type { KubeRayVersion } from '../../lib/kuberay/versions';
import { readRayClusterCrd } from '../../scripts/ray-cluster-crd';
import type { FakeCommands } from '../support/fake-commands';

export const GCLOUD_FLAGS =
  '--tpu-topology=TPU_TOPOLOGY --additional-node-network=[network=…] --threads-per-core=N --flex-start';

/** Lets kubectl and gcloud answer as a cluster does on which a project runs well. */
export function answerHealthily(commands: FakeCommands, { plan, objects }: ReviewedProject): void {
  const { namespace, serviceAccount } = plan.platform;
  commands.answer('git --version', 'git version 2.47.0\n');
  commands.answer('gke-gcloud-auth-plugin --version', 'Kubernetes v1.30.0\n');
  commands.answer('gcloud --version', 'Google Cloud SDK 566.0.0\nbq 2.1\n');
  commands.answer('gcloud container node-pools create --help', GCLOUD_FLAGS);
  commands.answer(
    `gcloud projects describe ${plan.platform.project} --format=value(projectNumber)`,
    '1234\n',
  );
  commands.answer('kubectl version --client', 'Client Version: v1.35.0\n');
  commands.answer('kubectl config current-context', 'gke_my-project_us-east5-b_tpu-ray\n');
  commands.answer('kubectl version --output=json', {
    clientVersion: { gitVersion: 'v1.35.0' },
    serverVersion: { gitVersion: 'v1.35.2-gke.1842000' },
  });
  for (const [apiVersion, kinds] of kindsOf(objects)) {
    const path = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    commands.answer(`kubectl get --raw ${path}`, { resources: [...kinds].map((kind) => ({ kind })) });
  }
  commands.answer('kubectl get customresourcedefinitions rayclusters.ray.io --output=json', crdOf('1.5.0'));
  commands.answer(
    'kubectl get deployments --all-namespaces --selector=app.kubernetes.io/name=kuberay-operator --output=json',
    { items: [deployment('example.com/kuberay/operator:v1.5.0')] },
  );
  commands.answer('kubectl get mutatingwebhookconfigurations --output=json', {
    items: [
      {
        metadata: { name: 'other' },
        webhooks: [{ name: 'pods.example.com', rules: [{ resources: ['pods'] }] }],
      },
      {
        metadata: { name: 'kuberay-tpu-webhook' },
        webhooks: [
          {
            name: 'kuberay-tpu-webhook.example.com',
            rules: [{ resources: ['pods'] }],
            clientConfig: { service: { name: 'kuberay-tpu-webhook', namespace: 'ray-system' } },
          },
        ],
      },
    ],
  });
  commands.answer(
    'kubectl get deployments kuberay-tpu-webhook --output=json --namespace=ray-system',
    deployment('example.com/tpu-webhook:v1.4.0'),
  );
  commands.answer(
    'kubectl get deviceclasses netdev.google.com --output=name',
    'deviceclass/netdev.google.com\n',
  );
  commands.answer('kubectl get nodes --output=json', { items: nodesOf(plan) });
  commands.answer(`kubectl get namespaces ${namespace} --output=name`, `namespace/${namespace}\n`);
  commands.answer(
    `kubectl get serviceaccounts ${serviceAccount} --output=name --namespace=${namespace}`,
    `serviceaccount/${serviceAccount}\n`,
  );
  for (const secret of plan.infrastructure.secrets) {
    commands.answer(
      `kubectl get secrets ${secret.name} --output=name --namespace=${secret.namespace}`,
      'secret/x\n',
    );
  }
  for (const { bucket, role } of plan.infrastructure.bucketRoles) {
    commands.answer(`gcloud storage buckets get-iam-policy gs://${bucket} --format=json`, {
      bindings: [
        {
          role,
          members: [
            `principal://iam.googleapis.com/projects/1234/locations/global/workloadIdentityPools/${plan.platform.project}.svc.id.goog/subject/ns/${namespace}/sa/${serviceAccount}`,
          ],
        },
      ],
    });
  }
  for (const run of plan.runs) answerRun(commands, plan, run);
}

function answerRun(commands: FakeCommands, plan: PlannedProject, run: PlannedProject['runs'][number]): void {
  const within = `--output=json --namespace=${plan.platform.namespace}`;
  commands.answer(`kubectl get rayclusters.ray.io ${run.rayCluster} ${within}`, {
    status: { state: 'ready', conditions: [{ type: 'HeadPodReady', status: 'True' }] },
  });
  commands.answer(`kubectl get pods --selector=ray.io/cluster=${run.rayCluster} ${within}`, {
    items: podsOf(run),
  });
  commands.answer(`kubectl get jobs ${run.job} ${within}`, { status: { active: 1 } });
}

/** A head and the workers of the smallest size, all ready and known to the TPU webhook. */
export function podsOf(run: PlannedProject['runs'][number]): Pod[] {
  const ready = { conditions: [{ type: 'Ready', status: 'True' }], phase: 'Running' };
  const workers = Array.from({ length: run.wait.hosts }, (_, index): Pod => ({
    metadata: { name: `worker-${String(index)}`, labels: { 'ray.io/node-type': 'worker' } },
    spec: {
      containers: [
        {
          env: [
            { name: 'TPU_WORKER_ID', value: String(index % run.tpu.hostsPerSlice) },
            { name: 'TPU_NAME', value: `tpu-group-${String(Math.floor(index / run.tpu.hostsPerSlice))}` },
            { name: 'HF_TOKEN', value: 'hf_never-to-be-seen' },
          ],
        },
      ],
    },
    status: ready,
  }));
  return [
    {
      metadata: { name: 'head', labels: { 'ray.io/node-type': 'head' } },
      spec: { containers: [] },
      status: ready,
    },
    ...workers,
  ];
}

/** The part of a pod that the doctor looks at. */
export interface Pod {
  metadata: { name: string; labels: Record<string, string> };
  spec: { containers: { env: { name: string; value: string }[] }[] };
  status: object;
}

/** Nodes that the plan's pools have, all ready. */
export function nodesOf({
  infrastructure,
}: PlannedProject): { metadata: { labels: Record<string, string> }; status: object }[] {
  return infrastructure.nodePools.flatMap((pool) =>
    Array.from({ length: pool.nodes }, () => ({
      metadata: { labels: { ...pool.nodeLabels } },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        allocatable: { 'google.com/tpu': String(pool.allocatable.tpu) },
      },
    })),
  );
}

function deployment(image: string): object {
  return { spec: { template: { spec: { containers: [{ image }] } } } };
}

function kindsOf(objects: ReviewedProject['objects']): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const { apiVersion, kind } of objects)
    kinds.set(apiVersion, (kinds.get(apiVersion) ?? new Set()).add(kind));
  return kinds;
}

/** The CRD of a KubeRay release as the API server gives it. */
export function crdOf(version: KubeRayVersion): CrdInCluster {
  const [v1] = readRayClusterCrd(join(__dirname, '../..'), version).spec.versions;
  return { spec: { versions: [{ ...v1, served: true }] } };
}

interface CrdInCluster {
  readonly spec: {
    readonly versions: readonly [
      { readonly served: true; readonly schema: { readonly openAPIV3Schema: unknown } },
    ];
  };
}
