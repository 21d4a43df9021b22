import { problem } from '../problems';
import { lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RUNS_FOLDER } from '../config';
import { isDirectory } from './is-directory';
import type { ConfigFile, LocatedProblem } from '../config';

export const PLATFORM_FILE = 'platform.yaml';

const RUN_FILE = /\.ya?ml$/;

/** A device, pipe or socket where a file is due. */
class NotRegularError extends Error {
  public readonly code = 'ENOTREGULAR';
}

/** What a decoder says of bytes that are no UTF-8. */
const NOT_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** The files of a project as texts, or Problems for those that cannot be read. */
export interface ProjectFiles {
  readonly platform?: ConfigFile;
  readonly runs: readonly ConfigFile[];
  readonly problems: readonly LocatedProblem[];
}

/** Reads `platform.yaml` and `runs/*.yaml` of a directory. */
export function readProjectFiles(directory: string): ProjectFiles {
  const problems: LocatedProblem[] = [];
  const read = (name: string): ConfigFile | undefined => {
    try {
      return { name, text: readText(join(directory, name)) };
    } catch (error) {
      const found = isDanglingLink(join(directory, name), error)
        ? problem('FILE_LINK', [], '(a link to nothing)')
        : problem('FILE_UNREADABLE', [], reasonOf(error), { advice: fixOf(name, error) });
      problems.push({ file: name, ...found });
      return undefined;
    }
  };
  if (!isDirectory(directory)) {
    const fix = directoryFix(directory);
    return {
      runs: [],
      problems: [{ file: directory, ...problem('PROJECT_DIRECTORY', [], 'no directory', { advice: fix }) }],
    };
  }
  const platform = read(PLATFORM_FILE);
  const runs = runNames(directory, problems).flatMap((name) => read(name) ?? []);
  return { ...(platform === undefined ? {} : { platform }), runs, problems };
}

function runNames(directory: string, problems: LocatedProblem[]): string[] {
  let names: string[];
  try {
    names = readdirSync(join(directory, RUNS_FOLDER));
  } catch (error) {
    problems.push({
      file: RUNS_FOLDER,
      ...problem('RUNS_FOLDER', [], reasonOf(error), { runsFolder: RUNS_FOLDER }),
    });
    return [];
  }
  // What begins with a dot is an editor's or a tool's own: locks, swap files, backups.
  const visible = names.filter((name) => !name.startsWith('.')).sort();
  const found = visible.filter((name) => RUN_FILE.test(name));
  const misnamed = visible.filter((name) => !RUN_FILE.test(name) && RUN_FILE.test(name.toLowerCase()));
  for (const name of misnamed) {
    problems.push({
      file: `${RUNS_FOLDER}/${name}`,
      ...problem('RUN_FILE_NAME', [], name, {
        runsFolder: RUNS_FOLDER,
        name: name.replace(/\.ya?ml$/i, (ending) => ending.toLowerCase()),
      }),
    });
  }
  if (found.length === 0 && misnamed.length === 0) {
    problems.push({
      file: RUNS_FOLDER,
      ...problem('RUNS_EMPTY', [], 'no run file', { runsFolder: RUNS_FOLDER }),
    });
  }
  return found.map((name) => `${RUNS_FOLDER}/${name}`);
}

/** Text of a regular file, or of one that links lead to: a pipe would keep its reader waiting for ever. */
function readText(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile() && !stats.isDirectory()) throw new NotRegularError();
  return decode(readFileSync(path));
}

/** Text of a file; anything but UTF-8 is an error, a byte order mark is dropped. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Files of a project are given instead of its directory. */
function directoryFix(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 'give the directory of a project';
  const folder = dirname(path);
  return `give the directory of the project: ${basename(folder) === RUNS_FOLDER ? dirname(folder) : folder}`;
}

function isDanglingLink(path: string, error: unknown): boolean {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === NOT_UTF8) return '(no UTF-8 text)';
  switch (code) {
    case 'ENOENT':
      return '(missing)';
    case 'EACCES':
    case 'EPERM':
      return '(no permission)';
    case 'EISDIR':
      return '(a directory)';
    case 'ELOOP':
      return '(a link that leads back to itself)';
    case 'ENOTREGULAR':
      return '(a pipe, socket or device)';
    default:
      return `(${code ?? 'unreadable'})`;
  }
}

function fixOf(name: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === NOT_UTF8) return 'save it as UTF-8';
  return code === 'ENOENT' ? `create ${name}` : `make ${name} a readable file`;
}
