import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fitPath, parseFit } from '../training';
import type { Fit } from '../training';

/** The compile check's verdicts that lie beside the runs, by run; a file that holds none is as good as none. */
export function readFits(directory: string, runs: readonly { readonly name: string }[]): Map<string, Fit> {
  const fits = new Map<string, Fit>();
  for (const { name } of runs) {
    const path = join(directory, fitPath(name));
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    const fit = isFile ? parseFit(readFileSync(path, 'utf8')) : undefined;
    if (fit !== undefined) fits.set(name, fit);
  }
  return fits;
}
