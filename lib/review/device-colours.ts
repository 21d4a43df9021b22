import { MESH_AXES, dimensionsOfAxes } from '../training';
import type { MeshAxis, ResolvedMesh } from '../training';
import type { PlannedSlice } from '../plan';

/** Where a device sits along one axis of the mesh. */
export interface AxisPosition {
  readonly axis: MeshAxis;
  readonly size: number;
  readonly index: number;
}

/** The mesh of a slice laid over its devices. */
export interface DeviceLayout {
  /** Axes larger than 1, in MaxText's order. */
  readonly axes: readonly { readonly axis: MeshAxis; readonly size: number }[];
  /** True where JAX's assignment of axes to the torus is known; else devices are counted row by row. */
  readonly isPhysical: boolean;
  /** Position of a device, given its place in the slice: the topology's sides, then the device of the chip. */
  readonly positionOf: (place: readonly number[]) => readonly AxisPosition[];
}

/** A colour of devices; `hue` is in degrees. */
export interface DeviceColour {
  readonly hue: number;
  /** Percent. */
  readonly lightness: number;
}

/** Lays the ici axes of a mesh over a slice. */
export function layOut(mesh: ResolvedMesh, slice: PlannedSlice): DeviceLayout {
  const axes = MESH_AXES.flatMap((axis) => {
    const size = mesh.ici[axis];
    return size === undefined ? [] : [{ axis, size }];
  });
  const sides = torusSides(slice);
  const dimensions = dimensionsOfAxes(mesh, slice);
  const covered = dimensions === undefined ? undefined : [...dimensions.values()].flat().length > 0;
  if (dimensions !== undefined && covered === true) {
    return {
      axes,
      isPhysical: true,
      positionOf: (place) =>
        axes.map(({ axis, size }) => ({
          axis,
          size,
          index: (dimensions.get(axis) ?? []).reduce(
            (index, dimension) => index * (sides[dimension] ?? 1) + (place[dimension] ?? 0),
            0,
          ),
        })),
    };
  }
  return {
    axes,
    isPhysical: false,
    positionOf: (place) => {
      let rest = sides.reduce((index, side, dimension) => index * side + (place[dimension] ?? 0), 0);
      const positions: AxisPosition[] = [];
      for (const { axis, size } of [...axes].reverse()) {
        positions.unshift({ axis, size, index: rest % size });
        rest = Math.floor(rest / size);
      }
      return positions;
    },
  };
}

/** Sides of the torus of devices: the topology's, and the devices of a chip where they are several. */
export function torusSides({ topology, devicesPerChip }: PlannedSlice): number[] {
  const sides = topology.split('x').map(Number);
  return devicesPerChip > 1 ? [...sides, devicesPerChip] : sides;
}

const FULL_CIRCLE = 360;
/** Part of the circle that an axis takes, so that its last colour is not its first again. */
const HUE_SPAN = 310;
/** Blue: the first hue of the first axis. */
const FIRST_HUE = 212;
const LIGHTEST = 78;
const DARKEST = 38;

/** The first axis decides the hue, all others together the lightness. */
export function colourOf(positions: readonly AxisPosition[]): DeviceColour {
  const [first, ...others] = positions;
  const hue =
    first === undefined ? FIRST_HUE : FIRST_HUE + (HUE_SPAN * first.index) / Math.max(1, first.size - 1);
  const size = others.reduce((product, other) => product * other.size, 1);
  const index = others.reduce((sum, other) => sum * other.size + other.index, 0);
  const share = size === 1 ? 0.5 : index / (size - 1);
  return {
    hue: Math.round(hue % FULL_CIRCLE),
    lightness: Math.round(LIGHTEST - (LIGHTEST - DARKEST) * share),
  };
}
