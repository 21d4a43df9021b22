import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrainerSourceFiles } from '../run';
import { SUBMITTER_MODULE, TRAINER_KINDS, trainerKind } from '../training';
import type { TrainerKind } from '../training';
import { importClosure } from './import-closure';
import { packageRoot } from './package-root';

/** Trainer kinds whose module this package carries. */
export function availableTrainerKinds(): TrainerKind[] {
  const folder = join(packageRoot(), 'trainers');
  return TRAINER_KINDS.filter((kind) =>
    existsSync(join(folder, `${trainerKind(kind).module.replaceAll('.', '/')}.py`)),
  );
}

/** The Python files of a trainer kind: its module, the submitter, and what they import. */
export function loadTrainerSources(kind: TrainerKind): TrainerSourceFiles {
  const folder = join(packageRoot(), 'trainers');
  const exists = (path: string): boolean => existsSync(join(folder, path));
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const paths = importClosure([trainerKind(kind).module, SUBMITTER_MODULE], exists, read);
  return new TrainerSourceFiles(kind, Object.fromEntries(paths.map((path) => [path, read(path)])));
}
