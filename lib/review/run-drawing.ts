import { colourOf, layOut } from './device-colours';
import type { DeviceColour } from './device-colours';
import { bucketPaths, networkText } from './plan-table';
import type { PlannedRun } from '../plan';
import { workerOf } from './reviewed-project';
import type { ReviewedProject } from './reviewed-project';
import { MOST_CHIPS_DRAWN, drawSlice } from './slice-drawing';
import type { Drawing } from './slice-drawing';
import { element, escapeText, textLines, textWidth, wrapText } from './svg';
import { capacityText, count } from './words';

/** Width of a picture in its own units; a page scales it. */
export const DRAWING_WIDTH = 760;

/** Chips of all slices of a picture; further slices are named only. */
const MOST_CHIPS_IN_ALL = 2048;
const MOST_SLICES = 16;
/** Slices of at most so many chips stand beside each other. */
const SMALL_SLICE_CHIPS = 64;

const GAP = 16;
const FONT = 12;
const LINE = 16;
const BOX_PADDING = 10;
const WIRE = 22;

/** Slices, hosts, chips, networks and storage of a run, as an SVG element. */
export function drawRun(project: ReviewedProject, run: PlannedRun): string {
  const parts: Drawing[] = [
    drawControl(project, run),
    wire('submits the trainer to Ray, which places one worker a host'),
    drawSlices(run),
    drawLegend(run),
    ...drawNetworks(project, run),
    ...drawStorage(project, run),
  ];
  let y = 0;
  const placed = parts.map(({ markup, height }) => {
    const group = element('g', { transform: `translate(0 ${String(y)})` }, markup);
    y += height;
    return group;
  });
  const label = `${run.name}: ${count(run.tpu.slices.max, 'slice')} of ${run.tpu.generation} ${run.tpu.topology}`;
  return element(
    'svg',
    {
      class: 'drawing',
      viewBox: `0 0 ${String(DRAWING_WIDTH)} ${String(Math.ceil(y))}`,
      role: 'img',
      'aria-label': label,
      'font-size': FONT,
    },
    ...placed,
  );
}

/** Lines in a box; the first is strong. */
function box(lines: readonly string[], width: number, style: string): Drawing {
  const wrapped = lines.map((line) => wrapText(line, FONT, width - 2 * BOX_PADDING));
  const [first = [], ...others] = wrapped;
  const rest = others.flat();
  const height = 2 * BOX_PADDING + (first.length + rest.length) * LINE - 4;
  const markup = element(
    'g',
    { class: 'box' },
    element('rect', { class: style, x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 6 }),
    textLines(first, BOX_PADDING, BOX_PADDING + FONT - 1, LINE, { class: 'strong' }),
    textLines(rest, BOX_PADDING, BOX_PADDING + FONT - 1 + first.length * LINE, LINE),
  );
  return { markup, width, height };
}

/** Drawings beside each other, as many as the width takes, all of one width. */
function beside(make: (width: number) => readonly Drawing[], columns: number): Drawing {
  const width = (DRAWING_WIDTH - (columns - 1) * GAP) / columns;
  const drawings = make(width);
  let y = 0;
  const rows: string[] = [];
  for (let start = 0; start < drawings.length; start += columns) {
    const row = drawings.slice(start, start + columns);
    rows.push(
      ...row.map(({ markup }, index) =>
        element('g', { transform: `translate(${String(index * (width + GAP))} ${String(y)})` }, markup),
      ),
    );
    y += Math.max(...row.map(({ height }) => height)) + GAP;
  }
  return { markup: rows.join(''), width: DRAWING_WIDTH, height: Math.max(0, y - GAP) };
}

/** A line downwards with words beside it. */
function wire(words: string): Drawing {
  const x = 40;
  return {
    markup:
      element('line', { class: 'wire', x1: x, y1: 0, x2: x, y2: WIRE }) +
      textLines([words], x + 8, WIRE / 2 + 4, LINE, { class: 'quiet' }),
    width: DRAWING_WIDTH,
    height: WIRE,
  };
}

function drawControl({ plan }: ReviewedProject, run: PlannedRun): Drawing {
  const pool = plan.infrastructure.nodePools.find(({ role }) => role === 'cpu');
  const where = pool === undefined ? 'Autopilot nodes' : `node pool ${pool.name} (${pool.machineType})`;
  return beside(
    (width) => [
      box(
        [
          `submitter Job ${run.job}`,
          `waits for ${count(run.wait.hosts, 'host')} of ${count(run.wait.slices, 'slice')}`,
          where,
        ],
        width,
        'control',
      ),
      box(
        [`Ray head of ${run.rayCluster}`, `Ray ${run.rayVersion}, dashboard on port 8265`, where],
        width,
        'control',
      ),
    ],
    2,
  );
}

function drawSlices(run: PlannedRun): Drawing {
  const { tpu } = run;
  const drawn = Math.min(
    tpu.slices.max,
    MOST_SLICES,
    Math.max(1, Math.floor(MOST_CHIPS_IN_ALL / tpu.chipsPerSlice)),
  );
  const columns = drawn > 1 && tpu.chipsPerSlice <= SMALL_SLICE_CHIPS ? 2 : 1;
  const slices = beside(
    (width) =>
      Array.from({ length: drawn }, (_, index) =>
        drawSlice(run, sliceTitle(run, index), sliceNotes(run, index), width),
      ),
    columns,
  );
  if (drawn === tpu.slices.max) return slices;
  const more = `and ${count(tpu.slices.max - drawn, 'more slice')} like these`;
  return {
    ...slices,
    markup: slices.markup + textLines([more], 0, slices.height + LINE, LINE, { class: 'strong' }),
    height: slices.height + LINE + 6,
  };
}

function sliceTitle({ tpu }: PlannedRun, index: number): string {
  const isOptional = index >= tpu.slices.min;
  return `slice ${String(index)}: ${tpu.generation} ${tpu.topology}${isOptional ? ', may be absent' : ''}`;
}

function sliceNotes(run: PlannedRun, index: number): string[] {
  const { tpu } = run;
  const pool = run.nodePools[index] ?? run.nodePools[0];
  const devices = tpu.devicesPerChip > 1 ? `, ${count(tpu.devicesPerSlice, 'device')}` : '';
  const hosts = `${count(tpu.chipsPerSlice, 'chip')}${devices} on ${count(tpu.hostsPerSlice, 'host')} of ${tpu.machineType}`;
  return [hosts, `${pool === undefined ? '' : `node pool ${pool}, `}${capacityText(run.capacity)}`];
}

/** Most steps of an axis that the legend shows. */
const MOST_SWATCHES = 16;

/** What the colours mean. */
function drawLegend(run: PlannedRun): Drawing {
  const squares = run.tpu.devicesPerChip > 1 ? 'every half of a square a device' : 'every square a chip';
  if (run.mesh === undefined) return legend([], [`every frame is a host, ${squares}`]);
  const layout = layOut(run.mesh, run.tpu);
  const [first, ...others] = layout.axes;
  const rest = others.reduce((product, { size }) => product * size, 1);
  const entries: LegendEntry[] = [];
  if (first !== undefined) {
    const middle = others.map(({ axis, size }) => ({ axis, size, index: Math.floor(size / 2) }));
    entries.push({
      label: `${first.axis} ${String(first.size)}`,
      colours: sampled(first.size).map((index) => colourOf([{ ...first, index }, ...middle])),
    });
  }
  if (first !== undefined && rest > 1) {
    const one = { axis: first.axis, size: 1, index: 0 };
    entries.push({
      label: others.map((other) => `${other.axis} ${String(other.size)}`).join(' x '),
      colours: sampled(rest).map((index) => colourOf([one, { axis: first.axis, size: rest, index }])),
    });
  }
  const order = layout.isPhysical
    ? 'coloured by its place in the mesh as JAX lays it'
    : 'coloured in mesh order; which chip comes first is for JAX to say';
  const dcn = Object.entries(run.mesh.dcn).map(([axis, size]) => `${axis} ${String(size)}`);
  return legend(entries, [
    run.tpu.chipsPerSlice > MOST_CHIPS_DRAWN
      ? 'every frame is a host; its chips are too many to be drawn'
      : `every frame is a host, ${squares}, ${order}`,
    ...(dcn.length === 0 ? [] : [`across slices: dcn ${dcn.join(' x ')}`]),
  ]);
}

interface LegendEntry {
  readonly label: string;
  readonly colours: readonly DeviceColour[];
}

/** Indices of an axis, at most as many as a legend shows, first and last among them. */
function sampled(size: number): number[] {
  const steps = Math.min(size, MOST_SWATCHES);
  return Array.from({ length: steps }, (_, step) => Math.round((step * (size - 1)) / Math.max(1, steps - 1)));
}

function legend(entries: readonly LegendEntry[], words: readonly string[]): Drawing {
  let x = 0;
  const swatches = entries.flatMap(({ label, colours }) => {
    const text = element('text', { x, y: FONT + 2 }, escapeText(label));
    x += textWidth(label, FONT) + 6;
    const squares = colours.map(({ hue, lightness }) => {
      const fill = `hsl(${String(hue)} 62% ${String(lightness)}%)`;
      const square = element('rect', { class: 'chip', x, y: 3, width: 12, height: 12, rx: 2, fill });
      x += 14;
      return square;
    });
    x += 16;
    return [text, ...squares];
  });
  const lines = words.flatMap((line) => wrapText(line, FONT, DRAWING_WIDTH));
  const below = entries.length === 0 ? 0 : LINE + 4;
  return {
    markup: element(
      'g',
      { transform: 'translate(0 8)' },
      ...swatches,
      textLines(lines, 0, FONT + 2 + below, LINE, { class: 'quiet' }),
    ),
    width: DRAWING_WIDTH,
    height: 8 + below + lines.length * LINE + 8,
  };
}

function drawNetworks(project: ReviewedProject, run: PlannedRun): Drawing[] {
  if (run.network === 'none') return [];
  const { networks, nodePools } = project.plan.infrastructure;
  const used = nodePools
    .filter(({ name }) => run.nodePools.includes(name))
    .flatMap(({ additionalNetworks }) => additionalNetworks.map(({ network }) => network));
  const lines = networks
    .filter(({ name }) => used.includes(name))
    .map(({ name, mtu, subnet }) => `${name}: ${subnet.range}, MTU ${String(mtu)}`);
  const bars = [
    `network between slices: ${networkText(project, run)}`,
    ...(lines.length > 0 ? lines : [NETWORK_WORDS[run.network]]),
  ];
  return [wire('gradients travel between slices'), box(bars, DRAWING_WIDTH, 'network')];
}

const NETWORK_WORDS: Readonly<Record<'dranet' | 'host-network' | 'pod-network', string>> = {
  dranet: 'GKE makes the networks by the accelerator network profile',
  'host-network': "pods use the nodes' own network",
  'pod-network': 'the pod network carries it: it works, several times slower',
};

function drawStorage(project: ReviewedProject, run: PlannedRun): Drawing[] {
  const mounts = (workerOf(project, run)?.mounts ?? []).filter(({ isStorage }) => isStorage);
  const lines = [
    ...mounts.map(({ path, source }) => [source, `mounted at ${path} in head and workers`]),
    ...bucketPaths(run).map((path) => [path, "by the trainer's own client"]),
  ];
  if (lines.length === 0) return [];
  return [
    wire('checkpoints and data'),
    beside((width) => lines.map((texts) => box(texts, width, 'storage')), Math.min(2, lines.length)),
  ];
}
