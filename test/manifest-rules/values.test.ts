import { clusterScope } from '../../lib/manifest-rules/cluster-scope';
import { labelSyntax } from '../../lib/manifest-rules/label-syntax';
import { leftoverPlaceholders } from '../../lib/manifest-rules/leftover-placeholders';
import { plainJson } from '../../lib/manifest-rules/plain-json';
import { stringValues } from '../../lib/manifest-rules/string-values';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { HEAD, JOB_POD, sampleObjects, sampleWith, WORKERS } from '../support/sample-objects';

describe('strings', () => {
  test('strings pass, and numbers where numbers belong', () => {
    expect(problemsOf(stringValues)).toEqual([]);
  });

  test('field report 78: labels, annotations, env, nodeSelector and rayStartParams that are no strings are refused', () => {
    const changes = {
      'metadata.labels': { run: 7 },
      'spec.headGroupSpec.rayStartParams': { 'num-cpus': 0 },
      [`${HEAD}.metadata.annotations["gke-gcsfuse/volumes"]`]: true,
      [`${WORKERS}.spec.nodeSelector["cloud.google.com/gke-spot"]`]: true,
      [`${WORKERS}.spec.containers[0].env`]: [{ name: 'STEPS', value: 100 }],
      [`${WORKERS}.spec.containers[0].args`]: ['--steps', 100],
      [`${WORKERS}.spec.volumes[0].csi.volumeAttributes`]: { skipCSIBucketAccessCheck: true },
    };
    expect(placesOf(stringValues, 'RayCluster', changes).sort()).toEqual(
      [
        'metadata.labels.run',
        'spec.headGroupSpec.rayStartParams.num-cpus',
        `${HEAD}.metadata.annotations["gke-gcsfuse/volumes"]`,
        `${WORKERS}.spec.nodeSelector["cloud.google.com/gke-spot"]`,
        `${WORKERS}.spec.containers[0].env[0].value`,
        `${WORKERS}.spec.containers[0].args[1]`,
        `${WORKERS}.spec.volumes[0].csi.volumeAttributes.skipCSIBucketAccessCheck`,
      ]
        .map((path) => `${RAY_CLUSTER}: ${path}`)
        .sort(),
    );
  });

  test('the fix shows the string', () => {
    const [problem] = problemsOf(stringValues, sampleWith('RayCluster', { 'metadata.labels': { run: 7 } }));
    expect(problem?.fix).toBe('write it as "7"');
    const [json] = problemsOf(
      stringValues,
      sampleWith('RayCluster', { 'spec.headGroupSpec.rayStartParams': { resources: { TPU: 8 } } }),
    );
    expect(json?.fix).toBe(String.raw`write it as "{\"TPU\":8}"`);
  });

  test('data of a ConfigMap is text', () => {
    expect(placesOf(stringValues, 'ConfigMap', { data: { steps: 100, 'labels.yaml': 'a: 1' } })).toEqual([
      'ConfigMap train/sources: data.steps',
    ]);
  });
});

describe('plain JSON', () => {
  test('field report 80: empty objects and lists are values and pass', () => {
    expect(problemsOf(plainJson)).toEqual([]);
    expect(placesOf(plainJson, 'Job', { 'spec.empty': {}, 'spec.list': [] })).toEqual([]);
  });

  test('field report 79: null, NaN, Infinity and undefined in a list are refused', () => {
    const changes = {
      'spec.template.spec.containers[1]': undefined,
      'spec.backoffLimit': Number('x'),
      'spec.parallelism': Number.POSITIVE_INFINITY,
      'spec.suspend': null,
    };
    expect(placesOf(plainJson, 'Job', changes).sort()).toEqual(
      ['spec.backoffLimit', 'spec.parallelism', 'spec.suspend', 'spec.template.spec.containers[1]'].map(
        (path) => `${JOB}: ${path}`,
      ),
    );
  });

  test('a field that is undefined is not written and passes', () => {
    expect(problemsOf(plainJson, [{ ...sampleObjects()[0]!, spec: { a: undefined } }])).toEqual([]);
  });

  test('functions, dates and big numbers are refused', () => {
    const wrong = { kind: 'ConfigMap', metadata: { name: 'a' }, spec: { f: () => 1, d: new Date(0), b: 1n } };
    expect(problemsOf(plainJson, [wrong]).map(({ path }) => path)).toEqual(['spec.f', 'spec.d', 'spec.b']);
  });
});

describe('placeholders', () => {
  test('field report 82: scripts and Kubernetes’ own $(NAME) pass', () => {
    expect(problemsOf(leftoverPlaceholders)).toEqual([]);
    const args = ['--address', '$(RAY_ADDRESS)', 'bash', '-ec', 'exec ${CMD}', 'first\n${HOME}\n'];
    expect(placesOf(leftoverPlaceholders, 'Job', { [`${JOB_POD}.spec.containers[0].args`]: args })).toEqual(
      [],
    );
  });

  test('field report 82: one that was not filled in is refused', () => {
    expect(
      problemsOf(
        leftoverPlaceholders,
        sampleWith('RayCluster', { [`${HEAD}.spec.containers[0].image`]: 'repo/${IMAGE_URI}' }),
      ),
    ).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${HEAD}.spec.containers[0].image`,
        value: 'repo/${IMAGE_URI}',
        rule: '${IMAGE_URI} was not filled in',
        fix: 'set the variable, or write the value',
      },
    ]);
    expect(
      placesOf(leftoverPlaceholders, 'Job', {
        [`${JOB_POD}.spec.containers[0].args`]: ['-c', 'ok', '${BUCKET}'],
      }),
    ).toHaveLength(1);
    expect(
      placesOf(leftoverPlaceholders, 'ConfigMap', { 'metadata.annotations': { a: '${X}' } }),
    ).toHaveLength(1);
  });
});

describe('scope', () => {
  test('field report 67: a namespace on a cluster-scoped object is refused', () => {
    expect(problemsOf(clusterScope)).toEqual([]);
    expect(placesOf(clusterScope, 'PersistentVolume', { 'metadata.namespace': 'train' })).toEqual([
      'PersistentVolume train-data: metadata.namespace',
    ]);
    expect(
      problemsOf(clusterScope, [{ kind: 'DeviceClass', metadata: { name: 'x', namespace: 'train' } }]),
    ).toHaveLength(1);
  });
});

describe('labels', () => {
  test('legal keys and values pass', () => {
    expect(problemsOf(labelSyntax)).toEqual([]);
    expect(
      placesOf(labelSyntax, 'RayCluster', {
        'metadata.labels': { a: '', 'x.io/b': 'A_b.c-1', c: 'v'.repeat(63) },
      }),
    ).toEqual([]);
  });

  test.each([
    ['run', 'v'.repeat(64)],
    ['run', 'image:1'],
    ['run', '-a'],
    ['-run', 'a'],
    ['a/b/c', 'a'],
    ['X/b', 'a'],
    ['/b', 'a'],
    ['k'.repeat(64), 'a'],
  ])('the label %s=%s is refused', (key, value) => {
    expect(placesOf(labelSyntax, 'RayCluster', { 'metadata.labels': { [key]: value } })).toHaveLength(1);
    expect(
      placesOf(labelSyntax, 'RayCluster', { [`${WORKERS}.metadata.labels`]: { [key]: value } }),
    ).toHaveLength(1);
    expect(
      placesOf(labelSyntax, 'RayCluster', { [`${WORKERS}.spec.nodeSelector`]: { [key]: value } }),
    ).toHaveLength(1);
  });

  test('values of annotations are free, their keys are not', () => {
    expect(placesOf(labelSyntax, 'RayCluster', { 'metadata.annotations': { a: 'x y: {}' } })).toEqual([]);
    expect(placesOf(labelSyntax, 'RayCluster', { 'metadata.annotations': { 'a b': 'x' } })).toHaveLength(1);
  });
});
