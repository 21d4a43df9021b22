import { stateMemory, uncountedState } from './memory';
import type { Dtype, StateMemory } from './memory';
import { MESH_AXES, isProblemList, meshArgument } from './mesh';
import type { MeshSpec, ResolvedMesh } from './mesh';
import { resolveModel, splitArgument } from './model';

/** MaxText's arguments (`key=value`) by key. */
export function argumentMap(entries: readonly string[]): ReadonlyMap<string, string> {
  return new Map(entries.map((text): [string, string] => splitArgument(text)));
}

/** The mesh that MaxText's arguments describe. */
export function meshOfArguments(given: ReadonlyMap<string, string>): MeshSpec {
  const family = (name: 'ici' | 'dcn'): Record<string, number> =>
    Object.fromEntries(
      MESH_AXES.flatMap((axis): [string, number][] => {
        const value = given.get(meshArgument(name, axis));
        return value === undefined ? [] : [[axis, Number(value)]];
      }),
    );
  return { ici: family('ici'), dcn: family('dcn') };
}

/** The state that arguments describe on a mesh, or undefined where it is not counted. */
export function stateOfArguments(entries: readonly string[], mesh: ResolvedMesh): StateMemory | undefined {
  const given = argumentMap(entries);
  const model = resolveModel(given.get('model_name') ?? 'default', entries);
  if (isProblemList(model) || model.architecture === undefined) return undefined;
  if (uncountedState(entries) !== undefined) return undefined;
  const weightDtype = dtypeOf(given.get('weight_dtype'), 'float32');
  const muDtype = dtypeOf(given.get('mu_dtype'), weightDtype);
  return stateMemory({ architecture: model.architecture, mesh, weightDtype, muDtype });
}

function dtypeOf(value: string | undefined, otherwise: Dtype): Dtype {
  return value === 'float32' || value === 'bfloat16' || value === 'float16' ? value : otherwise;
}
