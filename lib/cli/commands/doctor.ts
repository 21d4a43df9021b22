import { resolve } from 'node:path';
import {
  DEVICE_CLASS,
  TOOLS,
  doctorExitCode,
  examineAccess,
  examineCluster,
  examineMachine,
  examineNodePools,
  examineRun,
  findingsText,
  flagsOf,
  jsonOf,
  tpuWebhookOf,
  unasked,
} from '../../doctor';
import type { AccessObservations, ClusterObservations, Finding, Observation, Tool } from '../../doctor';
import { at, list } from '../../review';
import type { ReviewedProject } from '../../review';
import { ANSWER_SECONDS, ask } from '../ask-command';
import { describeProblems, reviewSynthesized } from '../../project';
import { json } from '../command';
import type { CliCommand } from '../command';
import type { Terminal } from '../terminal';

export const doctorCommand: CliCommand = {
  name: 'doctor',
  summary: 'tell what this machine and the cluster lack',
  details: `Looks at this machine and, where kubectl has a cluster, at that: what DIR/platform.yaml and DIR/runs/*.yaml need, and
how far its runs are. Changes nothing and reads no Secret's value.`,
  declare: (command) =>
    command
      .argument('[DIR]', 'directory of the project', '.')
      .option('--json', 'findings and problems for programs'),
  run: (given, terminal) => {
    const directory = resolve(terminal.workingDirectory, given.args[0] ?? '.');
    const { project, problems } = reviewSynthesized(directory, terminal.environment);
    const findings: Finding[] = [
      ...(project === undefined
        ? [
            {
              area: 'machine' as const,
              subject: 'project',
              verdict: 'missing' as const,
              detail: describeProblems(problems),
              remedy: 'npm run synth names every problem with its place',
            },
          ]
        : []),
      ...new Doctor(terminal.environment).examine(project),
    ];
    terminal.output(
      given.opts<{ json?: boolean }>().json === true
        ? json({ schemaVersion: 1, problems, findings })
        : `${findingsText(findings)}\n`,
    );
    return doctorExitCode(findings);
  },
};

/** Asks kubectl and gcloud; what the answers mean is the business of lib/doctor. */
class Doctor {
  public constructor(private readonly environment: Terminal['environment']) {}

  public examine(project: ReviewedProject | undefined): Finding[] {
    const tools = Object.fromEntries(TOOLS.map((tool) => [tool, this.askVersion(tool)])) as Record<
      Tool,
      Observation
    >;
    const infrastructure = project?.plan.infrastructure;
    const needsHelp =
      infrastructure !== undefined && flagsOf(infrastructure).length > 0 && tools.gcloud.isThere;
    const machine = examineMachine(
      {
        nodeVersion: process.version,
        tools,
        gcloudHelp: needsHelp
          ? this.gcloud(['container', 'node-pools', 'create', '--help'])
          : unasked('no flag is in question'),
      },
      infrastructure,
    );
    if (project === undefined || !tools.kubectl.isThere) return machine;
    return [...machine, ...this.examineCluster(project, tools.gcloud.isThere)];
  }

  private askVersion(tool: Tool): Observation {
    if (tool === 'kubectl') return this.ask('kubectl', ['version', '--client']);
    return this.ask(tool, ['--version']);
  }

  private examineCluster(project: ReviewedProject, hasGcloud: boolean): Finding[] {
    const { plan, objects } = project;
    const seen = this.observeCluster(project);
    const cluster = examineCluster(seen, plan, objects);
    if (!seen.version.isThere) return cluster;
    const { namespace } = plan.platform;
    return [
      ...cluster,
      ...examineNodePools(this.get(['nodes']), plan),
      ...examineAccess(this.observeAccess(project, hasGcloud), plan),
      ...plan.runs.flatMap((run) =>
        examineRun(run, {
          rayCluster: this.get(['rayclusters.ray.io', run.rayCluster], namespace),
          pods: this.get(['pods', `--selector=ray.io/cluster=${run.rayCluster}`], namespace),
          job: this.get(['jobs', run.job], namespace),
        }),
      ),
    ];
  }

  private observeCluster({ plan, objects }: ReviewedProject): ClusterObservations {
    const context = this.kubectl(['config', 'current-context']);
    const nothing = unasked('no kubeconfig');
    const version = context.isThere ? this.kubectl(['version', '--output=json']) : nothing;
    const isReached = version.isThere;
    const when = (question: () => Observation): Observation => (isReached ? question() : nothing);
    const webhooks = when(() => this.get(['mutatingwebhookconfigurations']));
    const versions = [...new Set(objects.map(({ apiVersion }) => apiVersion))];
    return {
      context,
      version,
      resources: new Map(
        versions.map((apiVersion) => [
          apiVersion,
          when(() => this.kubectl(['get', '--raw', apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`])),
        ]),
      ),
      rayClusterCrd: when(() => this.get(['customresourcedefinitions', 'rayclusters.ray.io'])),
      operators: when(() =>
        this.get(['deployments', '--all-namespaces', '--selector=app.kubernetes.io/name=kuberay-operator']),
      ),
      webhooks,
      webhookDeployment: when(() => this.observeWebhookDeployment(webhooks)),
      deviceClass: plan.runs.some(({ network }) => network === 'dranet')
        ? when(() => this.kubectl(['get', 'deviceclasses', DEVICE_CLASS, '--output=name']))
        : nothing,
    };
  }

  /** The deployment whose name is that of the service behind the webhook. */
  private observeWebhookDeployment(webhooks: Observation): Observation {
    const [webhook] = list(at(tpuWebhookOf(jsonOf(webhooks)), 'webhooks'));
    const name = at(webhook, 'clientConfig', 'service', 'name');
    const namespace = at(webhook, 'clientConfig', 'service', 'namespace');
    return typeof name === 'string' && typeof namespace === 'string'
      ? this.get(['deployments', name], namespace)
      : unasked('no service of the cluster is behind it');
  }

  private observeAccess({ plan }: ReviewedProject, hasGcloud: boolean): AccessObservations {
    const { infrastructure } = plan;
    const { namespace, serviceAccount, secrets, bucketRoles, project } = infrastructure;
    const name = (kind: string, object: string, within?: string): Observation =>
      this.kubectl([
        'get',
        kind,
        object,
        '--output=name',
        ...(within === undefined ? [] : [`--namespace=${within}`]),
      ]);
    const noGcloud = unasked('gcloud is not on PATH');
    const buckets = [...new Set(bucketRoles.map(({ bucket }) => bucket))];
    return {
      namespace: name('namespaces', namespace.name),
      serviceAccount: name('serviceaccounts', serviceAccount.name, serviceAccount.namespace),
      secrets: new Map(
        secrets.map((secret) => [secret.name, name('secrets', secret.name, secret.namespace)]),
      ),
      bucketPolicies: new Map(
        buckets.map((bucket) => [
          bucket,
          hasGcloud
            ? this.gcloud(['storage', 'buckets', 'get-iam-policy', `gs://${bucket}`, '--format=json'])
            : noGcloud,
        ]),
      ),
      projectNumber: hasGcloud
        ? this.gcloud(['projects', 'describe', project.id, '--format=value(projectNumber)'])
        : noGcloud,
    };
  }

  private get(what: readonly string[], namespace?: string): Observation {
    return this.kubectl([
      'get',
      ...what,
      '--output=json',
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    ]);
  }

  private kubectl(args: readonly string[]): Observation {
    return this.ask('kubectl', [`--request-timeout=${String(ANSWER_SECONDS)}s`, ...args]);
  }

  private gcloud(args: readonly string[]): Observation {
    return this.ask('gcloud', args);
  }

  private ask(command: string, args: readonly string[]): Observation {
    return ask(command, args, this.environment);
  }
}
