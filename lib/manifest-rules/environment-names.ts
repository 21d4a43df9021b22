import { problem } from '../problems';
import type { Problem } from '../problems';
import { asList, asObject } from './json';
import { forEachContainer } from './rule';

/** What shells and every Kubernetes release accept. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** In one container every environment variable has a legal name and is set once: of two, only the last would count. */
export const environmentNames = forEachContainer(({ container }) => {
  const names = asList(container['env']).map((variable) => asObject(variable)['name']);
  return names.flatMap((name, index): Problem[] => {
    const path = ['env', index, 'name'];
    const first = names.indexOf(name);
    if (first !== index) {
      return [problem('CONTAINER_VARIABLE_TWICE', path, name, { first })];
    }
    if (typeof name !== 'string' || NAME.test(name)) return [];
    return [problem('CONTAINER_VARIABLE_NAME', path, name)];
  });
});
