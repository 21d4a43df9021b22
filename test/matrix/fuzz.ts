import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { describeLocated } from '../../lib/config';
import { planInfrastructure, renderInfrastructureTsv } from '../../lib/infrastructure';
import { checkManifests, manifestProblemText } from '../../lib/manifest-rules';
import { viewManifest } from '../../lib/manifest-rules/manifest';
import { yamlReading } from '../../lib/manifest-rules/yaml-reading';
import { externalReferences } from '../../lib/project/external-references';
import { rayClusterSchemaProblems } from '../support/crd-schema';
import { renderProject } from '../support/render-project';
import { bases } from './documents';
import type { Base } from './documents';
import { mutate } from './mutations';
import { Random } from './random';
import type { Tally } from './tally';

/** Files to make; fewer by the environment for a quick look. */
const FILES = Number(process.env['FUZZ_FILES'] ?? (process.env['NIGHTLY'] === '1' ? 10_000 : 2_000));

/** Fixed, so that a failure can be repeated; another seed by the environment looks further. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_830);

/** Words that only a fault of this project writes; no mutation contains them. */
const FAULT_WORDS = ['undefined', '[object Object]', 'NaN'];

/** One base with what it renders. */
interface Original {
  readonly base: Base;
  readonly platformText: string;
  readonly runText: string;
  readonly output: string;
}

/**
 * Ten thousand files, each a right one with one to three mutations: refused with complete Problems, or rendered to manifests that keep
 * every rule. Nothing throws, and no change of meaning is lost: what is accepted and says something else renders something else.
 */
export function checkMutatedFiles(tally: Tally, progress: (text: string) => void): void {
  const originals = bases().map(originalOf);
  const random = new Random(SEED);
  let accepted = 0;
  for (let index = 0; index < FILES; index += 1) {
    const original = random.pick(originals);
    const isRun = random.below(3) > 0;
    const text = mutate(isRun ? original.base.run : original.base.platform, random);
    const { faults, isAccepted } = outcome(original, isRun, text);
    if (isAccepted) accepted += 1;
    tally.check(`file ${index} of seed ${SEED}:\n${text.slice(0, 2000)}`, faults);
    if ((index + 1) % 1000 === 0) progress(`${index + 1} files, ${accepted} accepted`);
  }
  tally.check(
    'some files are accepted and most are refused',
    accepted > FILES / 100 && accepted < FILES / 2 ? [] : [`${accepted} accepted`],
  );
}

function originalOf(base: Base): Original {
  const platformText = stringify(base.platform);
  const runText = stringify(base.run);
  const project = renderProject(platformText, { [nameOf(base.run)]: runText });
  if (project.problems.length > 0)
    throw new Error(`the base document is refused:\n${project.problems.map(describeLocated).join('\n')}`);
  return { base, platformText, runText, output: outputOf(project) };
}

function nameOf(run: Base['run']): string {
  const { name } = run;
  if (typeof name !== 'string') throw new Error('the base run has no name');
  return name;
}

function outcome(
  original: Original,
  isRun: boolean,
  text: string,
): { faults: string[]; isAccepted: boolean } {
  const platformText = isRun ? original.platformText : text;
  const runText = isRun ? text : original.runText;
  try {
    const project = renderProject(platformText, { [nameOf(original.base.run)]: runText });
    if (project.problems.length > 0) return { faults: problemFaults(project.problems), isAccepted: false };
    // Legal for its field and yet not for YAML, such as the namespace 0o755: refused by the rule over rendered objects.
    const misread = yamlReading(project.objects.map(viewManifest), { kubeRayVersion: '1.7.0' });
    if (misread.length > 0) {
      const problems = misread.map(({ object, ...problem }) => ({ file: object, ...problem }));
      return { faults: problemFaults(problems), isAccepted: false };
    }
    return { faults: acceptedFaults(original, isRun, text, project), isAccepted: true };
  } catch (error) {
    return {
      faults: [`it throws: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
      isAccepted: false,
    };
  }
}

function problemFaults(problems: ReturnType<typeof renderProject>['problems']): string[] {
  return problems.flatMap((problem) => {
    const text = describeLocated(problem);
    const missing = (['file', 'rule', 'fix'] as const).filter((field) => problem[field].trim() === '');
    return [
      ...missing.map((field) => `a Problem has no ${field}: ${text}`),
      ...FAULT_WORDS.filter((word) => text.includes(word)).map((word) => `a Problem says ${word}: ${text}`),
      ...(/\n\s+at .+:\d+:\d+/.test(text) ? [`a Problem carries a stack trace: ${text}`] : []),
    ];
  });
}

function acceptedFaults(
  original: Original,
  isRun: boolean,
  text: string,
  project: ReturnType<typeof renderProject>,
): string[] {
  if (project.platform === undefined) return ['it is accepted without a platform'];
  const { kubeRayVersion } = project.platform;
  const external = externalReferences(project.platform, project.runs);
  const output = outputOf(project);
  return [
    ...checkManifests(project.objects, { kubeRayVersion, external }).map(manifestProblemText),
    ...project.objects
      .filter((object) => object['kind'] === 'RayCluster')
      .flatMap((object) => rayClusterSchemaProblems(object, kubeRayVersion)),
    ...FAULT_WORDS.filter((word) => output.includes(word)).map((word) => `the output contains ${word}`),
    ...(output === original.output && !saysTheSame(isRun ? original.base.run : original.base.platform, text)
      ? ['it says something else and renders the same']
      : []),
  ];
}

/** Everything that `npm run synth` would write, and the platform as it was read: some of it matters to other runs only. */
function outputOf(project: ReturnType<typeof renderProject>): string {
  if (project.platform === undefined) return '';
  const { plan, problems } = planInfrastructure(project.platform, project.runs);
  return JSON.stringify([
    project.platform,
    project.objects,
    renderInfrastructureTsv(plan),
    plan,
    problems,
    project.warnings,
  ]);
}

function saysTheSame(base: Base['run'], text: string): boolean {
  return isDeepStrictEqual(parse(text), base);
}
