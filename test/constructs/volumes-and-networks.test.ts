import { GcsFuseVolume, MultisliceNetwork } from '../../lib/constructs';
import type { GcsFuseVolumeProps, MultisliceNetworkProps } from '../../lib/constructs';
import { newChart, newCluster, objectsOf, yamlOf } from '../support/constructs';

const VOLUME: GcsFuseVolumeProps = {
  name: 'data',
  namespace: 'training',
  bucket: 'my-bucket',
  mountPath: '/data',
  clusterMode: 'standard',
};

const EVERY_VOLUME_PROP: Required<Omit<GcsFuseVolumeProps, 'profile'>> = {
  ...VOLUME,
  onlyDir: 'checkpoints',
  user: { uid: 1000, gid: 100 },
  hostNetwork: true,
  readOnly: true,
  form: 'persistent-volume',
  persistentVolumeName: 'training-data',
  handleSuffix: 'train',
  mountOptions: ['metadata-cache:ttl-secs:-1'],
  fileCache: { size: '50Gi', medium: 'memory' },
  sidecarLimits: { cpu: '4', memory: '8Gi', ephemeralStorage: '20Gi' },
};

const NETWORK: MultisliceNetworkProps = {
  mode: 'dranet',
  namespace: 'training',
  name: 'train-netdev',
  networkCards: 2,
};

const EVERY_NETWORK_PROP: Required<MultisliceNetworkProps> = {
  ...NETWORK,
  networkCards: 2,
  libtpuInitArgs: ['--a=1', '--b=2'],
  computeClassMachineType: 'ct6e-standard-4t',
};

describe('a GCS FUSE volume', () => {
  function rendered(change: Partial<GcsFuseVolumeProps>): string {
    const { chart } = newChart();
    const cluster = newCluster(chart, { user: { uid: 1000, gid: 100 } });
    const volume = new GcsFuseVolume(chart, 'volume', { ...VOLUME, ...change });
    volume.attach(cluster.head);
    volume.attach(cluster.workers);
    return yamlOf(chart);
  }

  test('with what it needs at least', () => {
    expect(rendered({})).toMatchSnapshot();
  });

  test('with all props', () => {
    expect(rendered(EVERY_VOLUME_PROP)).toMatchSnapshot();
  });

  test('field report 48: the cache lies on the one volume that the sidecar looks for, and only with a cache', () => {
    expect(rendered({})).not.toContain('gke-gcsfuse-cache');
    expect(rendered({ fileCache: { size: '1Gi', medium: 'disk' } })).toContain('name: gke-gcsfuse-cache');
    expect(rendered({ fileCache: { size: '1Gi', medium: 'disk' } })).toContain('file-cache:max-size-mb:1024');
  });

  test('field report 78: its annotations are text', () => {
    expect(rendered({})).toContain('gke-gcsfuse/volumes: "true"');
    expect(rendered({})).toContain('gke-gcsfuse/cpu-limit: "0"');
  });

  test('its profile is a StorageClass', () => {
    expect(rendered({ form: 'persistent-volume', profile: 'training' })).toContain(
      'storageClassName: gcsfusecsi-training',
    );
  });

  test('fails for a profile of an ephemeral volume', () => {
    expect(() => rendered({ profile: 'training' })).toThrow(
      "profile 'training' is a StorageClass: set form to persistent-volume, or leave it out",
    );
  });

  test('fails for a bucket with its scheme', () => {
    expect(() => rendered({ bucket: 'gs://my-bucket' })).toThrow(
      "bucket 'gs://my-bucket' must be a bare name: leave out gs://, and mount a folder with onlyDir",
    );
  });

  test('B10: two volumes of a pod share one cache and one sidecar', () => {
    const { chart } = newChart();
    const cluster = newCluster(chart);
    const first = {
      ...VOLUME,
      fileCache: { size: '10Gi', medium: 'memory' },
      sidecarLimits: { memory: '70Gi' },
    } as const;
    const second = {
      ...VOLUME,
      name: 'second',
      mountPath: '/second',
      fileCache: { size: '50Gi', medium: 'memory' },
    } as const;
    new GcsFuseVolume(chart, 'first', first).attach(cluster.workers);
    new GcsFuseVolume(chart, 'second', second).attach(cluster.workers);
    const template = cluster.workers.render();
    expect(template.spec?.volumes).toContainEqual({
      name: 'gke-gcsfuse-cache',
      emptyDir: { medium: 'Memory', sizeLimit: '61440Mi' },
    });
    expect(template.metadata?.annotations).toMatchObject({ 'gke-gcsfuse/memory-limit': '70Gi' });
    const third = new GcsFuseVolume(chart, 'third', {
      ...second,
      name: 'third',
      mountPath: '/third',
      sidecarLimits: { memory: '5Gi' },
    });
    expect(() => {
      third.attach(cluster.workers);
    }).toThrow(
      "a pod has one FUSE sidecar: volume 'data' sets its memory to 70Gi, volume 'third' to 5Gi: set it once",
    );
  });

  test('B10: fails for caches in memory and on disk in one pod', () => {
    const { chart } = newChart();
    const cluster = newCluster(chart);
    const cache = (name: string, medium: 'memory' | 'disk'): GcsFuseVolume =>
      new GcsFuseVolume(chart, name, {
        ...VOLUME,
        name,
        mountPath: `/${name}`,
        fileCache: { size: '1Gi', medium },
      });
    cache('a', 'memory').attach(cluster.head);
    cache('b', 'disk').attach(cluster.head);
    expect(() => cluster.head.render()).toThrow(
      "a pod has one file cache: volume 'a' holds it in memory, volume 'b' on disk: use one medium",
    );
  });

  test('B1: the handle of a PersistentVolume is the bucket, with a suffix where one is given', () => {
    expect(rendered({ form: 'persistent-volume' })).toContain('volumeHandle: my-bucket\n');
    expect(rendered({ form: 'persistent-volume', handleSuffix: '2' })).toContain(
      'volumeHandle: my-bucket:2\n',
    );
  });

  test('fails for another user than the pod’s', () => {
    expect(() => rendered({ user: { uid: 0, gid: 0 } })).toThrow(
      "volume 'data' belongs to user 0:0, the pod runs as 1000:100: leave the volume's user out",
    );
  });

  test('on the node’s network it hands the pod’s account through, whatever comes first', () => {
    const { chart } = newChart();
    const cluster = newCluster(chart);
    new GcsFuseVolume(chart, 'volume', VOLUME).attach(cluster.workers);
    expect(yamlOf(chart)).not.toContain('hostNetworkPodKSA');
    cluster.workers.useHostNetwork();
    expect(yamlOf(chart)).toContain('hostNetworkPodKSA: "true"');
  });
});

describe('a network between slices', () => {
  function rendered(props: MultisliceNetworkProps): { text: string; kinds: unknown[] } {
    const { chart } = newChart();
    const cluster = newCluster(chart, { slices: { min: 2, max: 2 } });
    new MultisliceNetwork(chart, 'network', props).attach(cluster);
    return { text: yamlOf(chart), kinds: objectsOf(chart).map((object) => object['kind']) };
  }

  test('with what it needs at least', () => {
    expect(rendered(NETWORK).text).toMatchSnapshot();
  });

  test('with all props', () => {
    expect(rendered(EVERY_NETWORK_PROP).text).toMatchSnapshot();
  });

  test('field report 63: each pod gets a claim of its own from one template', () => {
    const { text, kinds } = rendered(NETWORK);
    expect(kinds).toEqual(['RayCluster', 'ResourceClaimTemplate']);
    expect(text).toContain('resourceClaimTemplateName: train-netdev');
    expect(text).not.toContain('resourceClaimName:');
  });

  test('field report 64: the claim has the shape of resource.k8s.io/v1', () => {
    const { text } = rendered(NETWORK);
    expect(text).toContain('apiVersion: resource.k8s.io/v1\n');
    expect(text).toContain('exactly:');
  });

  test('field report 67: a ComputeClass belongs to no namespace', () => {
    const { chart } = newChart();
    new MultisliceNetwork(chart, 'network', EVERY_NETWORK_PROP);
    const computeClass = objectsOf(chart).find((object) => object['kind'] === 'ComputeClass');
    expect(computeClass?.['metadata']).not.toHaveProperty('namespace');
  });

  test('the host network brings the cluster’s DNS and no claim', () => {
    const { text, kinds } = rendered({ mode: 'host-network', namespace: 'training', name: 'train-netdev' });
    expect(kinds).toEqual(['RayCluster']);
    expect(text).toContain('hostNetwork: true');
    expect(text).toContain('dnsPolicy: ClusterFirstWithHostNet');
  });

  test('field report 28: only the port of MegaScale is set, the rest is Ray’s', () => {
    for (const mode of ['dranet', 'host-network', 'pod-network'] as const) {
      const { text } = rendered({ ...NETWORK, mode });
      expect(text.match(/MEGASCALE_\w+/g)).toEqual(['MEGASCALE_PORT']);
    }
  });

  test.each([NaN, 1.5, -1, Infinity])('fails for %s cards', (networkCards) => {
    for (const mode of ['dranet', 'pod-network'] as const) {
      expect(() => rendered({ ...NETWORK, mode, networkCards })).toThrow(
        `networkCards: ${String(networkCards)}: a whole number from`,
      );
    }
  });

  test('fails without a card', () => {
    expect(() => rendered({ mode: 'dranet', namespace: 'training', name: 'x' })).toThrow(
      'networkCards: 0: a whole number from 1 to 2147483647: mode dranet claims at least one card per worker',
    );
  });
});
