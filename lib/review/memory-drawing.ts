import { gib } from '../training';
import type { MemoryBar, MemoryPart } from './memory-bar';
import { element, escapeText, textLines, textWidth } from './svg';
import { count } from './words';

const WIDTH = 760;
const FONT = 12;
const LABEL_WIDTH = 150;
const FIGURES_WIDTH = 160;
const BAR_HEIGHT = 20;
const ROW = 30;
const LEGEND_ROW = 20;

/** Class of a part's rectangle, which gives its colour. */
const CLASSES: Readonly<Record<MemoryPart, string>> = {
  weights: 'weights',
  'first moment': 'first-moment',
  'second moment': 'second-moment',
  gradients: 'gradients',
  'weights and moments': 'arguments',
  temporaries: 'temporaries',
  needed: 'needed',
};

/** The memory of one device, a bar for each size and source, as an SVG element. */
export function drawMemory(bars: readonly MemoryBar[]): string {
  const most = Math.max(...bars.map(({ deviceBytes, totalBytes }) => Math.max(deviceBytes, totalBytes)));
  const scale = (WIDTH - LABEL_WIDTH - FIGURES_WIDTH) / most;
  const rows = bars.map((bar, index) =>
    element('g', { transform: `translate(0 ${String(index * ROW)})` }, drawBar(bar, scale)),
  );
  const legend = drawLegend([...new Set(bars.flatMap(({ parts }) => parts.map(({ part }) => part)))]);
  const height = bars.length * ROW + 6 + legend.rows * LEGEND_ROW;
  return element(
    'svg',
    {
      class: 'memory',
      viewBox: `0 0 ${String(WIDTH)} ${String(height)}`,
      role: 'img',
      'aria-label': 'memory of a device',
      'font-size': FONT,
    },
    ...rows,
    element(
      'g',
      { transform: `translate(${String(LABEL_WIDTH)} ${String(bars.length * ROW + 4)})` },
      legend.markup,
    ),
  );
}

function drawBar(bar: MemoryBar, scale: number): string {
  const y = (ROW - BAR_HEIGHT) / 2;
  let x = LABEL_WIDTH;
  const parts = bar.parts.map(({ part, bytes }) => {
    const width = bytes * scale;
    const rect = element(
      'rect',
      { class: CLASSES[part], x, y, width, height: BAR_HEIGHT },
      element('title', {}, escapeText(`${part}: ${gib(bytes)}`)),
    );
    x += width;
    return rect;
  });
  const limit = LABEL_WIDTH + bar.usableBytes * scale;
  const baseline = y + BAR_HEIGHT / 2 + 4;
  const stale = bar.isStale ? ' (stale)' : '';
  const label = `${count(bar.slices, 'slice')}, ${bar.source}${stale}`;
  const figures = `${gib(bar.totalBytes).replace(' GiB', '')} of ${gib(bar.usableBytes)}${bar.fits ? '' : '!'}`;
  return [
    element('rect', {
      class: 'device',
      x: LABEL_WIDTH,
      y,
      width: bar.deviceBytes * scale,
      height: BAR_HEIGHT,
    }),
    ...parts,
    element('line', { class: 'limit', x1: limit, y1: y - 4, x2: limit, y2: y + BAR_HEIGHT + 4 }),
    textLines([label], 0, baseline, ROW),
    textLines([figures], WIDTH - FIGURES_WIDTH + 12, baseline, ROW, bar.fits ? {} : { class: 'strong' }),
  ].join('');
}

/** Marks with their names, in as many rows as they need. */
function drawLegend(parts: readonly MemoryPart[]): { markup: string; rows: number } {
  const entries = [
    ...parts.map((part) => ({
      name: part,
      mark: element('rect', { class: CLASSES[part], x: 0, y: 2, width: 12, height: 12 }),
    })),
    { name: 'usable', mark: element('line', { class: 'limit', x1: 6, y1: 1, x2: 6, y2: 15 }) },
  ];
  let [x, row] = [0, 0];
  const markup = entries.map(({ name, mark }) => {
    const width = 18 + textWidth(name, FONT) + 14;
    if (x + width > WIDTH - LABEL_WIDTH) [x, row] = [0, row + 1];
    const place = `translate(${String(Math.round(x))} ${String(row * LEGEND_ROW)})`;
    x += width;
    return element('g', { transform: place }, mark, element('text', { x: 18, y: 12 }, escapeText(name)));
  });
  return { markup: markup.join(''), rows: row + 1 };
}
