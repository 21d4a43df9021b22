import { references } from '../../lib/manifest-rules/references';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { HEAD, JOB_POD, sampleObjects, sampleWith, WORKERS } from '../support/sample-objects';

test('references to rendered objects pass', () => {
  expect(problemsOf(references)).toEqual([]);
});

test.each([
  [
    'ServiceAccount',
    'trainer',
    [
      `${RAY_CLUSTER}: ${HEAD}.spec.serviceAccountName`,
      `${RAY_CLUSTER}: ${WORKERS}.spec.serviceAccountName`,
      `${JOB}: ${JOB_POD}.spec.serviceAccountName`,
      'RoleBinding train/finish: subjects[0].name',
    ],
  ],
  ['ConfigMap', 'sources', [`${JOB}: ${JOB_POD}.spec.volumes[0].configMap.name`]],
  ['PersistentVolume', 'train-data', ['PersistentVolumeClaim train/data: spec.volumeName']],
  [
    'PersistentVolumeClaim',
    'data',
    [`${RAY_CLUSTER}: ${HEAD}.spec.volumes[0].persistentVolumeClaim.claimName`],
  ],
  [
    'ResourceClaimTemplate',
    'net',
    [`${RAY_CLUSTER}: ${WORKERS}.spec.resourceClaims[0].resourceClaimTemplateName`],
  ],
  ['Role', 'finish', ['RoleBinding train/finish: roleRef.name']],
])(
  'a %s that is not rendered is missed wherever it is named, unless it is declared external',
  (kind, name, places) => {
    const without = sampleObjects().filter((object) => object.kind !== kind);
    const problems = problemsOf(references, without);
    expect(problems.map(({ object, path }) => `${object}: ${path}`).sort()).toEqual([...places].sort());
    expect(problems[0]?.value).toBe(name);
    expect(problemsOf(references, without, { external: [{ kind, name }] })).toEqual([]);
    expect(problemsOf(references, without, { external: [{ kind, name: 'other' }] })).toHaveLength(
      places.length,
    );
  },
);

test('the message names kind and namespace', () => {
  const [problem] = problemsOf(
    references,
    sampleWith('Job', { [`${JOB_POD}.spec.serviceAccountName`]: 'trainr' }),
  );
  expect(problem).toEqual({
    object: JOB,
    path: `${JOB_POD}.spec.serviceAccountName`,
    value: 'trainr',
    rule: 'it names a ServiceAccount in namespace train that is neither rendered nor declared external',
    fix: 'correct the name or the namespace, render the object, or declare it external',
  });
});

test('field report 42: an object of the right name in another namespace does not count', () => {
  expect(placesOf(references, 'ConfigMap', { 'metadata.namespace': 'default' })).toHaveLength(1);
  const external = [{ kind: 'ConfigMap', name: 'sources', namespace: 'test' }];
  expect(placesOf(references, 'ConfigMap', { 'metadata.namespace': 'default' }, { external })).toHaveLength(
    1,
  );
});

test('Secrets are missed in environment, volumes, pull secrets and KubeRay options, with their optional forms passing', () => {
  const changes = {
    [`${HEAD}.spec.containers[0].env`]: [
      { name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } },
    ],
    [`${HEAD}.spec.containers[0].envFrom`]: [
      { secretRef: { name: 'from' } },
      { secretRef: { name: 'maybe', optional: true } },
    ],
    [`${HEAD}.spec.imagePullSecrets`]: [{ name: 'pull' }],
    [`${HEAD}.spec.volumes`]: [
      { name: 'data', secret: { secretName: 'volume' } },
      {
        name: 'projected',
        projected: {
          sources: [{ secret: { name: 'source' } }, { configMap: { name: 'no', optional: true } }],
        },
      },
    ],
    'spec.authOptions': { secretName: 'auth' },
    'spec.gcsFaultToleranceOptions': {
      redisPassword: { valueFrom: { secretKeyRef: { name: 'redis', key: 'k' } } },
    },
  };
  const missing = problemsOf(references, sampleWith('RayCluster', changes)).map(({ value }) => value);
  expect(missing.sort()).toEqual(['auth', 'env', 'from', 'pull', 'redis', 'source', 'volume']);
});

test('a key that the rendered ConfigMap lacks is missed', () => {
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'sources', key: 'main.py' } } }];
  expect(problemsOf(references, sampleWith('Job', { [`${JOB_POD}.spec.containers[0].env`]: env }))).toEqual([
    {
      object: JOB,
      path: `${JOB_POD}.spec.containers[0].env[0].valueFrom.configMapKeyRef.name`,
      value: 'main.py',
      rule: 'ConfigMap train/sources has no such key',
      fix: 'use one of run.sh',
    },
  ]);
});

test('what Kubernetes makes in every namespace need not be declared', () => {
  const volumes = [{ name: 'sources', configMap: { name: 'kube-root-ca.crt' } }];
  const changes = { [`${JOB_POD}.spec.serviceAccountName`]: 'default', [`${JOB_POD}.spec.volumes`]: volumes };
  expect(placesOf(references, 'Job', changes)).toEqual([]);
});

test('a file of a mounted ConfigMap that is no key of it is missed', () => {
  const volume = {
    name: 'sources',
    configMap: {
      name: 'sources',
      items: [
        { key: 'run.sh', path: 'a' },
        { key: 'b', path: 'b' },
      ],
    },
  };
  expect(placesOf(references, 'Job', { [`${JOB_POD}.spec.volumes[0]`]: volume })).toEqual([
    `${JOB}: ${JOB_POD}.spec.volumes[0].configMap.items[1].key`,
  ]);
});
