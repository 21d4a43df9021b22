import type { InfrastructurePlan } from '../infrastructure';
import type { PlannedProject } from '../plan';
import { at, list } from '../review';
import { Examination, jsonOf } from './finding';
import type { Finding, Observation } from './finding';

/** What was seen of accounts, Secrets and buckets. Secrets are asked for by name only. */
export interface AccessObservations {
  readonly namespace: Observation;
  readonly serviceAccount: Observation;
  /** By name. */
  readonly secrets: ReadonlyMap<string, Observation>;
  /** IAM policies, by bucket. */
  readonly bucketPolicies: ReadonlyMap<string, Observation>;
  /** The project's number, which names its identity pool's members. */
  readonly projectNumber: Observation;
}

/** Namespace, service account, its roles on buckets, and Secrets. */
export function examineAccess(seen: AccessObservations, { infrastructure }: PlannedProject): Finding[] {
  const access = new Examination('access');
  const { namespace, serviceAccount } = infrastructure;
  access.presence(
    `namespace ${namespace.name}`,
    seen.namespace,
    namespace.create ? 'kubectl apply -f dist/' : `kubectl create namespace ${namespace.name}`,
  );
  access.presence(
    `service account ${serviceAccount.name}`,
    seen.serviceAccount,
    serviceAccount.create ? 'kubectl apply -f dist/' : `create it: platform.yaml says that it exists`,
  );
  for (const name of new Set(infrastructure.secrets.map((secret) => secret.name))) {
    access.presence(
      `Secret ${name}`,
      seen.secrets.get(name) ?? { isThere: false, isNotFound: false, reason: 'not asked' },
      remedyForSecret(
        `${name} --namespace=${namespace.name}`,
        infrastructure.secrets.filter((secret) => secret.name === name),
      ),
    );
  }
  for (const role of infrastructure.bucketRoles) examineRole(access, seen, infrastructure, role);
  return access.findings;
}

/** What makes a Secret with these keys; kubectl takes its place as written. */
function remedyForSecret(place: string, keys: InfrastructurePlan['secrets']): string {
  if (keys.some(({ hubToken }) => hubToken)) {
    const others = keys.filter(({ hubToken }) => !hubToken).map(({ key }) => key);
    return `scripts/gcloud/hf-secret.sh < token-file${others.length === 0 ? '' : `; it names the command for ${others.join(', ')}`}`;
  }
  return `kubectl create secret generic ${place} ${keys.map(({ key }) => `--from-file=${key}=FILE`).join(' ')}`;
}

function examineRole(
  access: Examination,
  seen: AccessObservations,
  { project }: InfrastructurePlan,
  { bucket, role, namespace, serviceAccount }: InfrastructurePlan['bucketRoles'][number],
): void {
  const subject = `${role} on ${bucket}`;
  const remedy = 'scripts/gcloud/identity.sh';
  const policy = seen.bucketPolicies.get(bucket);
  if (policy === undefined || !policy.isThere) {
    if (policy?.isNotFound === true)
      access.missing(subject, 'the bucket is not there', 'scripts/gcloud/bucket.sh');
    else access.cannotTell(subject, policy?.reason ?? 'not asked', remedy);
    return;
  }
  const members = list(at(jsonOf(policy), 'bindings'))
    .filter((binding) => at(binding, 'role') === role)
    .flatMap((binding) => list(at(binding, 'members')))
    .map(String);
  const number = seen.projectNumber.isThere ? seen.projectNumber.output.trim() : '[0-9]+';
  const member = new RegExp(
    `^principal://iam\\.googleapis\\.com/projects/${number}/locations/global/workloadIdentityPools/${project.id}\\.svc\\.id\\.goog/subject/ns/${namespace}/sa/${serviceAccount}$`,
  );
  if (members.some((each) => member.test(each)))
    access.ok(subject, `bound to ${namespace}/${serviceAccount}`);
  else access.missing(subject, `not bound to ${namespace}/${serviceAccount}`, remedy);
}
