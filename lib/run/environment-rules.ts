import { credentialOf } from '../kubernetes/credentials';
import { problem } from '../problems';
import type { Problem } from '../problems';
import type { EnvValue, SecretReference } from './run-spec';

/** Variables that Ray, the TPU webhook, GKE's device plugin or this project sets; a value from a user would break a run. */
const OWNED: readonly { readonly names: RegExp; readonly owner: string }[] = [
  {
    names: /^MEGASCALE_/,
    owner: 'Ray sets it while there is more than one slice; a stale value hangs the survivors',
  },
  {
    names:
      /^TPU_(WORKER_ID|WORKER_HOSTNAMES|NAME|TOPOLOGY|ACCELERATOR_TYPE|PROCESS_ADDRESSES|PROCESS_PORT|SKIP_MDS_QUERY|DEVICE_PLUGIN_.*)$/,
    owner: 'the TPU webhook and GKE set it for each host',
  },
  { names: /^TORCH_TPU_/, owner: 'the TPU webhook sets it for each host' },
  {
    names: /^(TPU_VISIBLE_CHIPS|TPU_CHIPS_PER_HOST_BOUNDS|TPU_HOST_BOUNDS|RAY_TPU_RESOURCE_PER_CHIP)$/,
    owner: 'it follows from the generation and the trainer kind',
  },
  {
    names:
      /^(RAY_ADDRESS|RAY_IP|RAY_PORT|FQ_RAY_IP|RAY_CLUSTER_NAME|RAY_CLOUD_INSTANCE_ID|RAY_NODE_TYPE_NAME|KUBERAY_.*|RAY_USAGE_STATS_KUBERAY_IN_USE|RAY_enable_autoscaler_v2|REDIS_PASSWORD|RAY_AUTH_.*)$/,
    owner: 'KubeRay sets it',
  },
  {
    names: /^(RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|MASTER_ADDR|MASTER_PORT)$/,
    owner: 'Ray Train sets it for each worker',
  },
];

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Problems of an environment: names that are none, names that others own, credentials as literal values.
 * Paths are relative to the map.
 */
export function checkEnvironment(
  environment: Readonly<Record<string, EnvValue>>,
  secretFix: string,
): Problem[] {
  return Object.entries(environment).flatMap(([name, value]) => checkVariable(name, value, secretFix));
}

function checkVariable(name: string, value: EnvValue, secretFix: string): Problem[] {
  const problems: Problem[] = [];
  if (!VARIABLE_NAME.test(name)) {
    problems.push(problem('VARIABLE_NAME', [name], name));
  }
  const owned = OWNED.find(({ names }) => names.test(name));
  if (owned !== undefined) {
    problems.push(problem('VARIABLE_OWNED', [name], value, { name, owner: owned.owner }));
  }
  if (typeof value === 'string') {
    const credential = credentialOf(name, value);
    if (credential !== undefined) {
      problems.push(problem('VARIABLE_CREDENTIAL', [name], '(not shown)', { credential, advice: secretFix }));
    }
  }
  return problems;
}

/** The environment as pods get it: a value that is declared to be no secret is a value. */
export function valuesOf(
  environment: Readonly<Record<string, EnvValue>> | undefined,
): Readonly<Record<string, string | SecretReference>> {
  return Object.fromEntries(
    Object.entries(environment ?? {}).map(([name, value]) => [
      name,
      typeof value === 'object' && 'value' in value ? value.value : value,
    ]),
  );
}

/** Names of variables that look like credentials and are declared to be none. */
export function declaredPlain(environment: Readonly<Record<string, EnvValue>> | undefined): string[] {
  return Object.entries(environment ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' && 'value' in value ? [name] : [],
  );
}
