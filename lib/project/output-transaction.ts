import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What a synthesis writes. */
export interface Output {
  /** File name -> text, all of the folder's contents. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Path -> text of further files, each replaced as a whole. */
  readonly files: ReadonlyMap<string, string>;
}

/** Ending of everything that is written into the folder. */
export const MANIFEST_SUFFIX = '.k8s.yaml';

/** Files of a folder that this project did not write; it will not delete them. */
export function foreignFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith(MANIFEST_SUFFIX))
    .sort();
}

/** Puts back what a process left that was killed between the two renames of a swap. */
export function recoverOutput(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) return;
  const leftovers = readdirSync(parent).filter((name) => name.startsWith(asidePrefix(folder)));
  for (const name of leftovers) {
    const path = join(parent, name);
    const owner = Number(name.split('-').at(-1));
    if (owner !== process.pid && isRunning(owner)) continue;
    if (name.startsWith(`${asidePrefix(folder)}old-`) && !existsSync(folder)) renameSync(path, folder);
    else rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Writes everything aside, then swaps: the folder by two renames, each file by one. Nothing that exists is touched
 * before all of it lies on the disk; unchanged contents are left alone.
 */
export function writeOutput(folder: string, output: Output): void {
  const target = existsSync(folder) && lstatSync(folder).isSymbolicLink() ? realpathSync(folder) : folder;
  const aside = join(dirname(target), `${asidePrefix(target)}new-${String(process.pid)}`);
  const old = join(dirname(target), `${asidePrefix(target)}old-${String(process.pid)}`);
  const changedFiles = [...output.files].filter(([path, text]) => !holds(path, text));
  try {
    const changed = !folderHolds(target, output.manifests);
    if (changed) {
      mkdirSync(aside, { recursive: true });
      for (const [name, text] of output.manifests) writeFileSync(join(aside, name), text);
    }
    for (const [path, text] of changedFiles) writeFileSync(temporaryName(path), text);
    if (changed) {
      if (existsSync(target)) renameSync(target, old);
      renameSync(aside, target);
    }
    for (const [path] of changedFiles) renameSync(temporaryName(path), path);
  } finally {
    // After a failure between the renames the old folder is still there: put it back before anything is removed.
    if (!existsSync(target) && existsSync(old)) renameSync(old, target);
    for (const path of [aside, old, ...changedFiles.map(([file]) => temporaryName(file))]) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

function asidePrefix(folder: string): string {
  return `.${basename(folder)}-`;
}

function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}-${String(process.pid)}`);
}

function holds(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === text;
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
