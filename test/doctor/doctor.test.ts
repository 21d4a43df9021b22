import type { Finding } from '../../lib/doctor';
import { newestRelease } from '../../lib/doctor';
import { KUBERAY_VERSIONS } from '../../lib/kuberay/versions';
import { reviewSynthesized } from '../../lib/project/reviewed-project';
import type { ReviewedProject } from '../../lib/review';
import { PLATFORM_YAML, RUN_YAML, edited } from '../support/config-project';
import { FakeCommands } from '../support/fake-commands';
import { runSync } from '../support/run-command';
import { TemporaryProject } from '../support/temporary-project';
import { answerHealthily, crdOf, nodesOf, podsOf } from './healthy-cluster';

const TOOLS = ['git', 'gcloud', 'kubectl', 'gke-gcloud-auth-plugin'];

/** A run of two slices with cards, a Secret and a bucket: everything the doctor can ask for. */
const RUN = edited(
  RUN_YAML,
  ['4x4\n', '4x4\n  slices: 2\n'],
  ['fsdp: 16', 'fsdp: 16\n    dcn:\n      data: 2'],
  ['image:', 'env:\n  HF_TOKEN:\n    secretName: hf\n    key: token\nimage:'],
);

interface Bed {
  readonly commands: FakeCommands;
  readonly project: ReviewedProject;
  /** Runs the command with options. */
  readonly run: (...options: readonly string[]) => { code: number; text: string; words: string };
  /** Its findings and exit code. */
  readonly examine: () => { code: number; findings: Finding[] };
}

function bed(tools: readonly string[] = TOOLS, run = RUN): Bed {
  const directory = new TemporaryProject({ 'platform.yaml': PLATFORM_YAML, 'runs/train.yaml': run })
    .directory;
  const { project } = reviewSynthesized(directory, {});
  const commands = new FakeCommands(tools);
  if (project !== undefined) answerHealthily(commands, project);
  const doctor: Bed['run'] = (...options) => {
    commands.write();
    let [text, words] = ['', ''];
    const code = runSync(['doctor', directory, ...options], {
      environment: { PATH: commands.path },
      workingDirectory: '/',
      print: (part) => (words += part),
      output: (part) => (text += part),
    });
    return { code, text, words };
  };
  return {
    commands,
    project: project!,
    run: doctor,
    examine: () => {
      const { code, text } = doctor('--json');
      return { code, ...(JSON.parse(text) as { findings: Finding[] }) };
    },
  };
}

function notOk(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ subject, verdict, detail }) => `${verdict}: ${subject}: ${detail}`);
}

test('where everything is there, every line is ok and the exit code 0', () => {
  const { examine, run, commands } = bed();
  const { code, findings } = examine();
  expect(notOk(findings)).toEqual([]);
  expect(code).toBe(0);
  const { text } = run();
  expect(text).toMatch(/^machine\n {2}ok {11}node/);
  expect(text).toMatch(/\n\d+ ok, 0 missing, 0 cannot tell\n$/);
  expect(new Set(findings.map(({ area }) => area))).toEqual(new Set(['machine', 'cluster', 'access', 'run']));
  // A second look at what was asked: nothing but reading.
  const asked = commands.calls().map((line) => line.split(' ').slice(0, 2).join(' '));
  const others = asked.filter(
    (verb) =>
      ![
        'kubectl get',
        'kubectl version',
        'kubectl config',
        'git --version',
        'gcloud --version',
        'gcloud container',
        'gcloud projects',
        'gcloud storage',
        'gke-gcloud-auth-plugin --version',
      ].includes(verb),
  );
  expect(others).toEqual([]);
  expect(
    commands
      .calls()
      .filter((line) => /gcloud (container|storage|projects)/.test(line))
      .every((line) => /--help|get-iam-policy|describe/.test(line)),
  ).toBe(true);
});

test('a Secret is asked for by name only, and no value of an environment is printed', () => {
  const { run, commands } = bed();
  const { text } = run();
  expect(commands.calls().filter((line) => line.includes('secrets'))).toEqual([
    'kubectl get secrets hf --output=name --namespace=default',
  ]);
  expect(text).not.toContain('never-to-be-seen');
});

test.each([
  ['WANDB_API_KEY', 'HF_TOKEN', 'scripts/gcloud/hf-secret.sh < token-file; it names the command for one'],
  [
    'WANDB_API_KEY',
    'COMET_API_KEY',
    'kubectl create secret generic hf --namespace=default --from-file=one=FILE --from-file=other=FILE',
  ],
])('a Secret with the keys of %s and %s is missing once', (one, other, remedy) => {
  const variable = (name: string, key: string): string => `  ${name}:\n    secretName: hf\n    key: ${key}\n`;
  const { commands, examine } = bed(
    TOOLS,
    edited(RUN_YAML, ['image:', `env:\n${variable(one, 'one')}${variable(other, 'other')}image:`]),
  );
  commands.forget('kubectl get secrets hf --output=name --namespace=default');
  const missing = examine().findings.filter(({ verdict }) => verdict === 'missing');
  expect(missing.map(({ subject }) => subject)).toEqual(['Secret hf']);
  expect(missing[0]?.remedy).toBe(remedy);
});

describe('what is missing', () => {
  const job = (project: ReviewedProject) => project.plan.runs[0]!.job;
  const within = '--output=json --namespace=default';
  test.each<[string, (bed: Bed) => void, RegExp, string]>([
    [
      'an API that the server does not serve',
      ({ commands }) => {
        commands.forget('kubectl get --raw /apis/ray.io/v1');
      },
      /^missing: API ray\.io\/v1: the API server does not serve it$/,
      'scripts/gcloud/cluster.sh',
    ],
    [
      'a kind that an API lacks',
      ({ commands }) => {
        commands.answer('kubectl get --raw /apis/resource.k8s.io/v1', {
          resources: [{ kind: 'ResourceClaim' }],
        });
      },
      /^missing: API resource\.k8s\.io\/v1: it has no ResourceClaimTemplate$/,
      'newer GKE version',
    ],
    [
      'an older control plane',
      ({ commands }) => {
        commands.answer('kubectl version --output=json', {
          clientVersion: { gitVersion: 'v1.34.0' },
          serverVersion: { gitVersion: 'v1.33.1-gke.1' },
        });
      },
      /^missing: API server: v1\.33\.1-gke\.1, and platform\.yaml says 1\.35/,
      'cluster.version',
    ],
    [
      'a kubectl too far away',
      ({ commands }) => {
        commands.answer('kubectl version --output=json', {
          clientVersion: { gitVersion: 'v1.32.0' },
          serverVersion: { gitVersion: 'v1.35.2-gke.1842000' },
        });
      },
      /^missing: kubectl version: v1\.32\.0, more than one minor version/,
      'use kubectl 1.35',
    ],
    [
      'the CRD',
      ({ commands }) => {
        commands.forget('kubectl get customresourcedefinitions rayclusters.ray.io --output=json');
      },
      /^missing: RayCluster CRD: not there$/,
      'add-on',
    ],
    [
      'fields of the CRD',
      ({ commands }) => {
        commands.answer(
          'kubectl get customresourcedefinitions rayclusters.ray.io --output=json',
          crdOf('1.4.0'),
        );
      },
      /^missing: RayCluster CRD: its fields are those of KubeRay 1\.4\.0.*platform\.yaml says 1\.5\.0/,
      'kubeRayVersion: 1.4.0',
    ],
    [
      'the TPU webhook',
      ({ commands }) => {
        commands.answer('kubectl get mutatingwebhookconfigurations --output=json', { items: [] });
      },
      /^missing: TPU webhook: /,
      'kuberay-tpu-webhook',
    ],
    [
      'the DeviceClass',
      ({ commands }) => {
        commands.forget('kubectl get deviceclasses netdev.google.com --output=name');
      },
      /^missing: DeviceClass netdev\.google\.com: not there$/,
      'Dataplane V2',
    ],
    [
      'a node of a pool',
      ({ commands, project }) => {
        commands.answer('kubectl get nodes --output=json', { items: nodesOf(project.plan).slice(0, -1) });
      },
      /^missing: node pool v6e-4x4-dra-1: 3 of 4 nodes ready$/,
      'node-pools.sh',
    ],
    [
      'the right shape of a pool',
      ({ commands, project }) => {
        const items = nodesOf(project.plan);
        items.at(-1)!.metadata.labels['cloud.google.com/gke-tpu-topology'] = '2x4';
        commands.answer('kubectl get nodes --output=json', { items });
      },
      /^missing: node pool v6e-4x4-dra-1: its nodes have cloud\.google\.com\/gke-tpu-topology=2x4 where workers ask for 4x4$/,
      'make it anew',
    ],
    [
      'a node that is ready',
      ({ commands, project }) => {
        const items = nodesOf(project.plan);
        items.at(-1)!.status = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
        commands.answer('kubectl get nodes --output=json', { items });
      },
      /^missing: node pool v6e-4x4-dra-1: 3 of 4 nodes ready, 1 not ready$/,
      'kubectl describe node',
    ],
    [
      'a Secret',
      ({ commands }) => {
        commands.forget('kubectl get secrets hf --output=name --namespace=default');
      },
      /^missing: Secret hf: not there$/,
      'scripts/gcloud/hf-secret.sh < token-file',
    ],
    [
      'the service account',
      ({ commands }) => {
        commands.forget('kubectl get serviceaccounts tpu-trainer --output=name --namespace=default');
      },
      /^missing: service account tpu-trainer: not there$/,
      'kubectl apply',
    ],
    [
      'the binding, when another namespace has it',
      ({ commands }) => {
        commands.answer('gcloud storage buckets get-iam-policy gs://my-bucket --format=json', {
          bindings: [
            {
              role: 'roles/storage.objectUser',
              members: [
                'principal://iam.googleapis.com/projects/1234/locations/global/workloadIdentityPools/my-project.svc.id.goog/subject/ns/other/sa/tpu-trainer',
              ],
            },
          ],
        });
      },
      /^missing: roles\/storage\.objectUser on my-bucket: not bound to default\/tpu-trainer$/,
      'identity.sh',
    ],
    [
      'hosts that cannot be placed',
      ({ commands, project }) => {
        const items = podsOf(project.plan.runs[0]!);
        items.at(-1)!.status = {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', message: '0/9 nodes are available' }],
        };
        commands.answer(`kubectl get pods --selector=ray.io/cluster=train ${within}`, { items });
      },
      /^missing: pods of train: 8 of 9 ready; worker-7: 0\/9 nodes are available$/,
      'kubectl describe pod',
    ],
    [
      'an image that cannot be pulled',
      ({ commands, project }) => {
        const items = podsOf(project.plan.runs[0]!);
        items[0]!.status = {
          phase: 'Pending',
          conditions: [],
          containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: 'denied' } } }],
        };
        commands.answer(`kubectl get pods --selector=ray.io/cluster=train ${within}`, { items });
      },
      /^missing: pods of train: 8 of 9 ready; head: ErrImagePull: denied$/,
      'Pods do not start',
    ],
    [
      'the environment of a worker',
      ({ commands, project }) => {
        const items = podsOf(project.plan.runs[0]!);
        items.at(-1)!.spec.containers[0]!.env.shift();
        commands.answer(`kubectl get pods --selector=ray.io/cluster=train ${within}`, { items });
      },
      /^missing: TPU environment of train: not all of 8 workers have TPU_WORKER_ID$/,
      'delete the workers',
    ],
    [
      'a worker id of its own',
      ({ commands, project }) => {
        const items = podsOf(project.plan.runs[0]!);
        items.at(-1)!.spec.containers[0]!.env[0]!.value = '0';
        commands.answer(`kubectl get pods --selector=ray.io/cluster=train ${within}`, { items });
      },
      /^missing: TPU environment of train: worker id 0 of slice tpu-group-1 is carried twice$/,
      'apply again',
    ],
    [
      'the operator’s consent',
      ({ commands }) => {
        commands.answer(`kubectl get rayclusters.ray.io train ${within}`, {
          status: {
            state: 'failed',
            reason: 'spec is invalid',
            conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'quota' }],
          },
        });
      },
      /^missing: RayCluster train: failed; ReplicaFailure: quota; spec is invalid$/,
      'kubectl describe raycluster train',
    ],
    [
      'success of the submitter',
      ({ commands, project }) => {
        commands.answer(`kubectl get jobs ${job(project)} ${within}`, {
          status: { conditions: [{ type: 'Failed', status: 'True', message: 'exit code 10' }] },
        });
      },
      /^missing: Job train-[0-9a-f]{8}-[0-9a-f]{8}: failed: exit code 10$/,
      'kubectl logs',
    ],
    [
      'a flag of gcloud',
      ({ commands }) => {
        commands.answer(
          'gcloud container node-pools create --help',
          '--tpu-topology-x --threads-per-core=N --additional-node-network=x',
        );
      },
      /^missing: gcloud flags: the installed gcloud does not know --tpu-topology$/,
      'update gcloud',
    ],
    [
      'a new gcloud',
      ({ commands }) => {
        commands.answer('gcloud --version', 'Google Cloud SDK 480.0.0\n');
      },
      /^missing: gcloud version: 480$/,
      '528',
    ],
  ])('%s', (_what, breakIt, expected, remedy) => {
    const own = bed();
    breakIt(own);
    const { code, findings } = own.examine();
    expect(notOk(findings)).toEqual([expect.stringMatching(expected)]);
    expect(findings.find(({ verdict }) => verdict === 'missing')!.remedy).toContain(remedy);
    expect(code).toBe(1);
  });

  test('a tool', () => {
    const { code, findings } = bed(['git', 'gcloud', 'kubectl']).examine();
    expect(notOk(findings)).toEqual(['missing: gke-gcloud-auth-plugin: not on PATH']);
    expect(code).toBe(1);
  });

  test('kubectl: the cluster is not looked at', () => {
    const { findings } = bed(['git', 'gcloud', 'gke-gcloud-auth-plugin']).examine();
    expect(notOk(findings)).toEqual(['missing: kubectl: not on PATH']);
    expect(new Set(findings.map(({ area }) => area))).toEqual(new Set(['machine']));
  });

  test('a project without Problems', () => {
    const own = bed(TOOLS, edited(RUN, ['4x4', '4x5']));
    const { code, findings } = own.examine();
    expect(code).toBe(1);
    expect(findings[0]).toMatchObject({ subject: 'project', verdict: 'missing' });
    expect(findings[0]!.detail).toContain('4x5');
  });
});

describe('what cannot be told', () => {
  test.each<[string, (bed: Bed) => void, RegExp]>([
    [
      'no kubeconfig',
      ({ commands }) => {
        commands.fail('kubectl config current-context', 'error: current-context is not set');
      },
      /^unknown: kubeconfig: kubectl: error: current-context is not set$/,
    ],
    [
      'a cluster that does not answer',
      ({ commands }) => {
        commands.fail('kubectl version --output=json', 'Unable to connect to the server: i/o timeout');
      },
      /^unknown: API server: kubectl: Unable to connect/,
    ],
    [
      'a right that is lacking',
      ({ commands }) => {
        commands.fail('kubectl get nodes --output=json', 'Error from server (Forbidden): nodes is forbidden');
      },
      /^unknown: node pools: kubectl: Error from server \(Forbidden\)/,
    ],
    [
      'gcloud without a login',
      ({ commands }) => {
        commands.fail(
          'gcloud storage buckets get-iam-policy gs://my-bucket --format=json',
          'ERROR: You do not currently have an active account selected',
        );
      },
      /^unknown: roles\/storage\.objectUser on my-bucket: gcloud: ERROR/,
    ],
    [
      'a run before it is applied',
      ({ commands }) => {
        commands.forget('kubectl get rayclusters.ray.io train --output=json --namespace=default');
      },
      /^unknown: RayCluster train: not applied yet$/,
    ],
    [
      'a webhook outside of the cluster',
      ({ commands }) => {
        commands.answer('kubectl get mutatingwebhookconfigurations --output=json', {
          items: [
            {
              metadata: { name: 'tpu-webhook' },
              webhooks: [
                { name: 'a', rules: [{ resources: ['pods'] }], clientConfig: { url: 'https://example.com' } },
              ],
            },
          ],
        });
      },
      /^unknown: TPU webhook: tpu-webhook is there; its version/,
    ],
  ])('%s', (_what, breakIt, expected) => {
    const own = bed();
    breakIt(own);
    const { code, findings } = own.examine();
    expect(notOk(findings)).toEqual([expect.stringMatching(expected)]);
    expect(code).toBe(3);
  });
});

test('wrong usage ends with 2, help with 0', () => {
  const { run } = bed();
  expect(run('--fix')).toMatchObject({
    code: 2,
    words: expect.stringContaining("unknown option '--fix'") as string,
  });
  expect(run('another')).toMatchObject({ code: 2 });
  expect(run('--help')).toMatchObject({ code: 0, text: expect.stringMatching(/^Usage: /) as string });
});

test.each(KUBERAY_VERSIONS)('the CRD of KubeRay %s is known by its fields', (version) => {
  expect(newestRelease(crdOf(version).spec.versions[0].schema.openAPIV3Schema)).toBe(version);
});
