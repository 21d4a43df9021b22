import type { InfrastructurePlan } from '../infrastructure';
import { Examination } from './finding';
import type { Finding, Observation } from './finding';

/** What was seen of the machine. */
export interface MachineObservations {
  readonly nodeVersion: string;
  /** Answers of `TOOL --version`, or of what comes nearest, by tool. */
  readonly tools: Readonly<Record<Tool, Observation>>;
  /** Help of `gcloud container node-pools create` and `clusters create`. */
  readonly gcloudHelp: Observation;
}

/** Tools that a user needs between synth and the end of a run. */
export const TOOLS = ['git', 'gcloud', 'kubectl', 'gke-gcloud-auth-plugin'] as const;

export type Tool = (typeof TOOLS)[number];

/** package.json asks for it. */
const LEAST_NODE = 20;

/** The oldest gcloud with every flag that the scripts may need but one. */
const LEAST_GCLOUD = 528;

/** General availability of the flag was announced on 2026-04-20; the Google Cloud CLI of that week was 566. */
const AUTO_PROFILE_FLAG = '--accelerator-network-profile';

const REMEDIES: Readonly<Record<Tool, string>> = {
  git: 'install git; npm run plan -- --against needs it',
  gcloud: 'install the Google Cloud CLI; the scripts need it',
  kubectl: 'gcloud components install kubectl, or your package manager',
  'gke-gcloud-auth-plugin':
    'gcloud components install gke-gcloud-auth-plugin; kubectl needs it to log in to GKE',
};

/** Tools and their versions, and the flags of gcloud that the plan needs. */
export function examineMachine(
  { nodeVersion, tools, gcloudHelp }: MachineObservations,
  infrastructure: InfrastructurePlan | undefined,
): Finding[] {
  const machine = new Examination('machine');
  const node = Number(/^v?(\d+)/.exec(nodeVersion)?.[1] ?? 0);
  if (node >= LEAST_NODE) machine.ok('node', nodeVersion);
  else machine.missing('node', nodeVersion, `install Node ${String(LEAST_NODE)} or newer`);
  for (const tool of TOOLS) {
    const answer = tools[tool];
    if (answer.isThere) machine.ok(tool, firstLine(answer.output));
    else if (answer.isNotFound) machine.missing(tool, 'not on PATH', REMEDIES[tool]);
    else machine.cannotTell(tool, answer.reason, REMEDIES[tool]);
  }
  if (tools.gcloud.isThere) {
    examineGcloudVersion(machine, tools.gcloud.output);
    if (infrastructure !== undefined) examineFlags(machine, gcloudHelp, infrastructure);
  }
  return machine.findings;
}

function examineGcloudVersion(machine: Examination, output: string): void {
  const version = Number(/Google Cloud SDK (\d+)/.exec(output)?.[1] ?? NaN);
  if (Number.isNaN(version)) {
    machine.cannotTell('gcloud version', 'it does not say', 'gcloud version');
  } else if (version >= LEAST_GCLOUD) {
    machine.ok('gcloud version', String(version));
  } else {
    machine.missing(
      'gcloud version',
      String(version),
      `update gcloud to ${String(LEAST_GCLOUD)} or newer: gcloud components update, or your package manager`,
    );
  }
}

function examineFlags(machine: Examination, help: Observation, infrastructure: InfrastructurePlan): void {
  const flags = flagsOf(infrastructure);
  if (flags.length === 0) return;
  if (!help.isThere) {
    machine.cannotTell('gcloud flags', help.reason, 'scripts/gcloud/preflight.sh asks gcloud itself');
    return;
  }
  const unknown = flags.filter(
    (flag) => !new RegExp(`(^|[\\s[,|])--(\\[no-\\])?${flag.slice(2)}([\\s=\\],]|$)`, 'm').test(help.output),
  );
  if (unknown.length === 0) {
    machine.ok('gcloud flags', flags.join(', '));
    return;
  }
  const remedy = unknown.includes(AUTO_PROFILE_FLAG)
    ? 'update gcloud to 567 or newer, or set network.profile: explicit in platform.yaml'
    : 'update gcloud: gcloud components update, or your package manager';
  machine.missing('gcloud flags', `the installed gcloud does not know ${unknown.join(', ')}`, remedy);
}

/** Flags of `node-pools create` that not every gcloud has and this plan needs. */
export function flagsOf({ nodePools }: InfrastructurePlan): string[] {
  const needs: readonly (readonly [string, (pool: InfrastructurePlan['nodePools'][number]) => boolean])[] = [
    ['--tpu-topology', ({ passTopology }) => passTopology],
    ['--placement-policy', ({ placementPolicy }) => placementPolicy !== undefined],
    ['--additional-node-network', ({ additionalNetworks }) => additionalNetworks.length > 0],
    [AUTO_PROFILE_FLAG, ({ networkProfile }) => networkProfile === 'auto'],
    ['--threads-per-core', ({ threadsPerCore }) => threadsPerCore !== undefined],
  ];
  const ofCapacity = nodePools.flatMap(({ capacityFlags }) => capacityFlags.map((flag) => nameOf(flag)));
  return [
    ...needs.filter(([, isNeeded]) => nodePools.some(isNeeded)).map(([flag]) => flag),
    ...new Set(ofCapacity),
  ];
}

/** A flag as the help names it: without its value, and switches by what they switch. */
function nameOf(flag: string): string {
  return flag.replace(/=.*/, '').replace(/^--no-/, '--');
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
