import { reviewSynthesized } from '../../lib/project/reviewed-project';
import type { ReviewedProject } from '../../lib/review';
import { PLATFORM_YAML, RUN_YAML } from './config-project';
import { TemporaryProject } from './temporary-project';

/** A project as a reviewer sees it, from texts: runs by name. */
export function reviewedProject(
  runs: Readonly<Record<string, string>> = { train: RUN_YAML },
  platform: string = PLATFORM_YAML,
): ReviewedProject {
  const files = Object.entries(runs).map(([name, text]) => [`runs/${name}.yaml`, text] as const);
  const directory = new TemporaryProject({ 'platform.yaml': platform, ...Object.fromEntries(files) })
    .directory;
  const { project, problems } = reviewSynthesized(directory, {});
  if (project === undefined) throw new Error(JSON.stringify(problems, null, 2));
  return project;
}
