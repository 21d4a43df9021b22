import type { TrainingRun } from './training-run';
import { bucketOf } from './volumes';

/**
 * The folder a run's checkpoints go to, as text that two runs share exactly when they write to one place: a bucket and
 * a folder in it, whether it is named by its address or by the path of a mount. Undefined for trainers that keep each
 * run's files apart by its name.
 */
export function outputFolderOf(run: TrainingRun): string | undefined {
  if (run.trainer.kind !== 'maxtext') return undefined;
  const words = run.trainer.maxtext.arguments;
  const valueOf = (key: string): string | undefined =>
    words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
  const directory = valueOf('base_output_directory');
  const name = valueOf('run_name');
  if (directory === undefined || name === undefined) return undefined;
  return tidy(`${inStorage(directory, run)}/${name}`);
}

/** Runs that write to the same place, each with the first run that does. */
export function sharedOutputFolders(
  runs: readonly TrainingRun[],
): { readonly first: TrainingRun; readonly other: TrainingRun; readonly folder: string }[] {
  const firsts = new Map<string, TrainingRun>();
  return runs.flatMap((other) => {
    const folder = outputFolderOf(other);
    if (folder === undefined) return [];
    const first = firsts.get(folder);
    if (first !== undefined) return [{ first, other, folder }];
    firsts.set(folder, other);
    return [];
  });
}

/** A path beneath a mount, by what is mounted there; an address stays what it is. */
function inStorage(directory: string, run: TrainingRun): string {
  const volume = [...run.volumes]
    .filter(({ mountPath }) => directory === mountPath || directory.startsWith(`${mountPath}/`))
    .sort((one, other) => other.mountPath.length - one.mountPath.length)[0];
  if (volume === undefined) return directory;
  const rest = directory.slice(volume.mountPath.length);
  if (volume.kind === 'claim') return `claim ${volume.claimName}${rest}`;
  if (volume.kind === 'empty-dir') return `pods of ${run.name}${rest}`;
  return `gs://${bucketOf(volume, run.platform) ?? ''}/${volume.onlyDir ?? ''}${rest}`;
}

function tidy(folder: string): string {
  const [scheme = '', path] = folder.split('://');
  return path === undefined ? scheme.replace(/\/+/g, '/') : `${scheme}://${path.replace(/\/+/g, '/')}`;
}
