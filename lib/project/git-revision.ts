import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files and folders of a project. */
const PROJECT_PATHS = ['platform.yaml', 'runs', 'dist', 'plan.json'] as const;

/** Most of what git may print, bytes. */
const MOST_OUTPUT = 512 * 2 ** 20;

/** A revision that cannot be read, as a message for people. */
export class GitError extends Error {}

/**
 * Gives the project of a directory as it is in a git revision to `use`, in a temporary directory that goes afterwards.
 * @throws GitError without git, outside a repository, or for a revision that does not exist
 */
export function withRevision<T>(directory: string, revision: string, use: (copy: string) => T): T {
  const prefix = git(directory, ['rev-parse', '--show-prefix']).toString().trim();
  const root = git(directory, ['rev-parse', '--show-toplevel']).toString().trim();
  const commit = git(
    directory,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    {
      failure: `${revision}: neither a directory nor a revision that git knows here: fetch it first (git fetch origin), or name another`,
    },
  )
    .toString()
    .trim();
  const wanted = PROJECT_PATHS.map((path) => `${prefix}${path}`);
  const found = git(root, ['ls-tree', '--name-only', '-z', commit, '--', ...wanted])
    .toString()
    .split('\0')
    .filter((path) => path !== '');
  const copy = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-revision-'));
  try {
    if (found.length > 0) {
      const archive = git(root, ['archive', '--format=tar', commit, '--', ...found]);
      run('tar', ['-x', '-f', '-', '-C', copy], { input: archive });
    }
    return use(join(copy, prefix));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function git(directory: string, args: readonly string[], options: { failure?: string } = {}): Buffer {
  return run('git', ['-C', directory, ...args], options);
}

function run(
  command: string,
  args: readonly string[],
  { input, failure }: { readonly input?: Buffer; readonly failure?: string },
): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, maxBuffer: MOST_OUTPUT });
  if (error !== undefined) throw new GitError(`${command} cannot be run: ${error.message}`);
  if (status !== 0)
    throw new GitError(failure ?? `${command} ${args.join(' ')}: ${stderr.toString().trim()}`);
  return stdout;
}
