import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';

/** Files and folders of a project. */
const PROJECT_PATHS = ['platform.yaml', 'runs', 'dist', 'plan.json'] as const;

/** Most of what git may print, bytes. */
const MOST_OUTPUT = 512 * 2 ** 20;

/** Mode of a symbolic link in a tree. */
const LINK_MODE = '120000';

/** Links that are followed one after the other; one that leads into itself never ends. */
const MOST_LINKS = 8;

/** A revision that cannot be read, as a message for people. */
export class GitError extends Error {}

/**
 * Gives the project of a directory as it is in a git revision to `use`, in a temporary directory that goes afterwards,
 * with its folder in the repository. What its links lead to comes with it, as long as it lies in the repository.
 * @throws GitError without git, outside a repository, or for a revision that does not exist
 */
export function withRevision<T>(
  directory: string,
  revision: string,
  use: (copy: string, prefix: string) => T,
): T {
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
  const found = pathsOf(root, commit, wanted);
  const copy = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-revision-'));
  try {
    if (found.length > 0) {
      const archive = git(root, ['--literal-pathspecs', 'archive', '--format=tar', commit, '--', ...found]);
      run('tar', ['-x', '-f', '-', '-C', copy], { input: archive });
    }
    return use(join(copy, prefix), prefix);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Those of the wanted paths that are there, and what their links lead to. */
function pathsOf(root: string, commit: string, wanted: readonly string[]): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const open = wanted.map((path) => ({ path, links: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, links } = next;
    const isOutside = path.startsWith('/') || path === '..' || path.startsWith('../');
    if (seen.has(path) || isOutside || links > MOST_LINKS) continue;
    seen.add(path);
    const entries = entriesOf(root, commit, path);
    if (entries.length > 0) found.add(path);
    const targets = entries.flatMap(({ name, target }) =>
      target === undefined ? [] : [posix.join(posix.dirname(name), target)],
    );
    // A folder on the way may be a link itself.
    const further = entries.length > 0 ? targets : detourOf(root, commit, path);
    open.push(...further.map((each) => ({ path: each, links: links + 1 })));
  }
  return [...found];
}

/** The link that a path leads through, and where it comes out. */
function detourOf(root: string, commit: string, path: string): string[] {
  for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above)) {
    const [link] = entriesOf(root, commit, above);
    if (link === undefined) continue;
    if (link.target === undefined) return [];
    return [above, posix.join(posix.dirname(above), link.target, path.slice(above.length))];
  }
  return [];
}

/** A file or link of a tree. */
interface TreeEntry {
  readonly name: string;
  /** Where a link leads, as it says. */
  readonly target: string | undefined;
}

/** All files and links at and below a path. */
function entriesOf(root: string, commit: string, path: string): TreeEntry[] {
  return git(root, ['ls-tree', '-r', '-z', commit, '--', path])
    .toString()
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [head = '', name = ''] = line.split('\t');
      const [mode, , object = ''] = head.split(' ');
      const target = mode === LINK_MODE ? git(root, ['cat-file', 'blob', object]).toString() : undefined;
      return { name, target };
    });
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
