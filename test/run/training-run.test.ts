import { pathText } from '../../lib/problems';
import { ProblemsError, TrainingRun } from '../../lib/run';
import type { RunSpec } from '../../lib/run';
import type { MaxTextTrainerSpec } from '../../lib/training';
import {
  AUTOPILOT,
  PLATFORM,
  RUN,
  TORCH,
  TWO_SLICES,
  runProblems,
  trainingRun,
} from '../support/training-run';
import { maxTextOf } from '../support/maxtext-facts';

describe('what follows from the topology', () => {
  test('slices, chips, hosts and devices', () => {
    expect(trainingRun().slice).toMatchObject({
      chips: 16,
      hosts: 4,
      chipsPerHost: 4,
      devicesPerHost: 4,
      devices: 16,
      acceleratorLabel: 'tpu-v6e-slice',
      rayPodType: 'v6e-16',
    });
  });

  test('field reports 13 and 21: the user names slices; hosts and workers are derived', () => {
    const run = trainingRun(TWO_SLICES);
    expect(run.slices).toEqual({ min: 2, max: 2 });
    expect(run.wait).toEqual({ slices: 2, hosts: 8 });
    expect(run.trainer.workers).toEqual({ perSlice: 4, tpuPerWorker: 4, min: 8, max: 8 });
  });

  test('field report 24: a JAX worker takes all chips of a host', () => {
    const { command } = trainingRun().trainer;
    expect(command.slice(command.indexOf('--tpu-per-worker'), command.indexOf('--max-failures'))).toEqual([
      '--tpu-per-worker',
      '4',
      '--devices-per-worker',
      '4',
    ]);
  });

  test('field report 19: tpu7x counts devices for TorchTPU and chips for JAX', () => {
    expect(trainingRun(TORCH).trainer).toMatchObject({
      workers: { perSlice: 16, tpuPerWorker: 1, min: 16, max: 16 },
      tpuResourcePerChip: 2,
    });
    const jax = trainingRun({ ...RUN, tpu: TORCH.tpu });
    expect(jax.trainer).toMatchObject({
      workers: { perSlice: 2, tpuPerWorker: 4, min: 2, max: 2 },
      tpuResourcePerChip: 1,
    });
    expect(jax.slice.devices).toBe(16);
  });

  test('field report 20: v5e is TPU-V5LITEPOD to Ray', () => {
    const run = trainingRun({
      ...RUN,
      tpu: { generation: 'v5e', topology: '4x4' },
      trainer: { ...RUN.trainer, weightDtype: 'bfloat16' },
    });
    expect(run.trainer.command.join(' ')).toContain('--accelerator-type TPU-V5LITEPOD');
  });

  test('an elastic run waits for its smallest size', () => {
    const run = trainingRun({
      ...TWO_SLICES,
      tpu: { ...RUN.tpu, slices: { min: 1, max: 2 } },
      trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 16 }, dcn: { data: -1 } } },
    });
    expect(run.wait).toEqual({ slices: 1, hosts: 4 });
    expect(run.trainer.workers).toMatchObject({ min: 4, max: 8 });
  });

  test('every default', () => {
    const run = trainingRun();
    expect(run).toMatchObject({
      rayClusterName: 'train',
      imagePullPolicy: 'IfNotPresent',
      rayVersion: '2.60.0',
      autoscaler: false,
      recreateOnChange: false,
      shareNodePools: true,
      capacity: { kind: 'on-demand' },
      network: { mode: 'none' },
      user: { uid: 1000, gid: 100 },
      environment: {},
      warnings: [],
      submitter: {
        startDeadlineSeconds: 43_200,
        onActiveRun: 'fail',
        onFinish: 'keep',
        onTermination: 'detach',
        backoffLimit: 3,
        nodeSelector: {},
      },
    });
    expect(run.authTokenSecret).toBeUndefined();
    expect(trainingRun(TORCH).user).toBeUndefined();
  });

  test('a variable of the run wins over what the trainer kind sets', () => {
    const run = trainingRun({ ...RUN, env: { JAX_PLATFORMS: 'tpu,cpu' } });
    expect(run.environment).toEqual({ JAX_PLATFORMS: 'tpu,cpu' });
    expect(run.workerEnvironment).toEqual({ ENABLE_PJRT_COMPATIBILITY: 'true' });
  });
});

test.each([
  'maxtext',
  'maxtext:1',
  'localhost:5000/a/b__c:v1_x-y.z',
  'Registry.example:5000/maxtext',
  '[::1]:5000/maxtext:1',
  `us-docker.pkg.dev/other/images/maxtext@sha256:${'0a'.repeat(32)}`,
  `ghcr.io/a/b:${'1'.repeat(128)}@sha256:${'0a'.repeat(32)}`,
])('the image %s is a reference', (image) => {
  expect(runProblems({ ...RUN, image })).toEqual([]);
});

test('an image of the own repository has a tag or a digest', () => {
  const platform = { ...PLATFORM, imageRepository: { name: 'images' } };
  const image = 'us-east5-docker.pkg.dev/my-project/images/maxtext';
  expect(runProblems({ ...RUN, image }, platform)).toEqual([
    expect.stringContaining("an image of the project's own repository has a tag"),
  ]);
  expect(runProblems({ ...RUN, image: `${image}:1` }, platform)).toEqual([]);
  expect(runProblems({ ...RUN, image: `${image}@sha256:${'0a'.repeat(32)}` }, platform)).toEqual([]);
});

test('the state that is copied over data is divided by fsdp first', () => {
  const trainer = { ...RUN.trainer, weightDtype: 'bfloat16', mesh: { ici: { data: 16, fsdp: 1 } } } as const;
  expect(runProblems({ ...RUN, trainer })).toEqual([
    expect.stringContaining(
      '; divide the state within a slice: mesh.ici.fsdp instead of data, or use a larger topology',
    ),
  ]);
});

test.each([
  ['llama3-405b', 'llama3.1-405b'],
  ['llama-8b', 'llama3-8b'],
  ['llama3.2-70b', 'llama3.1-70b'],
])('the model %s is most likely %s', (model, meant) => {
  expect(runProblems({ ...RUN, trainer: { ...RUN.trainer, model } })).toEqual([
    expect.stringContaining(`did you mean ${meant}?`),
  ]);
});

test('a mount path that is refused is no reason to refuse what lies beneath it', () => {
  expect(runProblems({ ...RUN, volumes: [{ kind: 'gcs-fuse', mountPath: '/data/' }] })).toEqual([
    expect.stringContaining('volumes[0].mountPath'),
  ]);
});

test('a bucket of a gs:// path has a name', () => {
  const trainer = { ...RUN.trainer, baseOutputDirectory: 'gs://My_B/x' };
  expect(runProblems({ ...RUN, trainer })).toEqual([
    expect.stringMatching(
      /trainer.baseOutputDirectory: 'gs:\/\/My_B\/x': gs:\/\/ and the name of a bucket: .*; try my_b$/,
    ),
  ]);
});

test('TrainingRun.of throws every Problem of platform and run at once', () => {
  const platform = { ...PLATFORM, region: 'europe' };
  const spec: RunSpec = { ...RUN, name: '8b', tpu: { generation: 'v6e', topology: '2x3' } };
  let thrown: unknown;
  try {
    TrainingRun.of(platform, spec);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ProblemsError);
  expect((thrown as ProblemsError).problems.map(({ path }) => pathText(path))).toEqual([
    'platform.region',
    'name',
    'tpu.topology',
  ]);
  expect((thrown as ProblemsError).message.split('\n')[1]).toBe(
    "name: '8b': a name here consists of lower-case letters, digits and -, beginning with a letter and not ending with -; choose another name; it is never cut, since a cut name would not be the service its hosts look for [RUN_NAME]",
  );
});

describe('one rule at a time', () => {
  const NAME_FIX =
    'choose another name; it is never cut, since a cut name would not be the service its hosts look for';

  test.each<[what: string, spec: RunSpec, ...lines: string[]]>([
    [
      'field report 73: a name that begins with a digit',
      { ...RUN, name: '8b-run' },
      `name: '8b-run': a name here consists of lower-case letters, digits and -, beginning with a letter and not ending with -; ${NAME_FIX}`,
    ],
    [
      'field report 74: a name with an underscore and capitals',
      { ...RUN, name: 'Submit_Job' },
      `name: 'Submit_Job': a name here consists of lower-case letters, digits and -, beginning with a letter and not ending with -; ${NAME_FIX}`,
    ],
    [
      'a name of 42 characters',
      { ...RUN, name: 'a'.repeat(42) },
      `name: '${'a'.repeat(42)}': a name here has at most 41 characters, this one has 42; ${NAME_FIX}`,
    ],
    [
      'an image with a blank',
      { ...RUN, image: 'a b' },
      "image: 'a b': an image is a reference [HOST[:PORT]/]PATH[:TAG][@DIGEST]: parts of the path have lower-case letters and digits, with single dots, underscores or dashes between them; write it as in HOST/PROJECT/REPOSITORY/NAME:TAG",
    ],
    [
      'field report 82: an image with a placeholder left over',
      { ...RUN, image: '${IMAGE_URI}' },
      "image: '${IMAGE_URI}': an image is a reference [HOST[:PORT]/]PATH[:TAG][@DIGEST]: parts of the path have lower-case letters and digits, with single dots, underscores or dashes between them; write it as in HOST/PROJECT/REPOSITORY/NAME:TAG",
    ],
    [
      'an image in capitals',
      { ...RUN, image: 'ghcr.io/FOO/bar:1' },
      "image: 'ghcr.io/FOO/bar:1': an image is a reference [HOST[:PORT]/]PATH[:TAG][@DIGEST]: parts of the path have lower-case letters and digits, with single dots, underscores or dashes between them; write ghcr.io/foo/bar",
    ],
    [
      'an image with half a digest',
      { ...RUN, image: 'foo@sha256:abc' },
      "image: 'foo@sha256:abc': a digest is sha256: and 64 hexadecimal digits in lower case; write it as the registry shows it, or use a tag",
    ],
    [
      'field report 11: an image with a password',
      { ...RUN, image: 'https://user:secret@host/image' },
      'image: (not shown): an image reference must not carry credentials; give the nodes read access to the repository instead',
    ],
    [
      'a Ray version that is not in full',
      { ...RUN, ray: { version: '2.60' } },
      "ray.version: '2.60': a Ray version is written in full, as in 2.60.0; write the version that `ray --version` prints in the image",
    ],
    [
      'field report 59: a Ray image of another version',
      { ...RUN, image: 'docker.io/rayproject/ray:2.52.0-py312-tpu' },
      "ray.version: '2.60.0': the image's tag says Ray 2.52.0, and head, workers and rayVersion must agree; write version: 2.52.0, or use another image",
    ],
    [
      'field report 50: the autoscaler on an old Ray',
      { ...RUN, ray: { version: '2.40.0', autoscaler: true } },
      "ray.version: '2.40.0': Ray Train V2 without a switch needs Ray 2.51.0 (up to 2.50 it is off by default, and JaxTrainer is a part of it), the trainer kind maxtext needs Ray 2.49.0 (an older Ray has no JaxTrainer), Ray's autoscaler on multi-host slices needs Ray 2.43.0 (an older one counts pods, not slices); use an image with Ray 2.51.0 or newer and write its version here",
    ],
    [
      'field report 28: several slices on an old Ray',
      { ...TWO_SLICES, ray: { version: '2.55.1' } },
      "ray.version: '2.55.1': a run of several slices needs Ray 2.56.0 (an older Ray keeps stale MEGASCALE_* variables of pods); use an image with Ray 2.56.0 or newer and write its version here",
    ],
    [
      'token authentication and recreation on KubeRay 1.5',
      { ...RUN, ray: { authTokenSecret: 'ray', recreateOnChange: true } },
      "ray.authTokenSecret: 'ray': KubeRay knows the field from 1.6.0 on, and platform.yaml says 1.5.0; remove it, or raise kubeRayVersion if the operator is that new",
      'ray.recreateOnChange: true: KubeRay knows the field from 1.6.0 on, and platform.yaml says 1.5.0; remove it, or raise kubeRayVersion if the operator is that new',
    ],
    [
      'Secret names and keys that are none',
      { ...RUN, env: { A: { secretName: 'My Secret', key: 'a\tb' } } },
      "env.A.secretName: 'My Secret': a name here consists of lower-case letters, digits, - and ., each part neither empty nor beginning nor ending with -; write the name of a Secret of the namespace",
      'env.A.key: "a\\tb": a Secret\'s key has letters, digits, dashes, underscores and dots, at most 253; write the key as the Secret has it',
    ],
    [
      'field report 11: a token in an argument',
      { ...RUN, trainer: { ...RUN.trainer, arguments: ['hf_access_token=anything', 'dtype=bfloat16'] } },
      'trainer.arguments[0]: (not shown): what looks like a credential must not stand in a command line, which the dashboard and logs show; put it into a Secret and reference that in env',
    ],
    [
      'a range of slices upside down',
      { ...TWO_SLICES, tpu: { ...RUN.tpu, slices: { min: 3, max: 2 } } },
      "tpu.slices: '3 to 2': min is at most max; swap them",
    ],
    [
      'a shape that Ray Train refuses',
      {
        ...RUN,
        tpu: { generation: 'v4', topology: '16x4x4' },
        trainer: { ...RUN.trainer, mesh: { ici: { fsdp: 256 } } },
      },
      "tpu.topology: '16x4x4': GKE offers 16x4x4 for v4, but Ray's table of v4 topologies ends at 12x12x16 side by side; use a topology that both know",
    ],
    [
      'flags beside the run of several slices',
      { ...TWO_SLICES, env: { LIBTPU_INIT_ARGS: '--a=1' } },
      "env.LIBTPU_INIT_ARGS: '--a=1': a run of several slices has flags of its own in LIBTPU_INIT_ARGS; add yours to network.libtpuInitArgs",
    ],
    [
      'field report 29: TorchTPU on two slices',
      { ...TORCH, tpu: { ...TORCH.tpu, slices: 2 } },
      "trainer.kind: 'TorchTPU on 2 slices': TorchTPU runs are of one slice: Ray's TorchTrainer coordinates several only from 2.60.0 on (the run says 2.60.0), and this trainer shards the model over the devices of one; set tpu.slices: 1 with a larger topology, or use the trainer kind maxtext",
    ],
  ])('fails for %s', (_, spec, ...lines) => {
    expect(runProblems(spec)).toEqual(lines);
  });

  test('D7: fails for queued capacity, which no run can queue for', () => {
    expect(runProblems({ ...RUN, tpu: { ...RUN.tpu, capacity: { kind: 'queued' } } })).toEqual([
      "tpu.capacity.kind: 'queued': queued nodes come only when a queue asks for them by a ProvisioningRequest, and a run cannot name a queue; write kind: flex-start, whose nodes come when the pods ask, or kind: spot, reservation or on-demand",
    ]);
  });

  test('fails for a cluster older than its TPU generation', () => {
    const platform = { ...PLATFORM, cluster: { ...PLATFORM.cluster, version: '1.31.2-gke.1114999' } };
    expect(runProblems(RUN, platform)).toEqual([
      "platform.cluster.version: '1.31.2-gke.1114999': v6e on standard needs GKE 1.31.2-gke.1115000; raise the version in platform.yaml",
    ]);
    const autopilot = { ...AUTOPILOT, cluster: { ...AUTOPILOT.cluster, version: '1.34.0-gke.2201000' } };
    expect(runProblems(TORCH, autopilot)).toEqual([
      "platform.cluster.version: '1.34.0-gke.2201000': tpu7x on autopilot needs GKE 1.34.1-gke.3084001; raise the version in platform.yaml",
    ]);
  });
});

describe('warnings', () => {
  test('v4 figures are not checked against a published page', () => {
    expect(trainingRun({ ...RUN, tpu: { generation: 'v4', topology: '2x2x4' } }).warnings).toContainEqual({
      path: ['tpu', 'generation'],
      message: 'figures of v4 could not be checked against a published page',
    });
  });

  test('field report 4: a start deadline that is over before nodes are up', () => {
    expect(trainingRun({ ...RUN, submitter: { startDeadline: '60s' } }).warnings).toEqual([
      {
        path: ['submitter', 'startDeadline'],
        message: 'a start deadline of 60 s is over before images are pulled and nodes are up: at least 300 s',
      },
    ]);
  });

  test('spot nodes of tpu7x need an allow list', () => {
    const run = trainingRun({ ...TORCH, tpu: { ...TORCH.tpu, capacity: { kind: 'spot' } } });
    expect(run.warnings).toEqual([
      {
        path: ['tpu', 'capacity'],
        message:
          'spot nodes of tpu7x are given only to projects on an allow list: ask before you plan on them',
      },
    ]);
  });
});

describe('options of a MaxText trainer that the trainer itself reads', () => {
  const flags = (spec: Partial<MaxTextTrainerSpec>, slices?: { min: number; max: number }): string[] => {
    const { command } = trainingRun({
      ...RUN,
      tpu: { ...RUN.tpu, ...(slices === undefined ? {} : { slices }) },
      trainer: { ...RUN.trainer, ...spec },
    }).trainer;
    return command.slice(command.indexOf('--step-timeout') + 2, command.indexOf('--'));
  };

  test('are left to its defaults unless given', () => {
    expect(flags({})).toEqual([]);
  });

  test('a profile, a checkpoint before preemption, times of an elastic run', () => {
    expect(flags({ profile: { skip: 10, steps: 5 }, checkpointing: { onPreemption: true } })).toEqual([
      '--profile-steps',
      '10:5',
      '--checkpoint-on-preemption',
    ]);
    expect(flags({ groupStartTimeout: '3m', resizeInterval: '30s' }, { min: 1, max: 2 })).toEqual([
      '--group-start-timeout',
      '180',
      '--resize-interval',
      '30',
    ]);
  });

  test('MaxText arguments that they stand for are theirs', () => {
    const given = ['profiler=xplane', 'enable_autocheckpoint=true'];
    expect(runProblems({ ...RUN, trainer: { ...RUN.trainer, arguments: given } })).toEqual([
      expect.stringContaining('profiler follows from profile'),
      expect.stringContaining('enable_autocheckpoint follows from checkpointing.onPreemption'),
    ]);
  });
});

describe('paths beneath a read-only mount', () => {
  const readOnly = { kind: 'gcs-fuse', bucket: 'weights', mountPath: '/weights', readOnly: true } as const;

  test('are inputs', () => {
    const run = trainingRun({
      ...RUN,
      volumes: [...RUN.volumes, readOnly],
      trainer: { ...RUN.trainer, loadParametersPath: '/weights/llama' },
    });
    expect(maxTextOf(run.trainer).arguments).toContain('load_parameters_path=/weights/llama');
    const finetune = { kind: 'torchtpu-finetune', storagePath: '/data', model: '/weights/gemma' } as const;
    expect(runProblems({ ...TORCH, volumes: [...RUN.volumes, readOnly], trainer: finetune })).toEqual([]);
  });

  test('are no place to write to', () => {
    expect(
      runProblems({
        ...RUN,
        volumes: [readOnly],
        trainer: { ...RUN.trainer, baseOutputDirectory: '/weights/out' },
      }),
    ).toEqual([
      "trainer.baseOutputDirectory: '/weights/out': head and workers must all write to it: gs://BUCKET/… or a path beneath a mounted bucket or claim, and the run mounts /weights (read-only); write gs://…, or add a gcs-fuse volume",
    ]);
  });
});
