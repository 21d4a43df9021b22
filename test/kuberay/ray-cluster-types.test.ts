import type {
  Container,
  EnvVar,
  HeadGroupSpec,
  PodSpec,
  PodTemplate,
  Quantity,
  RayClusterSpec,
  Volume,
  VolumeMount,
  WorkerGroupSpec,
} from '../../lib/kuberay/ray-cluster-types';

/** True only if each type fits the other: the assignments below fail to compile otherwise. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const container: Container = {
  name: 'ray-worker',
  image: 'image',
  resources: {
    requests: { cpu: 4, memory: '16Gi', 'google.com/tpu': '4' },
    limits: { 'google.com/tpu': '4' },
  },
  ports: [{ containerPort: 8471 }],
};
const spec: PodSpec = {
  containers: [container],
  restartPolicy: 'Never',
  resourceClaims: [{ name: 'net', resourceClaimTemplateName: 'net' }],
};
const template: PodTemplate = { metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } }, spec };

test('quantities are strings or numbers, enums are literals, and values are not mistaken for quantities', () => {
  const quantity: Same<NonNullable<NonNullable<Container['resources']>['limits']>[string], Quantity> = true;
  const upscaling: Same<
    NonNullable<RayClusterSpec['autoscalerOptions']>['upscalingMode'],
    'Default' | 'Aggressive' | 'Conservative' | undefined
  > = true;
  const envValue: Same<EnvVar['value'], string | undefined> = true;
  const sizeLimit: Same<NonNullable<Volume['emptyDir']>['sizeLimit'], Quantity | undefined> = true;
  const mountPath: Same<VolumeMount['mountPath'], string> = true;
  expect([quantity, upscaling, envValue, sizeLimit, mountPath]).toEqual([true, true, true, true, true]);
});

test('one pod template serves the head, the workers and any other pod', () => {
  const head: HeadGroupSpec = { rayStartParams: {}, template };
  const worker: WorkerGroupSpec = {
    groupName: 'tpu',
    numOfHosts: 4,
    replicas: 1,
    minReplicas: 1,
    maxReplicas: 1,
    template: head.template,
  };
  const cluster: RayClusterSpec = { rayVersion: '2.60.0', headGroupSpec: head, workerGroupSpecs: [worker] };
  expect(cluster.workerGroupSpecs?.[0]?.template).toBe(template);
});

test('fails to compile where the CRD has no such field or another type', () => {
  const group = { groupName: 'tpu', minReplicas: 1, maxReplicas: 1 };
  // @ts-expect-error a misspelt field
  const misspelt: WorkerGroupSpec = { ...group, template, numOfHost: 4 };
  // @ts-expect-error environment values are strings
  const number: EnvVar = { name: 'STEPS', value: 100 };
  // @ts-expect-error an unlisted enum value
  const mode: RayClusterSpec['autoscalerOptions'] = { upscalingMode: 'Eager' };
  expect([misspelt, number, mode]).toHaveLength(3);
});
