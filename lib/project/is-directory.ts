import { statSync } from 'node:fs';

/** Whether a path leads to a directory; what cannot be looked at is none. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
