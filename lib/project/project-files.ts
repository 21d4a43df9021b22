import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUNS_FOLDER } from '../config';
import type { ConfigFile, LocatedProblem } from '../config';

export const PLATFORM_FILE = 'platform.yaml';

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
      return { name, text: decode(readFileSync(join(directory, name))) };
    } catch (error) {
      problems.push({
        file: name,
        path: '',
        value: reasonOf(error),
        rule: 'the file can be read',
        fix: fixOf(name, error),
      });
      return undefined;
    }
  };
  if (!isDirectory(directory)) {
    const rule = 'a project is a directory with platform.yaml and runs/';
    return {
      runs: [],
      problems: [
        { file: directory, path: '', value: 'no directory', rule, fix: 'give the directory of a project' },
      ],
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
    const fix = `create ${RUNS_FOLDER}/ and write a run into it`;
    problems.push({
      file: RUNS_FOLDER,
      path: '',
      value: reasonOf(error),
      rule: 'run files lie in this folder',
      fix,
    });
    return [];
  }
  const found = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  if (found.length === 0) {
    const fix = `write ${RUNS_FOLDER}/NAME.yaml`;
    problems.push({
      file: RUNS_FOLDER,
      path: '',
      value: 'no run file',
      rule: 'a project has at least one run',
      fix,
    });
  }
  return found.map((name) => `${RUNS_FOLDER}/${name}`);
}

/** Text of a file; anything but UTF-8 is an error, a byte order mark is dropped. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
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
    default:
      return `(${code ?? 'unreadable'})`;
  }
}

function fixOf(name: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === NOT_UTF8) return 'save it as UTF-8';
  return code === 'ENOENT' ? `create ${name}` : `make ${name} a readable file`;
}
