const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };

/** How a duration may be written, for messages. */
export const DURATION_RULE = 'a duration is a whole number with a unit s, m, h or d, as in 90m or 12h';

/** Seconds of a duration such as `90m`, or undefined when the text is not one. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9][0-9]{0,6})([smhd])$/.exec(text);
  if (match === null) return undefined;
  const unit = UNIT_SECONDS[match[2] ?? ''];
  return unit === undefined ? undefined : Number(match[1]) * unit;
}

/** Seconds of a duration that was checked before, as text for a command line. Throws on anything else. */
export function durationSeconds(text: string): string {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new Error(`'${text}' is no duration: ${DURATION_RULE}`);
  return String(seconds);
}
