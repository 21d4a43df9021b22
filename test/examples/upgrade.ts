import type { ReleaseBaseline, RunOutput } from '../../scripts/generate-release-baseline';

/** What an upgrade of this package does to runs that nobody changed, by `project/run`. */
export interface Upgrade {
  /** Runs that get another submission id, and so train again where they are applied. */
  readonly reruns: readonly string[];
  /** Runs that get another Job, which attaches to the run that is there. */
  readonly jobs: readonly string[];
  /** Runs whose RayCluster gets another spec. */
  readonly rayClusters: readonly string[];
}

/** The difference of two outputs over the runs that both have. */
export function upgradeOf(
  before: ReleaseBaseline['runs'],
  after: Readonly<Record<string, RunOutput>>,
): Upgrade {
  const both = Object.keys(before).filter((name) => name in after);
  const differing = (part: keyof RunOutput): string[] =>
    both.filter((name) => before[name]?.[part] !== after[name]?.[part]);
  const reruns = differing('submission');
  return {
    reruns,
    jobs: differing('job').filter((name) => !reruns.includes(name)),
    rayClusters: differing('rayCluster'),
  };
}

/** How the changelog says it. */
const LINES = { reruns: 'Runs again', jobs: 'New Jobs', rayClusters: 'RayClusters change' } as const;

/**
 * What the section of a version in the changelog fails to say of an upgrade: lines `- Runs again: …`, `- New Jobs: …` and
 * `- RayClusters change: …`, each with `every run` or the runs by name.
 */
export function unsaid(changelog: string, version: string, upgrade: Upgrade): string[] {
  const section = new RegExp(
    `^## ${version.replaceAll('.', '\\.')}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`,
    'm',
  ).exec(changelog);
  return (['reruns', 'jobs', 'rayClusters'] as const).flatMap((part) => {
    if (upgrade[part].length === 0) return [];
    const line = new RegExp(`^- ${LINES[part]}: (.*(?:\\n  .*)*)$`, 'm').exec(section?.[1] ?? '')?.[1] ?? '';
    if (line.includes('every run')) return [];
    const named = line.split(/[\s,]+/);
    return upgrade[part]
      .filter((name) => !named.includes(name))
      .map((name) => `CHANGELOG.md, ${version}: no line "- ${LINES[part]}: …" names ${name}`);
  });
}
