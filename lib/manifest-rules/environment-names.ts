import type { Problem } from '../problem';
import { asList, asObject } from './json';
import { forEachContainer } from './rule';

/** What shells and every Kubernetes release accept. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** In one container every environment variable has a legal name and is set once: of two, only the last would count. */
export const environmentNames = forEachContainer(({ container }) => {
  const names = asList(container['env']).map((variable) => asObject(variable)['name']);
  return names.flatMap((name, index): Problem[] => {
    const path = `env[${index}].name`;
    const first = names.indexOf(name);
    if (first !== index) {
      const rule = `a variable is set once, env[${first}] sets it already`;
      return [{ path, value: name, rule, fix: 'remove one of them' }];
    }
    if (typeof name !== 'string' || NAME.test(name)) return [];
    const rule = 'a variable is named with letters, digits and underscores and does not begin with a digit';
    return [{ path, value: name, rule, fix: 'rename it' }];
  });
});
