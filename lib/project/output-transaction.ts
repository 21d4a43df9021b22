import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LABELS, MANAGED_BY } from '../kubernetes/well-known';
import { isDirectory } from './is-directory';

/** What a synthesis writes. */
export interface Output {
  /** File name -> text, all of the folder's contents. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Path -> text of further files, each replaced as a whole. */
  readonly files: ReadonlyMap<string, string>;
}

/** Ending of everything that is written into the folder. */
export const MANIFEST_SUFFIX = '.k8s.yaml';

/** What every object of this project carries, and with it every file that has one. */
const MARK = `${LABELS.managedBy}: ${MANAGED_BY}`;

/** Files of a folder that this project did not write; it will not delete them. */
export function foreignFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !isManifestOfOurs(folder, entry))
    .map(({ name }) => name)
    .sort();
}

function isManifestOfOurs(folder: string, entry: Dirent): boolean {
  if (!entry.isFile() || !entry.name.endsWith(MANIFEST_SUFFIX)) return false;
  const text = readFileSync(join(folder, entry.name), 'utf8');
  return text === '' || text.includes(MARK);
}

/**
 * Clears up after a process that was killed in the middle of `writeOutput`: what was moved away is put back where the
 * new one had not taken its place yet, and what was written aside is removed. What belongs to a running process is left
 * alone.
 */
export function recoverOutput(folder: string, files: Iterable<string>): void {
  for (const path of [targetOf(folder), ...files]) {
    for (const leftover of leftoversOf(path)) {
      if (leftover.kind === 'old' && !existsSync(path)) renameSync(leftover.path, path);
      else rmSync(leftover.path, { recursive: true, force: true });
    }
  }
}

/** What processes that are gone left beside a path: `.NAME-KIND-PID`. */
function leftoversOf(path: string): { readonly kind: string; readonly path: string }[] {
  const parent = dirname(path);
  if (!isDirectory(parent)) return [];
  const prefix = `.${basename(path)}-`;
  return readdirSync(parent).flatMap((name) => {
    const match = name.startsWith(prefix) ? /^(new|old)-([0-9]+)$/.exec(name.slice(prefix.length)) : null;
    if (match === null) return [];
    const owner = Number(match[2]);
    if (owner !== process.pid && isRunning(owner)) return [];
    return [{ kind: match[1] ?? '', path: join(parent, name) }];
  });
}

/** Why nothing can be written at a path, whatever is done about permissions. */
export class OutputPathError extends Error {
  public constructor(
    public readonly path: string,
    public readonly reason: string,
  ) {
    super(`${path}: ${reason}`);
    this.name = 'OutputPathError';
  }
}

/** Links that lead to links to links: more than the system follows itself. */
const MOST_LINKS = 40;

/** Where a folder lies: a symbolic link is followed, also while what it points to is being swapped. */
function targetOf(folder: string): string {
  let target = folder;
  for (let links = 0; links <= MOST_LINKS; links++) {
    // Beneath a file nothing can be looked at; what is wrong with the directory is said by whoever reads it.
    if (!isDirectory(dirname(target))) return target;
    if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return target;
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw new OutputPathError(folder, 'a link that leads back to itself: remove it');
}

/**
 * Writes everything aside, then swaps the folder and each file in by two renames. Nothing that exists is touched before
 * all of it lies on the disk, and after a failure all of it is as it was; unchanged contents are left alone.
 */
export function writeOutput(folder: string, output: Output): void {
  const target = targetOf(folder);
  const files = [...output.files].filter(([path, text]) => !holds(path, text));
  const folders = folderHolds(target, output.manifests) ? [] : [target];
  const changed = [...folders, ...files.map(([path]) => path)];
  const swapped: string[] = [];
  try {
    for (const path of folders) {
      mkdirSync(asideOf(path, 'new'), { recursive: true });
      for (const [name, text] of output.manifests) writeFileSync(join(asideOf(path, 'new'), name), text);
    }
    for (const [path, text] of files) writeFileSync(asideOf(path, 'new'), text);
    for (const path of changed) {
      swapped.push(path);
      if (existsSync(path)) renameSync(path, asideOf(path, 'old'));
      renameSync(asideOf(path, 'new'), path);
    }
  } catch (error) {
    for (const path of swapped) putBack(path);
    throw error;
  } finally {
    for (const path of changed) {
      for (const kind of ['new', 'old'] as const) {
        rmSync(asideOf(path, kind), { recursive: true, force: true });
      }
    }
  }
}

/** Undoes a swap, whole or half. */
function putBack(path: string): void {
  const old = asideOf(path, 'old');
  const untouched = existsSync(asideOf(path, 'new')) && !existsSync(old);
  if (untouched) return;
  rmSync(path, { recursive: true, force: true });
  if (existsSync(old)) renameSync(old, path);
}

/** A name beside a path that tells what it holds and whose it is. */
function asideOf(path: string, kind: 'new' | 'old'): string {
  return join(dirname(path), `.${basename(path)}-${kind}-${String(process.pid)}`);
}

function holds(path: string, text: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? 'a directory' : 'a pipe, socket or device';
    throw new OutputPathError(path, `${kind} where a file is to be written: move it away`);
  }
  return readFileSync(path, 'utf8') === text;
}

function folderHolds(folder: string, manifests: ReadonlyMap<string, string>): boolean {
  if (!existsSync(folder)) return false;
  const names = readdirSync(folder);
  return (
    names.length === manifests.size && [...manifests].every(([name, text]) => holds(join(folder, name), text))
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
