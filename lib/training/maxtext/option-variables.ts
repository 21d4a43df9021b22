import { problem } from '../../problems';
import type { Problem } from '../../problems';
import { nearestName } from '../../nearest-name';
import { MAXTEXT_OPTIONS, isOption } from './options';
import { OWNED_ARGUMENTS } from './owned-arguments';

/** MaxText reads the key `steps` from the variable M_STEPS too, and refuses it where the command line has the key. */
const PREFIX = 'M_';

/**
 * Problems of variables that set options of MaxText: what they would train is neither in the run's arithmetic nor on its command line, so
 * that options are written as options only. Paths are relative to the map.
 */
export function checkOptionVariables(environment: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX)) return [];
    const key = name.slice(PREFIX.length).toLowerCase();
    if (isOption(key)) {
      const owner = OWNED_ARGUMENTS.get(key);
      const fix = owner === undefined ? `write ${key}=… in trainer.arguments` : `set ${owner} instead`;
      return [problem('MAXTEXT_VARIABLE', [name], value, { name, key, advice: fix })];
    }
    const near = nearestName(key, MAXTEXT_OPTIONS);
    if (near === undefined) return [];
    return [problem('MAXTEXT_VARIABLE_UNKNOWN', [name], value, { key, near })];
  });
}
