import { isSamePath, problem } from '../../problems';
import type { Problem } from '../../problems';

/**
 * Axes of MaxText 0.2.5's device mesh, in its order, by the names of its flags (`ici_<axis>_parallelism`,
 * `dcn_<axis>_parallelism`). The flags for `sequence` exist too but belong to no axis: MaxText ignores them.
 * @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/configs/base.yml (mesh_axes)
 */
export const MESH_AXES = [
  'diloco',
  'data',
  'pipeline',
  'fsdp',
  'fsdp_transpose',
  'context',
  'context_usp_ulysses',
  'context_autoregressive',
  'tensor',
  'tensor_sequence',
  'expert',
  'autoregressive',
] as const;

/** An axis of the mesh. */
export type MeshAxis = (typeof MESH_AXES)[number];

/**
 * Devices along an axis; -1 lets MaxText fill in what is left.
 * @asType integer
 * @minimum -1
 * @maximum 1048576
 */
export type AxisSize = number;

/**
 * How MaxText divides the devices. An axis that is left out is 1, but -1 for `ici.fsdp` and `dcn.data`; where `dcn` is left out altogether and
 * the state does not fit with data, it is `{data: 1, fsdp: -1}`.
 */
export interface MeshSpec {
  /** Axes within a slice; their product is the number of devices per slice. */
  readonly ici?: Partial<Record<MeshAxis, AxisSize>>;
  /** Axes across slices; their product is the number of slices. */
  readonly dcn?: Partial<Record<MeshAxis, AxisSize>>;
}

/** Axes larger than 1, all automatic ones filled in. */
export interface ResolvedMesh {
  readonly ici: Readonly<Partial<Record<MeshAxis, number>>>;
  readonly dcn: Readonly<Partial<Record<MeshAxis, number>>>;
}

/** A mesh at one number of slices. */
export interface MeshAtSize {
  readonly slices: number;
  readonly mesh: ResolvedMesh;
}

type Family = 'ici' | 'dcn';

const AUTOMATIC = -1;

/** The axis that MaxText fills in unless told otherwise. */
const AUTOMATIC_BY_DEFAULT: Readonly<Record<Family, MeshAxis>> = { ici: 'fsdp', dcn: 'data' };

/** The mesh on `slices` slices, or every reason why MaxText would refuse it. Paths are relative to the spec. */
export function resolveMesh(
  spec: MeshSpec,
  devicesPerSlice: number,
  slices: number,
): ResolvedMesh | readonly Problem[] {
  const ici = resolveFamily('ici', spec.ici ?? {}, devicesPerSlice, 'devices per slice');
  const dcn = resolveFamily('dcn', spec.dcn ?? {}, slices, 'slices');
  if (isProblemList(ici) || isProblemList(dcn)) {
    return [...(isProblemList(ici) ? ici : []), ...(isProblemList(dcn) ? dcn : [])];
  }
  return { ici, dcn };
}

/**
 * The meshes of a run at every size from `min` to `max` slices. A run that may lose slices must leave one dcn axis
 * automatic, or its mesh no longer multiplies out after the first loss.
 */
export function resolveMeshes(
  spec: MeshSpec,
  devicesPerSlice: number,
  slices: { readonly min: number; readonly max: number },
): readonly MeshAtSize[] | readonly Problem[] {
  const fixed = slices.min !== slices.max ? checkElastic(spec) : [];
  if (fixed.length > 0) return fixed;
  const meshes: MeshAtSize[] = [];
  const problems: Problem[] = [];
  for (let count = slices.min; count <= slices.max; count++) {
    const mesh = resolveMesh(spec, devicesPerSlice, count);
    if (!isProblemList(mesh)) meshes.push({ slices: count, mesh });
    else
      problems.push(
        ...mesh.filter((problem) => !problems.some((known) => isSamePath(known.path, problem.path))),
      );
  }
  return problems.length > 0 ? problems : meshes;
}

/** MaxText's arguments for a mesh: the axes that are given, in MaxText's order, -1 included. */
export function maxtextMeshArguments(spec: MeshSpec): string[] {
  return (['ici', 'dcn'] as const).flatMap((family) =>
    MESH_AXES.flatMap((axis) => {
      const size = spec[family]?.[axis];
      return size === undefined ? [] : [`${meshArgument(family, axis)}=${String(size)}`];
    }),
  );
}

/** Name of MaxText's argument for an axis, e.g. `ici_fsdp_parallelism`. */
export function meshArgument(family: Family, axis: MeshAxis): string {
  return `${family}_${axis}_parallelism`;
}

/** Devices along an axis, within and across slices. */
export function axisDevices(mesh: ResolvedMesh, axis: MeshAxis): number {
  return (mesh.ici[axis] ?? 1) * (mesh.dcn[axis] ?? 1);
}

/** `fsdp 4 x tensor 4`, or `1` when all axes are 1. */
export function describeAxes(axes: Readonly<Partial<Record<MeshAxis, number>>>): string {
  const parts = MESH_AXES.flatMap((axis) =>
    axes[axis] === undefined ? [] : [`${axis} ${String(axes[axis])}`],
  );
  return parts.length === 0 ? '1' : parts.join(' x ');
}

/** True when a result is a list of Problems. */
export function isProblemList<T extends object>(
  result: T | readonly Problem[],
): result is readonly Problem[] {
  return Array.isArray(result) && result.every((item: unknown) => isProblem(item));
}

function isProblem(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'rule' in item && 'fix' in item;
}

type AxisSizes = Partial<Record<MeshAxis, number>>;

function resolveFamily(
  family: Family,
  given: Readonly<AxisSizes>,
  target: number,
  unit: string,
): AxisSizes | readonly Problem[] {
  const problems = checkAxes(family, given);
  if (problems.length > 0) return problems;
  const sizes = withDefaults(family, given);
  const automatic = MESH_AXES.filter((axis) => sizes[axis] === AUTOMATIC);
  const [open, second] = automatic;
  if (second !== undefined) return [tooManyAutomatic(family, given, automatic)];
  const product = MESH_AXES.reduce((all, axis) => all * (axis === open ? 1 : (sizes[axis] ?? 1)), 1);
  if (open === undefined) {
    if (product === target) return withoutOnes(sizes);
    return [problem('MESH_PRODUCT', [family], given, { family, unit, target, product })];
  }
  if (target % product === 0) return withoutOnes({ ...sizes, [open]: target / product });
  return [
    problem('MESH_DIVISOR', [family], given, {
      family,
      target,
      unit,
      product,
      open,
      divisors: divisorsOf(target).join(', '),
    }),
  ];
}

function checkAxes(family: Family, given: Readonly<AxisSizes>): Problem[] {
  return Object.entries(given).flatMap(([axis, size]): Problem[] => {
    if (!MESH_AXES.some((known) => known === axis)) {
      const ignored = axis === 'sequence' ? '; MaxText reads the sequence flags and ignores them' : '';
      return [
        problem('MESH_AXIS', [family, axis], size, {
          meshAxes: MESH_AXES.join(', '),
          ignored,
          advice: axis === 'sequence' ? 'use context or tensor_sequence' : 'use one of these names',
        }),
      ];
    }
    if (Number.isInteger(size) && (size >= 1 || size === AUTOMATIC)) return [];
    return [problem('MESH_AXIS_SIZE', [family, axis], size)];
  });
}

function withDefaults(family: Family, given: Readonly<AxisSizes>): AxisSizes {
  return { [AUTOMATIC_BY_DEFAULT[family]]: AUTOMATIC, ...given };
}

function withoutOnes(sizes: AxisSizes): AxisSizes {
  const large: AxisSizes = {};
  for (const axis of MESH_AXES) {
    const size = sizes[axis];
    if (size !== undefined && size !== 1) large[axis] = size;
  }
  return large;
}

function tooManyAutomatic(
  family: Family,
  given: Readonly<AxisSizes>,
  automatic: readonly MeshAxis[],
): Problem {
  const byDefault = AUTOMATIC_BY_DEFAULT[family];
  const hidden = given[byDefault] === undefined;
  return problem('MESH_AUTOMATIC', [family], given, {
    family,
    automatic: automatic.join(' and '),
    text: hidden ? ` (${byDefault} is -1 when left out)` : '',
    advice: hidden ? `set ${family}.${byDefault} to 1 or another size` : 'give all but one a size',
  });
}

function checkElastic(spec: MeshSpec): Problem[] {
  const given = spec.dcn ?? {};
  const automatic = Object.values(withDefaults('dcn', given)).filter((size) => size === AUTOMATIC);
  if (automatic.length === 1) return [];
  return [problem('MESH_ELASTIC', ['dcn'], given)];
}

function divisorsOf(target: number): number[] {
  return Array.from({ length: target }, (_, index) => index + 1).filter((divisor) => target % divisor === 0);
}
