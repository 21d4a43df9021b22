import { uniqueIdentity } from '../../lib/manifest-rules/unique-identity';
import { problemsOf } from '../support/manifest-rule';
import { sampleObjects } from '../support/sample-objects';

const configMap = (name: string, namespace?: string): object => ({
  kind: 'ConfigMap',
  metadata: { name, namespace },
});

test('equal names of other kinds and in other namespaces pass', () => {
  expect(problemsOf(uniqueIdentity)).toEqual([]);
  const others = [
    configMap('run', 'train'),
    configMap('run', 'test'),
    { kind: 'Secret', metadata: { name: 'run', namespace: 'train' } },
  ];
  expect(problemsOf(uniqueIdentity, others)).toEqual([]);
});

test('field report 74 and 76: two objects of one kind, namespace and name are refused', () => {
  expect(problemsOf(uniqueIdentity, [...sampleObjects(), configMap('sources', 'train')])).toEqual([
    {
      object: 'ConfigMap train/sources',
      path: 'metadata.name',
      value: 'sources',
      rule: 'kind, namespace and name identify one object, 2 have these',
      fix: 'rename all but one, or render it once',
    },
  ]);
});

test('no namespace is the default one, as kubectl takes it', () => {
  expect(problemsOf(uniqueIdentity, [configMap('code'), configMap('code', 'default')])).toHaveLength(1);
});

test('cluster-scoped objects have no namespace to differ in', () => {
  const volume = (namespace: string): object => ({
    kind: 'PersistentVolume',
    metadata: { name: 'data', namespace },
  });
  expect(problemsOf(uniqueIdentity, [volume('a'), volume('b')])).toHaveLength(1);
});
