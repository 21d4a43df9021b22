import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** Go module whose go.mod and go.sum pin the control plane. */
export const CONTROL_PLANE_SOURCES = join(__dirname, 'control-plane');

const OPERATOR_MODULE = 'github.com/ray-project/kuberay/ray-operator';

/** Number of the way of building below: another number builds anew. */
const RECIPE = 1;

/** Marks a folder that was built to its end. */
const BUILT = 'built';

/** What the control plane starts from. */
export interface Binaries {
  /** etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl, by the first argument. */
  readonly kube: string;
  readonly operator: string;
  /** Objects the operator needs: JSON of its CustomResourceDefinitions and its ClusterRole. */
  readonly operatorObjects: string;
  readonly kubernetesVersion: string;
  readonly kubeRayVersion: string;
}

/**
 * Builds the control plane, once for these sources and this Go: later calls find it in the cache.
 *
 * @param say is told what takes long
 * @throws Error when Go fails; its own messages went to standard error
 */
export async function buildControlPlane(say: (message: string) => void): Promise<Binaries> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'cdk8s-tpu-ray');
  const folder = join(cache, `cluster-${sourcesKey()}`);
  const versions = moduleVersions();
  if (!existsSync(join(folder, BUILT))) {
    say(`building Kubernetes ${versions.kubernetes} and KubeRay ${versions.kubeRay} into ${folder}`);
    mkdirSync(cache, { recursive: true });
    // Two builders do not see each other: the first to finish moves its folder into place.
    const aside = mkdtempSync(`${folder}.`);
    const remove = (): void => {
      rmSync(aside, { recursive: true, force: true });
    };
    const interrupt = (): void => {
      running?.kill('SIGKILL');
      remove();
      process.exit(130);
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      await build(aside, versions.kubernetes);
      if (!existsSync(folder)) renameSync(aside, folder);
    } finally {
      remove();
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    }
  }
  return {
    kube: join(folder, 'kube'),
    operator: join(folder, 'kuberay-operator'),
    operatorObjects: join(folder, 'operator-objects.json'),
    kubernetesVersion: versions.kubernetes.slice(1),
    kubeRayVersion: versions.kubeRay.slice(1),
  };
}

async function build(folder: string, kubernetesVersion: string): Promise<void> {
  const version = 'k8s.io/component-base/version';
  const minor = kubernetesVersion.split('.')[1] ?? '';
  const stamps = [
    `-X ${version}.gitVersion=${kubernetesVersion}`,
    `-X ${version}.gitMajor=1`,
    `-X ${version}.gitMinor=${minor}`,
    `-X ${version}.gitTreeState=clean`,
  ].join(' ');
  await go(['build', '-trimpath', '-ldflags', `-s -w ${stamps}`, '-o', join(folder, 'kube'), '.']);
  await go([
    'build',
    '-trimpath',
    '-ldflags',
    '-s -w',
    '-o',
    join(folder, 'kuberay-operator'),
    OPERATOR_MODULE,
  ]);
  const module = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', OPERATOR_MODULE], {
    cwd: CONTROL_PLANE_SOURCES,
    env: goEnvironment(),
    encoding: 'utf8',
  }).trim();
  const files = [
    ...readdirSync(join(module, 'config/crd/bases')).map((name) => join(module, 'config/crd/bases', name)),
    join(module, 'config/rbac/role.yaml'),
  ];
  const objects = files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as unknown),
  );
  writeFileSync(join(folder, 'operator-objects.json'), JSON.stringify(objects));
  writeFileSync(join(folder, BUILT), '');
}

/** The Go command at work, ended with this process. */
let running: ChildProcess | undefined;

async function go(commandLine: readonly string[]): Promise<void> {
  const child = spawn('nice', ['-n', '10', 'go', ...commandLine], {
    cwd: CONTROL_PLANE_SOURCES,
    env: goEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  running = child;
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go ${commandLine.join(' ')} ended with ${String(code ?? signal)}`));
    });
  });
}

/** Only what go.mod and go.sum pin, with the Go that is here. */
function goEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    GOTOOLCHAIN: 'local',
    CGO_ENABLED: '0',
    GOFLAGS: '-mod=readonly -buildvcs=false',
    GOWORK: 'off',
  };
}

function sourcesKey(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(CONTROL_PLANE_SOURCES).sort()) {
    hash.update(name).update(readFileSync(join(CONTROL_PLANE_SOURCES, name)));
  }
  // How it is built, and by which Go, belongs to the key as well.
  hash.update(`recipe ${String(RECIPE)}`).update(execFileSync('go', ['version']));
  return hash.digest('hex').slice(0, 12);
}

function moduleVersions(): { kubernetes: string; kubeRay: string } {
  const text = readFileSync(join(CONTROL_PLANE_SOURCES, 'go.mod'), 'utf8');
  const version = (module: string): string => {
    const match = new RegExp(`^\\s*${module.replaceAll('.', '\\.')} (v\\S+)`, 'm').exec(text);
    if (match?.[1] === undefined)
      throw new Error(`test/cluster/control-plane/go.mod does not require ${module}`);
    return match[1];
  };
  return { kubernetes: version('k8s.io/kubernetes'), kubeRay: version(OPERATOR_MODULE) };
}
