import { pathText } from '../../lib/problems';
import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import { Construct } from 'constructs';
import { RunChart } from '../../lib/charts';
import { TpuRayCluster, TrainerSources } from '../../lib/constructs';
import { planInfrastructure } from '../../lib/infrastructure';
import { resolvePlatform, TrainerSourceFiles, TrainingRun } from '../../lib/run';
import type { RunSpec } from '../../lib/run';
import { renderProject } from '../support/render-project';
import type { RenderedProject } from '../support/render-project';

/**
 * The input that would show a public bug report, and what comes of it here. docs/field-reports.md has the reports; those with a
 * test of their own elsewhere are not repeated.
 */

const PLATFORM = {
  project: 'my-project',
  region: 'us-east5',
  zone: 'us-east5-b',
  cluster: { name: 'tpu-ray', mode: 'standard', version: '1.35.2-gke.1842000' },
  bucket: { name: 'my-bucket' },
} as const;

const TRAINER = {
  kind: 'maxtext',
  model: 'llama3-8b',
  steps: 100,
  baseOutputDirectory: 'gs://my-bucket/runs',
} as const;

const RUN = {
  name: 'run',
  tpu: { generation: 'v6e', topology: '4x4' },
  image: 'registry/maxtext:1',
  trainer: TRAINER,
} as const;

const FUSE = { kind: 'gcs-fuse', mountPath: '/data' } as const;
const AUTOPILOT = { cluster: { ...PLATFORM.cluster, mode: 'autopilot' } };

function render(run: object = {}, platform: object = {}): RenderedProject {
  return renderProject(JSON.stringify({ ...PLATFORM, ...platform }), {
    run: JSON.stringify({ ...RUN, ...run }),
  });
}

/** `path: rule; fix` of every Problem. */
function refusals(run: object, platform: object = {}): string {
  return render(run, platform)
    .problems.map(({ path, rule, fix }) => `${pathText(path)}: ${rule}; ${fix}`)
    .join('\n');
}

function remarks(run: object, platform: object = {}): string {
  const { problems, warnings } = render(run, platform);
  expect(problems).toEqual([]);
  return warnings.map(({ path, message }) => `${pathText(path)}: ${message}`).join('\n');
}

function rendered(run: object = {}, platform: object = {}): readonly Record<string, unknown>[] {
  const { problems, objects } = render(run, platform);
  expect(problems).toEqual([]);
  return objects;
}

interface Pod {
  readonly metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  readonly spec: {
    readonly containers: readonly {
      image: string;
      args?: string[];
      env?: { name: string; value?: string }[];
      resources: { requests: Record<string, string> };
    }[];
    readonly volumes?: readonly {
      csi?: { volumeAttributes: { mountOptions: string } };
      configMap?: object;
      emptyDir?: object;
    }[];
    readonly nodeSelector?: Record<string, string>;
    readonly tolerations?: readonly { key: string }[];
    readonly resourceClaims?: readonly { resourceClaimTemplateName?: string; resourceClaimName?: string }[];
  };
}

interface Cluster {
  readonly metadata: { name: string };
  readonly spec: {
    headGroupSpec: { template: Pod };
    workerGroupSpecs: { replicas: number; numOfHosts: number; template: Pod }[];
  };
}

function clusterOf(objects: readonly Record<string, unknown>[]): Cluster {
  return objects.find(({ kind }) => kind === 'RayCluster') as unknown as Cluster;
}

const headOf = (objects: readonly Record<string, unknown>[]): Pod =>
  clusterOf(objects).spec.headGroupSpec.template;
const workersOf = (objects: readonly Record<string, unknown>[]): Pod =>
  clusterOf(objects).spec.workerGroupSpecs[0]!.template;

function jobOf(objects: readonly Record<string, unknown>[]): {
  metadata: { name: string };
  spec: { template: Pod };
} {
  return objects.find(({ kind }) => kind === 'Job') as never;
}

function argument(objects: readonly Record<string, unknown>[], option: string): string | undefined {
  const args = jobOf(objects).spec.template.spec.containers[0]!.args!;
  return args[args.indexOf(option) + 1];
}

function poolsOf(
  run: object,
  platform: object = {},
): ReturnType<typeof planInfrastructure>['plan']['nodePools'] {
  const { platform: resolved } = resolvePlatform({ ...PLATFORM, ...platform });
  const { run: checked, problems } = TrainingRun.check(resolved, { ...RUN, ...run });
  expect(problems).toEqual([]);
  return planInfrastructure(resolved, [checked!]).plan.nodePools.filter(({ role }) => role === 'tpu');
}

describe('the submitter', () => {
  test('field report 9: the same input has the same Job, a changed argument another, with its submission id', () => {
    const [first, again, changed] = [
      rendered(),
      rendered(),
      rendered({ trainer: { ...TRAINER, steps: 101 } }),
    ];
    expect(jobOf(again).metadata.name).toBe(jobOf(first).metadata.name);
    expect(jobOf(changed).metadata.name).not.toBe(jobOf(first).metadata.name);
    // As field report 3 wants it: the id is fixed, and the Job's name begins with it.
    expect(jobOf(changed).metadata.name.startsWith(`${argument(changed, '--submission-id')}-`)).toBe(true);
  });

  test('field report 10: no TPU, no TPU selector and no claim of the workers reaches its pod', () => {
    const objects = rendered({ tpu: { ...RUN.tpu, slices: 2, capacity: { kind: 'spot' } } });
    const { spec } = jobOf(objects).spec.template;
    expect(JSON.stringify(spec)).not.toContain('google.com/tpu');
    expect([spec.nodeSelector, spec.tolerations, spec.resourceClaims]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(
      refusals({ submitter: { nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' } } }),
    ).toContain('must not hold a TPU host');
  });

  test('field report 12: it mounts no bucket, so that no sidecar outlives it', () => {
    const { metadata, spec } = jobOf(rendered({ volumes: [FUSE] })).spec.template;
    expect(JSON.stringify([metadata, spec])).not.toContain('gcsfuse');
  });

  test('field report 8: sources beyond a ConfigMap are refused with the sizes of the files', () => {
    const files = new TrainerSourceFiles('maxtext', {
      'tpu_trainers/__init__.py': '',
      'tpu_trainers/maxtext.py': 'x'.repeat(1_200_000),
    });
    expect(files.sizeProblem()?.rule).toContain('tpu_trainers/maxtext.py 1200000');
  });
});

describe('topology arithmetic', () => {
  test('field report 19: on tpu7x Torch counts devices on head and workers, JAX counts chips', () => {
    const { platform } = resolvePlatform({
      ...PLATFORM,
      cluster: { ...PLATFORM.cluster, version: '1.36.0-gke.1' },
    });
    const check = (trainer: RunSpec['trainer']): TrainingRun =>
      TrainingRun.check(platform, { ...RUN, tpu: { generation: 'tpu7x', topology: '2x2x2' }, trainer }).run!;
    const torch = check({ kind: 'torchtpu-collectives' });
    const jax = check(TRAINER);
    expect([torch.slice.hosts, torch.trainer.workers.max, torch.trainer.tpuResourcePerChip]).toEqual([
      2, 16, 2,
    ]);
    expect([
      jax.trainer.workers.max,
      jax.trainer.workers.tpuPerWorker,
      jax.trainer.tpuResourcePerChip,
    ]).toEqual([2, 4, 1]);
    const cluster = new TpuRayCluster(
      new Chart(new App({ outdir: 'unused' }), 'c'),
      'x',
      TpuRayCluster.propsOf(torch),
    );
    const variable = { name: 'RAY_TPU_RESOURCE_PER_CHIP', value: '2' };
    expect(cluster.head.render().spec?.containers[0]?.env).toContainEqual(variable);
    expect(cluster.workers.render().spec?.containers[0]?.env).toContainEqual(variable);
  });

  test('field report 21: replicas and numOfHosts are no keys; slices is', () => {
    expect(refusals({ tpu: { ...RUN.tpu, replicas: 4 } })).toMatch(/^tpu\.replicas: unknown key replicas/m);
    const { replicas, numOfHosts } = clusterOf(rendered({ tpu: { ...RUN.tpu, slices: 2 } })).spec
      .workerGroupSpecs[0]!;
    expect([replicas, numOfHosts]).toEqual([2, 4]);
  });

  test('field report 23: mesh axes that do not multiply out to devices and slices are refused', () => {
    const tpu = { ...RUN.tpu, slices: 2 };
    const mesh = (ici: object, dcn: object): object => ({ tpu, trainer: { ...TRAINER, mesh: { ici, dcn } } });
    expect(refusals(mesh({ fsdp: 8 }, { data: 2 }))).toMatch(/^trainer\.mesh\.ici: .*16, not 8/);
    expect(refusals(mesh({ fsdp: 16 }, { data: 3 }))).toMatch(/^trainer\.mesh\.dcn: .*2, not 3/);
  });

  test('field report 24: a JAX worker owns all chips of its host, and there is no key to say otherwise', () => {
    expect(argument(rendered(), '--tpu-per-worker')).toBe('4');
    expect(refusals({ trainer: { ...TRAINER, tpuPerWorker: 1 } })).toContain(
      'trainer.tpuPerWorker: unknown key',
    );
  });

  test('field report 25: a slice is one replica, and the submitter waits for all of its hosts', () => {
    const objects = rendered();
    expect(clusterOf(objects).spec.workerGroupSpecs).toHaveLength(1);
    expect([argument(objects, '--slices'), argument(objects, '--hosts-per-slice')]).toEqual(['1', '4']);
  });
});

describe('multislice and worker identity', () => {
  const two = { tpu: { ...RUN.tpu, slices: 2 } };

  test('field report 28: MEGASCALE_* is refused in the environment, and only the port is rendered', () => {
    expect(refusals({ ...two, env: { MEGASCALE_NUM_SLICES: '2' } })).toMatch(/^env\.MEGASCALE_NUM_SLICES/);
    const names = workersOf(rendered(two)).spec.containers[0]!.env!.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('MEGASCALE_'))).toEqual(['MEGASCALE_PORT']);
  });

  test('field report 29: Torch on several slices is refused', () => {
    const { platform } = resolvePlatform(PLATFORM);
    const { problems } = TrainingRun.check(platform, {
      ...RUN,
      ...two,
      trainer: { kind: 'torchtpu-collectives' },
    });
    expect(problems.map(({ path, fix }) => `${pathText(path)} ${fix}`).join()).toMatch(/maxtext|one slice/i);
  });

  test('field report 30: what the TPU webhook sets is refused in the environment', () => {
    const text = refusals({ env: { TPU_WORKER_ID: '0', TPU_WORKER_HOSTNAMES: 'a', TPU_NAME: 'b' } });
    expect(text.match(/^env\.TPU_/gm)).toHaveLength(3);
  });

  test('field report 32: a generation is refused on a GKE version that lacks it', () => {
    const cluster = { ...PLATFORM.cluster, version: '1.33.0-gke.1' };
    expect(refusals({ tpu: { generation: 'tpu7x', topology: '2x2x2' } }, { cluster })).toContain(
      'needs GKE 1.34',
    );
  });

  test('field report 33: the submitter waits hours for slices, and a short deadline is remarked on', () => {
    expect(argument(rendered(two), '--start-deadline')).toBe(String(12 * 3600));
    expect(remarks({ ...two, submitter: { startDeadline: '4m' } })).toMatch(/^submitter\.startDeadline/m);
  });

  test('field report 34: several slices have their network by themselves; the slow one is remarked on', () => {
    expect(workersOf(rendered(two)).spec.resourceClaims).toHaveLength(1);
    expect(remarks({ ...two, network: { mode: 'pod-network' } })).toMatch(
      /^network: .*several times slower/m,
    );
  });
});

describe('checkpoints, GCS FUSE and identity', () => {
  test('field report 37: the owner of mounted files is the user of the pods', () => {
    const options = (run: object): string =>
      workersOf(rendered({ ...run, volumes: [FUSE] })).spec.volumes!.find(({ csi }) => csi !== undefined)!
        .csi!.volumeAttributes.mountOptions;
    expect(options({})).toContain('uid=1000,gid=100');
    expect(options({ user: { uid: 2000, gid: 3000 } })).toContain('uid=2000,gid=3000');
  });

  test('field report 39: gs://, a path, capitals and misspelt options are refused with what to write', () => {
    expect(refusals({ volumes: [{ ...FUSE, bucket: 'gs://my-bucket/ckpt' }] })).toContain('onlyDir: ckpt');
    expect(refusals({ volumes: [{ ...FUSE, bucket: 'My_Bucket/x' }] })).toMatch(/^volumes\[0\]\.bucket/);
    expect(refusals({ volumes: [{ ...FUSE, mountOptions: ['implicit_dirs'] }] })).toContain(
      'write implicit-dirs',
    );
  });

  test('field report 40: sidecar limits are none on Standard and numbers on Autopilot, where none is refused', () => {
    const limit = (platform: object): string =>
      workersOf(rendered({ volumes: [FUSE] }, platform)).metadata.annotations['gke-gcsfuse/memory-limit']!;
    expect([limit({}), limit(AUTOPILOT)]).toEqual(['0', '4Gi']);
    const unlimited = { volumes: [{ ...FUSE, sidecar: { memoryLimit: '0' } }] };
    expect(refusals(unlimited, AUTOPILOT)).toMatch(/^volumes\[0\]\.sidecar\.memoryLimit/);
    expect(refusals(unlimited)).toBe('');
  });

  test('field report 44: checkpoints behind GCS FUSE on a flat bucket are remarked on', () => {
    const run = { volumes: [FUSE], trainer: { ...TRAINER, baseOutputDirectory: '/data/runs' } };
    const flat = { bucket: { name: 'my-bucket', hierarchicalNamespace: false } };
    expect(remarks(run, flat)).toMatch(/baseOutputDirectory: .*renaming a folder/);
    expect(remarks(run)).not.toContain('renaming');
  });

  test('field report 45: output that other hosts cannot see is refused', () => {
    expect(refusals({ trainer: { ...TRAINER, baseOutputDirectory: '/tmp/ray' } })).toMatch(
      /^trainer\.baseOutputDirectory/,
    );
    const scratch = { kind: 'empty-dir', mountPath: '/mnt/x', size: '1Gi' };
    expect(
      refusals({ volumes: [scratch], trainer: { ...TRAINER, baseOutputDirectory: '/mnt/x/out' } }),
    ).toMatch(/^trainer\.baseOutputDirectory/);
  });

  test('field report 46: a FUSE volume is refused before GKE has native sidecars', () => {
    const cluster = { ...PLATFORM.cluster, version: '1.28.9-gke.1' };
    expect(refusals({ volumes: [FUSE] }, { cluster })).toContain('volumes[0].kind: before GKE 1.29.3');
  });

  test('field report 47: mesh proxies stay out of Ray pods and of the submitter', () => {
    const objects = rendered({ volumes: [FUSE] });
    for (const pod of [headOf(objects), workersOf(objects), jobOf(objects).spec.template]) {
      expect(pod.metadata.labels['sidecar.istio.io/inject']).toBe('false');
    }
  });
});

describe('life cycle', () => {
  test('field report 50: the autoscaler on multi-host slices is refused before Ray counts slices', () => {
    expect(refusals({ ray: { version: '2.40.0', autoscaler: true } })).toMatch(/^ray\.version: .*2\.43/m);
  });

  test('field report 52: a changed image is another Job; recreation is opt-in and gated by KubeRay', () => {
    const name = (image: string): string => jobOf(rendered({ image })).metadata.name;
    expect(name('registry/maxtext:1')).not.toBe(name('registry/maxtext:2'));
    expect(refusals({ ray: { recreateOnChange: true } }, { kubeRayVersion: '1.5.0' })).toMatch(
      /^ray\.recreateOnChange/,
    );
  });

  test('field report 57: head and workers are not to be evicted, said as text', () => {
    const objects = rendered();
    for (const pod of [headOf(objects), workersOf(objects)]) {
      expect(pod.metadata.annotations['cluster-autoscaler.kubernetes.io/safe-to-evict']).toBe('false');
    }
  });

  test('field report 59: head, workers and submitter have one image, whose tag must not contradict rayVersion', () => {
    const objects = rendered();
    const images = [headOf(objects), workersOf(objects), jobOf(objects).spec.template].map(
      ({ spec }) => spec.containers[0]!.image,
    );
    expect(new Set(images)).toEqual(new Set(['registry/maxtext:1']));
    expect(refusals({ image: 'rayproject/ray:2.52.0-py312', ray: { version: '2.49.0' } })).toMatch(
      /^ray\.version/m,
    );
  });

  test('field report 61: deleting the cluster in the end is opt-in, with a Role for that one object', () => {
    expect(rendered().some(({ kind }) => kind === 'Role')).toBe(false);
    const role = rendered({ submitter: { onFinish: 'deleteCluster' } }).find(({ kind }) => kind === 'Role');
    expect(role?.['rules']).toEqual([
      { apiGroups: ['ray.io'], resources: ['rayclusters'], resourceNames: ['run'], verbs: ['get', 'delete'] },
    ]);
  });
});

describe('networks and claims', () => {
  const two = { tpu: { ...RUN.tpu, slices: 2 } };

  test('field report 63: every pod has a claim of its own, from a template of its namespace that stands first', () => {
    const objects = rendered(two);
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).not.toContain('ResourceClaim');
    expect(kinds.indexOf('ResourceClaimTemplate')).toBeLessThan(kinds.indexOf('RayCluster'));
    const [claim] = workersOf(objects).spec.resourceClaims!;
    expect([claim!.resourceClaimTemplateName, claim!.resourceClaimName]).toEqual(['run-netdev', undefined]);
  });

  test('field report 64: v1 claims have their request under exactly', () => {
    const template = rendered(two).find(({ kind }) => kind === 'ResourceClaimTemplate')!;
    expect(template['apiVersion']).toBe('resource.k8s.io/v1');
    expect(JSON.stringify(template['spec'])).toContain('{"exactly":{"allocationMode":"ExactCount","count":2');
  });

  test('field report 65: a pool has extra networks or the network profile, never both', () => {
    for (const profile of ['explicit', 'auto']) {
      const pools = poolsOf(two, { network: { profile } });
      expect(pools).toHaveLength(2);
      for (const pool of pools) {
        expect([pool.additionalNetworks.length, pool.networkProfile]).toEqual(
          profile === 'auto' ? [0, 'auto'] : [2, undefined],
        );
      }
    }
  });
});

describe('cdk8s', () => {
  test('field report 69: service-account tokens are mounted only where they are used', () => {
    const objects = rendered();
    for (const pod of [headOf(objects), workersOf(objects), jobOf(objects).spec.template]) {
      expect(pod.spec).toHaveProperty('automountServiceAccountToken', false);
      expect(pod.spec.containers[0]).toHaveProperty('imagePullPolicy', 'IfNotPresent');
    }
  });

  test('field report 70: a patch whose parent is missing fails with the name of the construct', () => {
    const run = TrainingRun.of(PLATFORM, RUN);
    const chart = new Chart(new App({ outdir: 'unused' }), 'chart');
    const cluster = new TpuRayCluster(chart, 'cluster', TpuRayCluster.propsOf(run));
    cluster.apiObject.addJsonPatch(JsonPatch.add('/spec/x/y/z', 1));
    expect(() => cluster.apiObject.toJson() as unknown).toThrow(/'chart\/cluster\/Resource'/);
  });

  test('field report 75: names of objects do not depend on where the constructs stand', () => {
    const run = TrainingRun.of(PLATFORM, RUN);
    const files = new TrainerSourceFiles('maxtext', { 'tpu_trainers/maxtext.py': 'pass\n' });
    const namesBelow = (nest: (app: App) => Construct): string[] => {
      const scope = nest(new App({ outdir: 'unused' }));
      const sources = new TrainerSources(new Chart(scope, 'sources'), 'sources', {
        namespace: 'default',
        sources: files,
      });
      new RunChart(scope, 'run', run, sources);
      return scope.node
        .findAll()
        .filter((construct) => ApiObject.isApiObject(construct))
        .map(({ name }) => name);
    };
    expect(namesBelow((app) => new Construct(app, 'another'))).toEqual(namesBelow((app) => app));
  });
});

describe('image, memory and capacity', () => {
  test('field report 84: /dev/shm is part of the memory, and never as large', () => {
    const worker = (sharedMemory: string): object => ({
      resources: { worker: { memory: '16Gi', sharedMemory } },
    });
    expect(refusals(worker('32Gi'))).toMatch(/^resources\.worker\.sharedMemory/);
    expect(refusals(worker('16Gi'))).toMatch(/^resources\.worker\.sharedMemory/);
    expect(refusals(worker('8Gi'))).toBe('');
    expect(JSON.stringify(workersOf(rendered()).spec.volumes)).toContain('"medium":"Memory","sizeLimit"');
  });

  test.each([
    ['on-demand', [], []],
    ['spot', ['cloud.google.com/gke-spot'], ['cloud.google.com/gke-spot', 'cdk8s-tpu-ray/node-pool']],
    ['flex-start', ['cloud.google.com/gke-flex-start'], ['cdk8s-tpu-ray/node-pool']],
  ])('field report 91: %s has selector, toleration and pool together', (kind, selector, toleration) => {
    const run = { tpu: { ...RUN.tpu, capacity: { kind } } };
    const { nodeSelector, tolerations } = workersOf(rendered(run)).spec;
    const extra = Object.keys(nodeSelector!).filter((key) => !/gke-tpu|metadata-server/.test(key));
    expect(extra).toEqual(['cdk8s-tpu-ray/node-pool', ...selector]);
    const keys = tolerations!.map(({ key }) => key).filter((key) => key !== 'google.com/tpu');
    expect(keys).toEqual(toleration);
    expect(poolsOf(run).map(({ capacity }) => capacity.kind)).toEqual([kind]);
  });

  test('field report 92: a reservation is named without its path, and flex-start has no fixed number of nodes', () => {
    const reservation = (name: string): object => ({
      tpu: { ...RUN.tpu, capacity: { kind: 'reservation', name } },
    });
    expect(refusals(reservation('projects/p/reservations/r'))).toContain('write name: r and project: p');
    expect(refusals(reservation('r'))).toBe('');
    const [pool] = poolsOf({ tpu: { ...RUN.tpu, capacity: { kind: 'flex-start' } } });
    expect([pool!.nodes, pool!.autoscaling]).toEqual([0, { minNodes: 0, maxNodes: 4 }]);
  });

  test('field report 93: a multi-host tpu7x pool has a placement policy and no topology flag, others the reverse', () => {
    const [ironwood] = poolsOf({ tpu: { generation: 'tpu7x', topology: '2x2x2' } });
    expect([ironwood!.nodes, ironwood!.placementPolicy, ironwood!.passTopology]).toEqual([
      2,
      'tpu-ray-tpu7x-2x2x2',
      false,
    ]);
    const [trillium] = poolsOf({});
    expect([trillium!.placementPolicy, trillium!.passTopology]).toEqual([undefined, true]);
  });

  test('field report 95: an autoscaled pool is bounded by its hosts, per zone', () => {
    const [pool] = poolsOf({ ray: { autoscaler: true } });
    expect(pool!.autoscaling).toEqual({ minNodes: 0, maxNodes: 4 });
  });

  test('field report 97: names with blanks and shell characters never reach a script', () => {
    for (const name of ['tpu ray', '$(x)']) {
      expect(refusals({}, { cluster: { ...PLATFORM.cluster, name } })).toMatch(/^cluster\.name/);
    }
  });
});
