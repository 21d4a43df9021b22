import { colourOf, layOut } from './device-colours';
import type { DeviceLayout } from './device-colours';
import type { PlannedRun, PlannedSlice } from '../plan';
import { element, textLines, wrapText } from './svg';

/** A piece of a picture with its size. */
export interface Drawing {
  readonly markup: string;
  readonly width: number;
  readonly height: number;
}

/** Above this many chips a slice shows its hosts only. */
export const MOST_CHIPS_DRAWN = 1024;

const PADDING = 12;
const FONT = 12;
const LINE = 16;
const LARGEST_CELL = 34;
/** Below this a plane is not put beside another. */
const SMALL_CELL = 16;
const SMALLEST_CELL = 3;
const PLANE_GAP = 14;
const HOST_GAP = 5;
const CHIP_GAP = 2;

/** Chips of a host along rows and columns of a plane. */
interface HostBlock {
  readonly rows: number;
  readonly columns: number;
}

/** One slice: a frame a host, a square a chip, coloured by its place in the mesh. `title` and `notes` stand above. */
export function drawSlice(run: PlannedRun, title: string, notes: readonly string[], width: number): Drawing {
  const inner = width - 2 * PADDING;
  const notesLines = notes.flatMap((note) => wrapText(note, FONT, inner));
  const top = PADDING + LINE + notesLines.length * LINE + 4;
  const grid = drawGrid(run, inner);
  const height = top + grid.height + PADDING;
  const markup = [
    element('rect', { class: 'panel', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8 }),
    textLines(wrapText(title, FONT, inner).slice(0, 1), PADDING, PADDING + FONT, LINE, { class: 'strong' }),
    textLines(notesLines, PADDING, PADDING + FONT + LINE, LINE, { class: 'quiet' }),
    element('g', { transform: `translate(${String(PADDING)} ${String(top)})` }, grid.markup),
  ].join('');
  return { markup, width, height };
}

/** Planes of a slice beside and below each other: the third side of the topology counts them. */
function drawGrid(run: PlannedRun, width: number): Drawing {
  const { tpu } = run;
  const [rows = 1, columns = 1, planes = 1] = tpu.topology.split('x').map(Number);
  const block = blockOf(tpu.chipsPerHost, rows, columns);
  const beside = planesBeside(planes, columns, block, width);
  const cell = cellSize(beside, columns, block, width);
  const planeWidth = lengthOf(columns, block.columns, cell);
  const planeHeight = lengthOf(rows, block.rows, cell);
  const layout = layOut(run.mesh ?? { ici: {}, dcn: {} }, tpu);
  const markup = Array.from({ length: planes }, (_, plane) => {
    const x = (plane % beside) * (planeWidth + PLANE_GAP);
    const y = Math.floor(plane / beside) * (planeHeight + PLANE_GAP);
    return element(
      'g',
      { transform: `translate(${String(x)} ${String(y)})` },
      ...drawHosts(tpu, rows, columns, block, cell),
      ...(tpu.chipsPerSlice > MOST_CHIPS_DRAWN
        ? []
        : drawChips(tpu, layout, plane, rows, columns, block, cell)),
    );
  }).join('');
  const bands = Math.ceil(planes / beside);
  return {
    markup,
    width: beside * (planeWidth + PLANE_GAP) - PLANE_GAP,
    height: bands * (planeHeight + PLANE_GAP) - PLANE_GAP,
  };
}

/** Hosts are 2x2 chips of a plane; a host of one chip or of all of them is what it is. */
function blockOf(chipsPerHost: number, rows: number, columns: number): HostBlock {
  if (chipsPerHost === 1) return { rows: 1, columns: 1 };
  if (chipsPerHost >= rows * columns) return { rows, columns };
  return { rows: 2, columns: chipsPerHost / 2 };
}

function planesBeside(planes: number, columns: number, block: HostBlock, width: number): number {
  for (let beside = planes; beside > 1; beside--) {
    if (cellSize(beside, columns, block, width) >= SMALL_CELL) return beside;
  }
  return 1;
}

function cellSize(beside: number, columns: number, block: HostBlock, width: number): number {
  const plane = (width - (beside - 1) * PLANE_GAP) / beside;
  const hosts = Math.ceil(columns / block.columns);
  return Math.max(SMALLEST_CELL, Math.min(LARGEST_CELL, (plane - hosts * 2 * HOST_GAP) / columns));
}

/** Length of so many cells in blocks with frames. */
function lengthOf(cells: number, perBlock: number, cell: number): number {
  return cells * cell + Math.ceil(cells / perBlock) * 2 * HOST_GAP;
}

/** Where a cell begins. */
function offsetOf(index: number, perBlock: number, cell: number): number {
  return index * cell + HOST_GAP + Math.floor(index / perBlock) * 2 * HOST_GAP;
}

function drawHosts(
  tpu: PlannedSlice,
  rows: number,
  columns: number,
  block: HostBlock,
  cell: number,
): string[] {
  const frames: string[] = [];
  for (let row = 0; row < rows; row += block.rows) {
    for (let column = 0; column < columns; column += block.columns) {
      frames.push(
        element(
          'rect',
          {
            class: 'host',
            x: offsetOf(column, block.columns, cell) - HOST_GAP + 1,
            y: offsetOf(row, block.rows, cell) - HOST_GAP + 1,
            width: block.columns * cell + 2 * HOST_GAP - 2,
            height: block.rows * cell + 2 * HOST_GAP - 2,
            rx: 4,
          },
          element('title', {}, `a host: ${tpu.machineType}, ${String(tpu.chipsPerHost)} chips`),
        ),
      );
    }
  }
  return frames;
}

function drawChips(
  tpu: PlannedSlice,
  layout: DeviceLayout,
  plane: number,
  rows: number,
  columns: number,
  block: HostBlock,
  cell: number,
): string[] {
  const sides = tpu.topology.split('x').length;
  const size = cell - CHIP_GAP;
  const width = size / tpu.devicesPerChip;
  const chips: string[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let device = 0; device < tpu.devicesPerChip; device++) {
        const chip = [row, column, plane].slice(0, sides);
        const positions = layout.positionOf(tpu.devicesPerChip > 1 ? [...chip, device] : chip);
        const { hue, lightness } = colourOf(positions);
        const place = positions.map(({ axis, index }) => `${axis} ${String(index)}`).join(', ');
        chips.push(
          element(
            'rect',
            {
              class: 'chip',
              x: offsetOf(column, block.columns, cell) + CHIP_GAP / 2 + device * width,
              y: offsetOf(row, block.rows, cell) + CHIP_GAP / 2,
              width: width - (tpu.devicesPerChip > 1 ? 0.75 : 0),
              height: size,
              rx: Math.min(3, size / 5),
              fill: `hsl(${String(hue)} 62% ${String(lightness)}%)`,
            },
            element('title', {}, `chip ${chip.join(',')}${place === '' ? '' : `: ${place}`}`),
          ),
        );
      }
    }
  }
  return chips;
}
