import { gcsFuseAnnotation } from '../../lib/manifest-rules/gcs-fuse-annotation';
import { gcsFuseHostNetwork } from '../../lib/manifest-rules/gcs-fuse-host-network';
import { podClaims } from '../../lib/manifest-rules/pod-claims';
import { podVolumes } from '../../lib/manifest-rules/pod-volumes';
import { ports } from '../../lib/manifest-rules/ports';
import { JOB, placesOf, problemsOf, RAY_CLUSTER } from '../support/manifest-rule';
import { HEAD, JOB_POD, sampleObjects, sampleWith, type Json, WORKERS } from '../support/sample-objects';

describe('volumes', () => {
  test('mounted volumes and the sidecar’s own pass', () => {
    expect(problemsOf(podVolumes)).toEqual([]);
  });

  test('field report 48: a volume that nothing mounts is refused, such as a cache under a name of its own', () => {
    expect(
      problemsOf(
        podVolumes,
        sampleWith('RayCluster', { [`${WORKERS}.spec.volumes[2].name`]: 'gcs-fuse-cache' }),
      ),
    ).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${WORKERS}.spec.volumes[2].name`,
        value: 'gcs-fuse-cache',
        rule: 'every volume of a pod is mounted by one of its containers',
        fix: 'mount it, or remove it',
      },
    ]);
  });

  test('a mount of no volume and two volumes of one name are refused', () => {
    expect(placesOf(podVolumes, 'Job', { [`${JOB_POD}.spec.volumes`]: undefined })).toEqual([
      `${JOB}: ${JOB_POD}.spec.containers[0].volumeMounts[0].name`,
    ]);
    const twice = [
      { name: 'sources', emptyDir: {} },
      { name: 'sources', emptyDir: {} },
    ];
    expect(placesOf(podVolumes, 'Job', { [`${JOB_POD}.spec.volumes`]: twice })).toEqual([
      `${JOB}: ${JOB_POD}.spec.volumes[1].name`,
    ]);
  });

  test('a mount by an init container counts', () => {
    const changes = {
      [`${JOB_POD}.spec.containers[0].volumeMounts`]: undefined,
      [`${JOB_POD}.spec.initContainers`]: [
        { name: 'init', volumeMounts: [{ name: 'sources', mountPath: '/s' }] },
      ],
    };
    expect(placesOf(podVolumes, 'Job', changes)).toEqual([]);
  });
});

describe('claims', () => {
  test('a claim of the pod that its container uses passes', () => {
    expect(problemsOf(podClaims)).toEqual([]);
  });

  test('a use of no claim and a claim of no use are refused', () => {
    expect(placesOf(podClaims, 'RayCluster', { [`${WORKERS}.spec.resourceClaims`]: undefined })).toEqual([
      `${RAY_CLUSTER}: ${WORKERS}.spec.containers[0].resources.claims[0].name`,
    ]);
    expect(
      placesOf(podClaims, 'RayCluster', { [`${WORKERS}.spec.containers[0].resources.claims`]: [] }),
    ).toEqual([`${RAY_CLUSTER}: ${WORKERS}.spec.resourceClaims[0].name`]);
  });
});

describe('GCS FUSE annotation', () => {
  const headAnnotation = `${HEAD}.metadata.annotations["gke-gcsfuse/volumes"]`;
  const workerAnnotation = `${WORKERS}.metadata.annotations["gke-gcsfuse/volumes"]`;

  test('pods with an ephemeral volume, or a claim behind which the driver is, have it', () => {
    expect(problemsOf(gcsFuseAnnotation)).toEqual([]);
  });

  test.each([undefined, 'false', true])(
    'field report 36: the value %p is refused on a pod with a volume',
    (value) => {
      expect(placesOf(gcsFuseAnnotation, 'RayCluster', { [workerAnnotation]: value })).toEqual([
        `${RAY_CLUSTER}: ${workerAnnotation}`,
      ]);
      expect(placesOf(gcsFuseAnnotation, 'RayCluster', { [headAnnotation]: value })).toEqual([
        `${RAY_CLUSTER}: ${headAnnotation}`,
      ]);
    },
  );

  test('field report 36: a pod without a volume must not have it', () => {
    const changes = { [`${JOB_POD}.metadata`]: { annotations: { 'gke-gcsfuse/volumes': 'true' } } };
    expect(placesOf(gcsFuseAnnotation, 'Job', changes)).toEqual([
      `${JOB}: ${JOB_POD}.metadata.annotations["gke-gcsfuse/volumes"]`,
    ]);
  });

  test('a claim of a GCS FUSE profile needs it, one that is not rendered may have it', () => {
    const profile = sampleWith('PersistentVolumeClaim', {
      'spec.volumeName': undefined,
      'spec.storageClassName': 'gcsfusecsi-training',
    });
    expect(problemsOf(gcsFuseAnnotation, profile)).toEqual([]);
    const without = sampleObjects().filter((object) => object.kind !== 'PersistentVolumeClaim');
    expect(problemsOf(gcsFuseAnnotation, without)).toEqual([]);
  });

  test('a volume of the sidecar’s name in a pod without GCS FUSE is refused', () => {
    const changes = { [`${JOB_POD}.spec.volumes[1]`]: { name: 'gke-gcsfuse-cache', emptyDir: {} } };
    expect(placesOf(gcsFuseAnnotation, 'Job', changes)).toEqual([`${JOB}: ${JOB_POD}.spec.volumes[1].name`]);
  });
});

describe('GCS FUSE on the host network', () => {
  const attribute = `${WORKERS}.spec.volumes[0].csi.volumeAttributes.hostNetworkPodKSA`;

  test('the pod network, or the attribute, pass', () => {
    expect(problemsOf(gcsFuseHostNetwork)).toEqual([]);
    expect(
      placesOf(gcsFuseHostNetwork, 'RayCluster', {
        [`${WORKERS}.spec.hostNetwork`]: true,
        [attribute]: 'true',
      }),
    ).toEqual([]);
  });

  test('field report 41: the host network without the attribute is refused', () => {
    expect(placesOf(gcsFuseHostNetwork, 'RayCluster', { [`${WORKERS}.spec.hostNetwork`]: true })).toEqual([
      `${RAY_CLUSTER}: ${attribute}`,
    ]);
    expect(placesOf(gcsFuseHostNetwork, 'RayCluster', { [`${HEAD}.spec.hostNetwork`]: true })).toHaveLength(
      1,
    );
  });
});

describe('ports', () => {
  const sidecar = (ports: Json): Record<string, Json> => ({
    [`${HEAD}.spec.containers[1]`]: { name: 'sidecar', image: 'i', ports },
  });
  const sidecarPort = `${RAY_CLUSTER}: ${HEAD}.spec.containers[1].ports[0]`;

  test('different ports, and one port over two protocols, pass', () => {
    expect(problemsOf(ports)).toEqual([]);
    expect(
      placesOf(
        ports,
        'RayCluster',
        sidecar([{ containerPort: 8265, protocol: 'UDP' }, { containerPort: 9000 }]),
      ),
    ).toEqual([]);
  });

  test('a port that two containers declare is refused: they share the pod’s network', () => {
    expect(problemsOf(ports, sampleWith('RayCluster', sidecar([{ containerPort: 8265 }])))).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${HEAD}.spec.containers[1].ports[0].containerPort`,
        value: 8265,
        rule: 'containers of a pod share its network, spec.containers[0].ports[1] is on this port already',
        fix: 'use another port',
      },
    ]);
  });

  test.each([
    ['metrics', 8080],
    ['client', 10001],
  ])('Ray’s %s port counts although nobody declares it', (name, containerPort) => {
    const [problem, ...others] = problemsOf(ports, sampleWith('RayCluster', sidecar([{ containerPort }])));
    expect(problem?.rule).toContain(`Ray's ${name} port`);
    expect(others).toEqual([]);
  });

  test('a Ray port that was moved is free, and its new place is not', () => {
    const moved = { 'spec.headGroupSpec.rayStartParams': { 'metrics-export-port': '8082' } };
    expect(placesOf(ports, 'RayCluster', { ...moved, ...sidecar([{ containerPort: 8080 }]) })).toEqual([]);
    expect(placesOf(ports, 'RayCluster', { ...moved, ...sidecar([{ containerPort: 8082 }]) })).toEqual([
      `${sidecarPort}.containerPort`,
    ]);
  });

  test('a port twice in one container and a name twice in one pod are refused', () => {
    const twice = [{ containerPort: 1 }, { containerPort: 1 }];
    expect(placesOf(ports, 'Job', { [`${JOB_POD}.spec.containers[0].ports`]: twice })).toEqual([
      `${JOB}: ${JOB_POD}.spec.containers[0].ports[1].containerPort`,
    ]);
    expect(placesOf(ports, 'RayCluster', sidecar([{ containerPort: 9000, name: 'dashboard' }]))).toEqual([
      `${sidecarPort}.name`,
    ]);
  });

  test('an init container has ended before the others start, a sidecar has not', () => {
    const init = (restartPolicy?: string): Record<string, Json> => ({
      [`${HEAD}.spec.initContainers`]: [{ name: 'init', restartPolicy, ports: [{ containerPort: 6379 }] }],
    });
    expect(placesOf(ports, 'RayCluster', init())).toEqual([]);
    expect(placesOf(ports, 'RayCluster', init('Always'))).toHaveLength(1);
  });

  test('MegaScale’s port counts, against declared ones and against Ray’s', () => {
    const env = `${WORKERS}.spec.containers[0].env`;
    const megascale = (value: string): Record<string, Json> => ({
      [env]: [{ name: 'MEGASCALE_PORT', value }],
    });
    expect(placesOf(ports, 'RayCluster', megascale('9915'))).toEqual([]);
    expect(problemsOf(ports, sampleWith('RayCluster', megascale('8080')))).toEqual([
      {
        object: RAY_CLUSTER,
        path: `${env}[0].value`,
        value: 8080,
        rule: "containers of a pod share its network, Ray's metrics port is on this port already",
        fix: 'use another port',
      },
    ]);
    const declared = {
      [`${WORKERS}.spec.containers[1]`]: { name: 'side', ports: [{ containerPort: 9915 }] },
    };
    expect(placesOf(ports, 'RayCluster', { ...megascale('9915'), ...declared })).toHaveLength(1);
  });

  test('on the host network the node’s own agents have their ports', () => {
    const onHost = (hostNetwork: boolean, number: number): Record<string, Json> => ({
      [`${WORKERS}.spec.hostNetwork`]: hostNetwork,
      [`${WORKERS}.spec.containers[0].ports`]: [{ containerPort: number }],
    });
    expect(placesOf(ports, 'RayCluster', onHost(true, 9915))).toEqual([]);
    expect(placesOf(ports, 'RayCluster', onHost(false, 10250))).toEqual([]);
    expect(placesOf(ports, 'RayCluster', onHost(true, 10250))).toEqual([
      `${RAY_CLUSTER}: ${WORKERS}.spec.containers[0].ports[0].containerPort`,
    ]);
    const moved = { 'spec.workerGroupSpecs[0].rayStartParams': { 'metrics-export-port': '10256' } };
    const [problem] = problemsOf(ports, sampleWith('RayCluster', { ...onHost(true, 9915), ...moved }));
    expect(problem?.rule).toBe("on the host network kube-proxy has this port already: Ray's metrics port");
  });

  test('on the host network a host port cannot differ', () => {
    const changes = (hostNetwork: boolean): Record<string, Json> => ({
      [`${JOB_POD}.spec.hostNetwork`]: hostNetwork,
      [`${JOB_POD}.spec.containers[0].ports`]: [{ containerPort: 80, hostPort: 8000 }],
    });
    expect(placesOf(ports, 'Job', changes(true))).toEqual([
      `${JOB}: ${JOB_POD}.spec.containers[0].ports[0].hostPort`,
    ]);
    expect(placesOf(ports, 'Job', changes(false))).toEqual([]);
  });
});
