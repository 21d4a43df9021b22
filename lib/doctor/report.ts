import type { Finding, Verdict } from './finding';

/** Exit codes of the doctor. */
export const DOCTOR_EXIT = { ok: 0, missing: 1, usage: 2, cannotTell: 3 } as const;

const MARKS: Readonly<Record<Verdict, string>> = {
  ok: 'ok',
  missing: 'MISSING',
  unknown: 'cannot tell',
};

const MARK_WIDTH = 'cannot tell'.length;

/** Findings as lines by area, each with its remedy below, and a last line that counts. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ subject }) => subject.length));
  const areas = [...new Set(findings.map(({ area }) => area))];
  const lines = areas.flatMap((area) => [
    area,
    ...findings.filter((finding) => finding.area === area).flatMap((finding) => lineOf(finding, width)),
  ]);
  return [...lines, countLine(findings)].join('\n');
}

function lineOf({ subject, verdict, detail, remedy }: Finding, width: number): string[] {
  const line = `  ${MARKS[verdict].padEnd(MARK_WIDTH)}  ${subject.padEnd(width)}  ${detail.replace(/\s+/g, ' ').trim()}`;
  return remedy === undefined
    ? [line]
    : [line, `  ${' '.repeat(MARK_WIDTH)}  ${' '.repeat(width)}  -> ${remedy}`];
}

function countLine(findings: readonly Finding[]): string {
  const count = (verdict: Verdict): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  return `${String(count('ok'))} ok, ${String(count('missing'))} missing, ${String(count('unknown'))} cannot tell`;
}

/** 1 when something is missing, 3 when nothing is but something could not be told, else 0. */
export function doctorExitCode(findings: readonly Finding[]): number {
  if (findings.some(({ verdict }) => verdict === 'missing')) return DOCTOR_EXIT.missing;
  if (findings.some(({ verdict }) => verdict === 'unknown')) return DOCTOR_EXIT.cannotTell;
  return DOCTOR_EXIT.ok;
}
