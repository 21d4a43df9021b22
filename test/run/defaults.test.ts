import schema from '../../lib/config/schema.json';
import {
  DEFAULT_BACKOFF_LIMIT,
  DEFAULT_KUBERAY_VERSION,
  DEFAULT_NAMESPACE,
  DEFAULT_RAY_VERSION,
  DEFAULT_SERVICE_ACCOUNT,
  DEFAULT_START_DEADLINE,
  resolvePlatform,
} from '../../lib/run';
import { PLATFORM, RUN, trainingRun } from '../support/training-run';
import { maxTextOf } from '../support/maxtext-facts';

type Definition = Readonly<Record<string, { readonly default?: unknown }>>;

function defaultOf(definition: keyof typeof schema.definitions, property: string): unknown {
  const { properties } = schema.definitions[definition] as { readonly properties?: Definition };
  const found = properties?.[property];
  if (found === undefined) throw new Error(`${definition} has no ${property}`);
  return found.default;
}

test.each([
  ['PlatformSpec', 'kubeRayVersion', DEFAULT_KUBERAY_VERSION],
  ['PlatformSpec', 'namespace', DEFAULT_NAMESPACE],
  ['ServiceAccountSpec', 'name', DEFAULT_SERVICE_ACCOUNT],
  ['RaySpec', 'version', DEFAULT_RAY_VERSION],
  ['SubmitterSpec', 'startDeadline', DEFAULT_START_DEADLINE],
  ['SubmitterSpec', 'backoffLimit', DEFAULT_BACKOFF_LIMIT],
] as const)('%s.%s is documented as it is', (definition, property, value) => {
  expect(defaultOf(definition, property)).toBe(value);
});

test('what the schema documents of a run is what a run without it gets', () => {
  const run = trainingRun();
  expect({
    imagePullPolicy: defaultOf('RunSpec', 'imagePullPolicy'),
    shareNodePools: defaultOf('TpuSpec', 'shareNodePools'),
    slices: defaultOf('TpuSpec', 'slices'),
    autoscaler: defaultOf('RaySpec', 'autoscaler'),
    recreateOnChange: defaultOf('RaySpec', 'recreateOnChange'),
    onActiveRun: defaultOf('SubmitterSpec', 'onActiveRun'),
    onFinish: defaultOf('SubmitterSpec', 'onFinish'),
    onTermination: defaultOf('SubmitterSpec', 'onTermination'),
  }).toEqual({
    imagePullPolicy: run.imagePullPolicy,
    shareNodePools: run.shareNodePools,
    slices: run.slices.max,
    autoscaler: run.autoscaler,
    recreateOnChange: run.recreateOnChange,
    onActiveRun: run.submitter.onActiveRun,
    onFinish: run.submitter.onFinish,
    onTermination: run.submitter.onTermination,
  });
});

test('what the schema documents of a MaxText trainer is what its command line says', () => {
  const { trainer } = trainingRun();
  const { command } = trainer;
  const given = maxTextOf(trainer).arguments;
  const argument = (name: string): string | undefined =>
    given.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const flag = (name: string): string | undefined => command[command.indexOf(`--${name}`) + 1];
  expect(argument('per_device_batch_size')).toBe(
    String(defaultOf('MaxTextTrainerSpec', 'perDeviceBatchSize')),
  );
  expect(argument('max_target_length')).toBe(String(defaultOf('MaxTextTrainerSpec', 'maxTargetLength')));
  expect(argument('dataset_type')).toBe(defaultOf('MaxTextTrainerSpec', 'datasetType'));
  expect(flag('max-failures')).toBe(String(defaultOf('MaxTextTrainerSpec', 'maxFailures')));
  expect([defaultOf('MaxTextTrainerSpec', 'startDeadline'), flag('start-deadline')]).toEqual(['60m', '3600']);
  expect([defaultOf('MaxTextTrainerSpec', 'stepTimeout'), flag('step-timeout')]).toEqual(['30m', '1800']);
});

test('what the schema documents of a fine-tune is what its command line says', () => {
  const { command } = trainingRun({
    ...RUN,
    tpu: { generation: 'tpu7x', topology: '2x2x1' },
    trainer: { kind: 'torchtpu-finetune', storagePath: '/data' },
  }).trainer;
  const flag = (name: string): string | undefined => command[command.indexOf(`--${name}`) + 1];
  const documented = (property: string): string => String(defaultOf('TorchTpuFinetuneSpec', property));
  for (const [property, name] of [
    ['model', 'model'],
    ['dataset', 'dataset'],
    ['epochs', 'epochs'],
    ['perDeviceBatchSize', 'per-device-batch-size'],
    ['learningRate', 'learning-rate'],
    ['maxLength', 'max-length'],
    ['rows', 'rows'],
    ['maxFailures', 'max-failures'],
  ] as const) {
    expect([name, flag(name)]).toEqual([name, documented(property)]);
  }
});

test('what the schema documents of a platform is what a platform without it gets', () => {
  const { platform } = resolvePlatform({ ...PLATFORM, imageRepository: { name: 'images' } });
  expect({
    ownNamespace: defaultOf('PlatformSpec', 'ownNamespace'),
    cluster: defaultOf('ClusterSpec', 'create'),
    serviceAccount: defaultOf('ServiceAccountSpec', 'create'),
    bucket: [defaultOf('BucketSpec', 'create'), defaultOf('BucketSpec', 'hierarchicalNamespace')],
    imageRepository: defaultOf('ImageRepositorySpec', 'create'),
    network: [defaultOf('PlatformNetworkSpec', 'create'), defaultOf('PlatformNetworkSpec', 'profile')],
  }).toEqual({
    ownNamespace: platform.ownNamespace,
    cluster: platform.cluster.create,
    serviceAccount: platform.serviceAccount.create,
    bucket: [platform.bucket?.create, platform.bucket?.hierarchicalNamespace],
    imageRepository: platform.imageRepository?.create,
    network: [platform.network.create, platform.network.profile],
  });
});

test('no default of the schema is prose', () => {
  expect(JSON.stringify(schema)).not.toMatch(/"default":"-/);
});
