import { leftoverPlaceholder } from '../kubernetes/leftover-placeholder';
import { lostCharacter, misreading } from '../kubernetes/yaml-text';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import type { RunSpec } from './run-spec';

/** Texts below it reach the manifests only as parts of longer ones. */
const TRAINER = 'trainer';

/**
 * Problems of the texts of a run that would stand in a manifest and be read as something else there: what YAML readers lose, what kubectl
 * takes for a number, and a `${…}` that nothing fills in. Paths are relative to the run.
 */
export function checkManifestTexts(spec: RunSpec): Problem[] {
  const problems: Problem[] = [];
  collect(spec, [], problems);
  return problems;
}

function collect(value: unknown, path: Path, problems: Problem[]): void {
  if (typeof value === 'string') {
    const found = problemOf(value, path);
    if (found !== undefined) problems.push(found);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, [...path, index], problems);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      collect(item, [...path, key], problems);
    }
  }
}

function problemOf(value: string, path: Path): Problem | undefined {
  const placeholder = leftoverPlaceholder(value);
  if (placeholder !== undefined) {
    return problem('TEXT_PLACEHOLDER', path, value, { placeholder });
  }
  const reason = path[0] === TRAINER ? lostCharacter(value) : misreading(value);
  return reason === undefined ? undefined : problem('TEXT_READING', path, value, { reason });
}
