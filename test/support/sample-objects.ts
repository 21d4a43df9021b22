/** Plain JSON that tests change at will. */
export type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** A rendered object. */
export interface SampleObject {
  [key: string]: Json;
  kind: string;
}

const WORKER_RESOURCES = { cpu: '8', memory: '200Gi', 'google.com/tpu': '4' };

/** Fresh objects that break no rule: what a run with a mounted bucket, an extra network and a submitter renders. */
export function sampleObjects(): SampleObject[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'trainer', namespace: 'train' } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'sources', namespace: 'train' },
      data: { 'run.sh': '#!/bin/sh\necho "${HOME}"\n' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'train-data' },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '1Ti' },
        storageClassName: '',
        csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeHandle: 'bucket' },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'train' },
      spec: {
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '1Ti' } },
        storageClassName: '',
        volumeName: 'train-data',
      },
    },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'net', namespace: 'train' },
      spec: {
        spec: { devices: { requests: [{ name: 'net', exactly: { deviceClassName: 'netdev.google.com' } }] } },
      },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'finish', namespace: 'train' },
      rules: [],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'finish', namespace: 'train' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'finish' },
      subjects: [{ kind: 'ServiceAccount', name: 'trainer', namespace: 'train' }],
    },
    {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { name: 'run', namespace: 'train', labels: { 'app.kubernetes.io/part-of': 'run' } },
      spec: {
        rayVersion: '2.60.0',
        headGroupSpec: {
          rayStartParams: { 'num-cpus': '0' },
          template: {
            metadata: {
              labels: { 'app.kubernetes.io/name': 'kuberay' },
              annotations: { 'gke-gcsfuse/volumes': 'true' },
            },
            spec: {
              serviceAccountName: 'trainer',
              securityContext: { runAsUser: 1000, runAsGroup: 100 },
              containers: [
                {
                  name: 'ray-head',
                  image: 'image:1',
                  resources: { requests: { cpu: 4, memory: '16Gi' }, limits: { cpu: 4, memory: '16Gi' } },
                  env: [
                    {
                      name: 'HF_TOKEN',
                      valueFrom: { secretKeyRef: { name: 'hf', key: 'token', optional: true } },
                    },
                  ],
                  ports: [
                    { name: 'gcs-server', containerPort: 6379 },
                    { name: 'dashboard', containerPort: 8265 },
                  ],
                  volumeMounts: [{ name: 'data', mountPath: '/data' }],
                },
              ],
              volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
            },
          },
        },
        workerGroupSpecs: [
          {
            groupName: 'tpu-group',
            numOfHosts: 4,
            replicas: 1,
            minReplicas: 1,
            maxReplicas: 1,
            rayStartParams: {},
            template: {
              metadata: { annotations: { 'gke-gcsfuse/volumes': 'true', 'gke-gcsfuse/cpu-limit': '0' } },
              spec: {
                serviceAccountName: 'trainer',
                nodeSelector: {
                  'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
                  'cloud.google.com/gke-tpu-topology': '4x4',
                },
                tolerations: [{ key: 'google.com/tpu', operator: 'Exists', effect: 'NoSchedule' }],
                resourceClaims: [{ name: 'net', resourceClaimTemplateName: 'net' }],
                containers: [
                  {
                    name: 'ray-worker',
                    image: 'image:1',
                    resources: {
                      requests: { ...WORKER_RESOURCES },
                      limits: { ...WORKER_RESOURCES },
                      claims: [{ name: 'net' }],
                    },
                    env: [{ name: 'STEPS', value: '100' }],
                    volumeMounts: [
                      { name: 'bucket', mountPath: '/bucket' },
                      { name: 'dshm', mountPath: '/dev/shm' },
                    ],
                  },
                ],
                volumes: [
                  {
                    name: 'bucket',
                    csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeAttributes: { bucketName: 'bucket' } },
                  },
                  { name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: '50Gi' } },
                  { name: 'gke-gcsfuse-cache', emptyDir: { medium: 'Memory' } },
                ],
              },
            },
          },
        ],
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'run-1a2b3c4d', namespace: 'train' },
      spec: {
        backoffLimit: 3,
        template: {
          spec: {
            serviceAccountName: 'trainer',
            restartPolicy: 'Never',
            containers: [
              {
                name: 'submit',
                image: 'image:1',
                command: ['python3', '-m', 'tpu_trainers.submit', '--auth-token-file', '/var/run/token'],
                args: ['sh', '-c', 'echo ${HOME}'],
                resources: {
                  requests: { cpu: '500m', memory: '512Mi' },
                  limits: { cpu: '1', memory: '512Mi' },
                },
                volumeMounts: [{ name: 'sources', mountPath: '/opt/tpu-trainers' }],
              },
            ],
            volumes: [{ name: 'sources', configMap: { name: 'sources' } }],
          },
        },
      },
    },
  ];
}

/** The head's pod template in a RayCluster. */
export const HEAD = 'spec.headGroupSpec.template';

/** The TPU group's pod template in a RayCluster. */
export const WORKERS = 'spec.workerGroupSpecs[0].template';

/** The pod template of a Job. */
export const JOB_POD = 'spec.template';

/**
 * The sample objects with fields of one of them changed. `undefined` removes the field. Paths are `a.b[0]["c/d"]`; a field's parents must
 * exist.
 */
export function sampleWith(kind: string, changes: Readonly<Record<string, Json>>): SampleObject[] {
  const objects = sampleObjects();
  const target = objects.find((object) => object.kind === kind);
  if (target === undefined) throw new Error(`no sample object of kind ${kind}`);
  for (const [path, value] of Object.entries(changes)) setField(target, path, value);
  return objects;
}

function setField(target: SampleObject, path: string, value: Json): void {
  const keys = path.match(/(?<=\[")[^"]+(?="\])|[^.[\]"]+/g) ?? [];
  const last = keys[keys.length - 1];
  if (last === undefined) throw new Error(`no field at '${path}'`);
  let parent: Json = target;
  for (const key of keys.slice(0, -1)) {
    const next: Json = (parent as { [key: string]: Json })[key];
    if (typeof next !== 'object' || next === null)
      throw new Error(`the sample has nothing at '${key}' of '${path}'`);
    parent = next;
  }
  const holder = parent as { [key: string]: Json };
  if (value === undefined && !Array.isArray(holder)) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
}
