import { leftoverPlaceholder } from '../kubernetes/leftover-placeholder';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { walk } from './json';
import { forEachManifest } from './rule';

const SHELL_SCRIPT_FLAG = /^-[a-z]*c$/;

/**
 * No `${…}` is left over: what was to be filled in was not, and the manifest would still be valid. Scripts may use it: the data of
 * ConfigMaps, texts of several lines, and the word after a shell's `-c`. Kubernetes' own `$(NAME)` is something else and may stand.
 */
export const leftoverPlaceholders = forEachManifest(({ object, kind }) => {
  const problems: Problem[] = [];
  let previous: unknown;
  walk(object, (value, keys) => {
    const isScript =
      (kind === 'ConfigMap' && keys[0] === 'data') ||
      (typeof previous === 'string' &&
        SHELL_SCRIPT_FLAG.test(previous) &&
        typeof keys[keys.length - 1] === 'number');
    previous = value;
    if (isScript || typeof value !== 'string') return;
    const placeholder = leftoverPlaceholder(value);
    if (placeholder === undefined) return;
    problems.push(problem('MANIFEST_PLACEHOLDER', [...keys], value, { placeholder }));
  });
  return problems;
});
