import type { Platform, TrainingRun } from '../run';
import type { SecretKeyPlan } from './infrastructure-plan';

/** What Hugging Face's libraries read their token from. @see https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables */
const HUB_TOKEN_VARIABLES: ReadonlySet<string> = new Set(['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN']);

/** The keys of Secrets that runs read, each once. */
export function planSecrets(platform: Platform, runs: readonly TrainingRun[]): SecretKeyPlan[] {
  const secrets = new Map<string, SecretKeyPlan>();
  const add = (name: string, key: string, hubToken: boolean): void => {
    const id = `${name} ${key}`;
    secrets.set(id, {
      name,
      key,
      namespace: platform.namespace,
      hubToken: hubToken || secrets.get(id)?.hubToken === true,
    });
  };
  for (const run of runs) {
    for (const [variable, value] of Object.entries(run.environment)) {
      if (typeof value !== 'string') add(value.secretName, value.key, HUB_TOKEN_VARIABLES.has(variable));
    }
    if (run.authTokenSecret !== undefined) add(run.authTokenSecret, 'auth_token', false);
  }
  return [...secrets.values()];
}
