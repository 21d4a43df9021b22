import { posix } from 'node:path';

/** Where the other side of a comparison comes from, in the words of the one who named it. */
export interface ReviewOrigin {
  /** A file of the project as it can be looked at. */
  readonly nameOf: (file: string) => string;
  /** What to do about output that is broken or not whole. */
  readonly remedy: string;
}

/** A directory as it was given. */
export function directoryOrigin(directory: string): ReviewOrigin {
  return {
    nameOf: (file) => posix.join(directory, file),
    remedy: `run npm run synth -- ${directory} with this release, and commit what it writes`,
  };
}

/** A git revision; `prefix` is the project's folder in the repository. What is committed cannot be written anew in its place. */
export function revisionOrigin(revision: string, prefix: string): ReviewOrigin {
  const copy = posix.join('../before', prefix).replace(/\/$/, '');
  return {
    nameOf: (file) => `${revision}:${prefix}${file}`,
    remedy: `name another revision, or let this release write its output: git worktree add ../before ${revision} && npm run synth -- ${copy}, then --against ${copy}`,
  };
}
