import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Output } from './output-transaction';

/** A file of the output that is not as synth would leave it. */
export interface OutputDifference {
  /** From the project's directory. */
  readonly file: string;
  /** differs: other contents; missing: not there; untracked: in the folder, but no part of the output. */
  readonly state: 'differs' | 'missing' | 'untracked';
}

/** Everything in which a folder and files differ from an output, in the order of names. Writes nothing. */
export function differencesTo(directory: string, folder: string, output: Output): OutputDifference[] {
  const expected = new Map([
    ...[...output.manifests].map(([name, text]): [string, string] => [join(folder, name), text]),
    ...output.files,
  ]);
  const written = [...expected].flatMap(([path, text]): OutputDifference[] => {
    const file = relative(directory, path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [{ file, state: 'missing' }];
    return stats.isFile() && readFileSync(path, 'utf8') === text ? [] : [{ file, state: 'differs' }];
  });
  const untracked = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => !output.manifests.has(name))
    .map((name): OutputDifference => ({ file: relative(directory, join(folder, name)), state: 'untracked' }));
  return [...written, ...untracked].sort((a, b) => (a.file < b.file ? -1 : 1));
}
