import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Users of the control plane: name, and groups beside `system:authenticated`. */
const USERS = {
  admin: { name: 'admin', groups: ['system:masters'] },
  controllerManager: { name: 'system:kube-controller-manager', groups: [] },
  scheduler: { name: 'system:kube-scheduler', groups: [] },
  operator: {
    name: 'system:serviceaccount:ray-system:kuberay-operator',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ray-system'],
  },
} as const;

export type UserRole = keyof typeof USERS;

/** Keys and tokens of one control plane, valid as long as its folder lives. */
export interface Credentials {
  readonly tokens: Readonly<Record<UserRole, string>>;
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
}

/** Makes fresh tokens and the key pair of service accounts in a folder. */
export function createCredentials(folder: string): Credentials {
  const roles = Object.keys(USERS) as UserRole[];
  const tokens = Object.fromEntries(roles.map((role) => [role, randomBytes(16).toString('hex')])) as Record<
    UserRole,
    string
  >;
  const lines = roles.map((role) => {
    const { name, groups } = USERS[role];
    return [tokens[role], name, role, ...(groups.length === 0 ? [] : [`"${groups.join(',')}"`])].join(',');
  });
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    tokens,
    tokenFile: write('tokens.csv', `${lines.join('\n')}\n`),
    serviceAccountKey: write('service-account.key', privateKey),
    serviceAccountPublicKey: write('service-account.pub', publicKey),
  };
}

/** Writes a kubeconfig (JSON is YAML) for a user and gives its path. */
export function writeKubeconfig(
  folder: string,
  user: UserRole,
  token: string,
  server: string,
  ca: string,
): string {
  const path = join(folder, `${user}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'posed', cluster: { server, 'certificate-authority': ca } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'posed', context: { cluster: 'posed', user } }],
    'current-context': 'posed',
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
