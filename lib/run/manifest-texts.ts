import { leftoverPlaceholder } from '../kubernetes/leftover-placeholder';
import { lostCharacter, misreading } from '../kubernetes/yaml-text';
import type { Problem } from '../problem';
import type { RunSpec } from './run-spec';

/** Texts below it reach the manifests only as parts of longer ones. */
const TRAINER = 'trainer';

/**
 * Problems of the texts of a run that would stand in a manifest and be read as something else there: what YAML readers lose, what kubectl
 * takes for a number, and a `${…}` that nothing fills in. Paths are relative to the run.
 */
export function checkManifestTexts(spec: RunSpec): Problem[] {
  const problems: Problem[] = [];
  collect(spec, '', problems);
  return problems;
}

function collect(value: unknown, path: string, problems: Problem[]): void {
  if (typeof value === 'string') {
    const problem = problemOf(value, path);
    if (problem !== undefined) problems.push(problem);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, `${path}[${String(index)}]`, problems);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      collect(item, path === '' ? key : `${path}.${key}`, problems);
    }
  }
}

function problemOf(value: string, path: string): Problem | undefined {
  const placeholder = leftoverPlaceholder(value);
  if (placeholder !== undefined) {
    return {
      path,
      value,
      rule: `only \${NAME} is filled in, and ${placeholder} would stand in the manifest as it is`,
      fix: 'write ${NAME} and export the variable, or write the value itself',
    };
  }
  const reason = path.startsWith(`${TRAINER}.`) ? lostCharacter(value) : misreading(value);
  return reason === undefined
    ? undefined
    : {
        path,
        value,
        rule: `a text is read from the manifest as it was written: ${reason}`,
        fix: 'write it another way',
      };
}
