/** A buffer of a step that does not fit. */
export interface Buffer {
  readonly bytes: number;
  /** The arrays that share it, in XLA's notation. */
  readonly shapes: string;
}

/** The compiler's account of a step that does not fit. */
export interface OverflowReport {
  readonly usedBytes: number;
  readonly usableBytes: number;
  /** Largest first. */
  readonly buffers: readonly Buffer[];
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** Buffers shown to a user. */
const MOST_BUFFERS = 5;

/**
 * The overflow that libtpu logs, or undefined when there is none. The log is the source, since the error's text calls the
 * sum of arguments and temporaries just temporaries and names no buffers.
 */
export function parseOverflow(log: string): OverflowReport | undefined {
  const match = /Used ([\d.]+[KMGT]?) of ([\d.]+[KMGT]?) hbm/.exec(log);
  if (match === null) return undefined;
  const [, used = '', usable = ''] = match;
  return { usedBytes: bytesOf(used), usableBytes: bytesOf(usable), buffers: largestBuffers(log) };
}

/** What the compiler may use of a device's memory, from the log of a step that fits, or undefined. */
export function parseUsable(log: string): number | undefined {
  const match = /program HBM usage: [\d.]+[KMGT]? \/ ([\d.]+[KMGT]?)/.exec(log);
  return match?.[1] === undefined ? undefined : bytesOf(match[1]);
}

/** Rows of the first table, which holds the buffers that live together: `cumulative; size; offset; uses; shapes`. */
function largestBuffers(log: string): Buffer[] {
  const [, table = ''] = log.split(/^ +cumulative_size;.*$/m);
  return [...table.matchAll(/^ +[\d.]+\w+\( *\d+%\); +([\d.]+)([KMGT]?)i?B; +\d+; +\d+; (.*)$/gm)]
    .map(([, size = '', unit = '', shapes = '']) => ({ bytes: bytesOf(size + unit), shapes }))
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, MOST_BUFFERS);
}

function bytesOf(text: string): number {
  const unit = text.slice(-1);
  // libtpu rounds to two decimals, so that fractions of a byte mean nothing.
  return Math.round(
    Object.hasOwn(UNITS, unit) ? Number(text.slice(0, -1)) * (UNITS[unit] ?? 1) : Number(text),
  );
}
