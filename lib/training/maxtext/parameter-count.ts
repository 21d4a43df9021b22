import type { Architecture } from './model-catalogue';
import { elementsOf, parameterArrays } from './parameter-arrays';

/** Number of trained parameters. */
export function parameterCount(model: Architecture): number {
  return parameterArrays(model).reduce((sum, array) => sum + elementsOf(array), 0);
}
