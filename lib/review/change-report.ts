import { gib } from '../training';
import { differingTexts } from './differing-texts';
import type { FieldDifference } from './field-differences';
import { OBJECT_EFFECTS, POD_EFFECTS } from './field-rules';
import { ACTION_TEXTS } from './infrastructure-effect';
import type { MemoryBar } from './memory-bar';
import type { PodChange } from './pod-change';
import type { ProjectChange } from './project-change';
import type { FieldChange, Figure, ObjectChange, RunChange } from './run-change';
import { rangeText } from './words';

/** Rows of a table under a title. */
interface Section {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, text: string])[];
  /** Fields one by one, which Markdown folds away. */
  readonly details: readonly string[];
}

/** The change of a project for a terminal. */
export function changeText(change: ProjectChange): string {
  const sections = sectionsOf(change).map(({ title, rows, details }) => {
    const width = Math.max(0, ...rows.map(([name]) => name.length));
    return [
      title,
      ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
      ...details.map((detail) => `    ${detail}`),
    ].join('\n');
  });
  return [headline(change), ...sections].join('\n\n');
}

/** The change of a project for a comment on a pull request. */
export function changeMarkdown(change: ProjectChange): string {
  const sections = sectionsOf(change).map(({ title, rows, details }) =>
    [
      `### ${escapeCell(title)}`,
      '',
      '| | |',
      '|---|---|',
      ...rows.map(([name, text]) => `| ${escapeCell(name)} | ${escapeCell(text)} |`),
      ...(details.length === 0
        ? []
        : [
            '',
            `<details><summary>${String(details.length)} ${details.length === 1 ? 'field' : 'fields'}</summary>`,
            '',
            ...details.map((detail) => `- \`${detail.replaceAll('`', "'")}\``),
            '',
            '</details>',
          ]),
    ].join('\n'),
  );
  return `${['## What applying this does', '', `**${escapeCell(headline(change))}**`].join('\n')}\n\n${sections.join('\n\n')}\n`;
}

/** The gravest things in one line. */
export function headline({ runs, objects, infrastructure, findings }: ProjectChange): string {
  const has = (condition: string): number => findings.filter((found) => found.condition === condition).length;
  const parts = [
    has('cluster') > 0 ? 'another cluster is needed' : '',
    counted(has('recreated'), 'run is torn down and made anew', 'runs are torn down and made anew'),
    counted(has('removed'), 'run is gone or smaller', 'runs are gone or smaller'),
    counted(has('rerun'), 'run trains again', 'runs train again'),
    counted(runs.filter(({ presence }) => presence === 'added').length, 'run is new', 'runs are new'),
    counted(has('rejected'), 'change is refused', 'changes are refused'),
    counted(has('pending'), 'run cannot be placed', 'runs cannot be placed'),
    counted(
      has('ignored'),
      'change does not reach pods that are up',
      'changes do not reach pods that are up',
    ),
    counted(
      infrastructure.filter(({ action }) => action !== 'nothing').length,
      'resource of the infrastructure differs',
      'resources of the infrastructure differ',
    ),
  ].filter((part) => part !== '');
  if (parts.length > 0) return parts.join('; ');
  const isSame = objects.length === 0 && infrastructure.length === 0 && runs.every(isUntouched);
  return isSame ? 'nothing changes' : 'no running pod is touched, and nothing trains again';
}

function isUntouched({ rayCluster, job }: RunChange): boolean {
  return rayCluster.effect === 'unchanged' && job.effect === 'unchanged';
}

function sectionsOf(change: ProjectChange): Section[] {
  const touched = change.runs.filter((run) => !isUntouched(run));
  const same = change.runs.filter(isUntouched).map(({ name }) => name);
  const { objects, infrastructure, chips } = change;
  const isNamespaced = new Set(change.runs.map(({ namespace }) => namespace)).size > 1;
  return [
    ...touched.map((run) => runSection(run, isNamespaced)),
    ...(same.length === 0
      ? []
      : [{ title: 'Untouched', rows: [['runs', same.join(', ')] as const], details: [] }]),
    ...(objects.length === 0
      ? []
      : [
          {
            title: 'Other objects',
            rows: objects.map(({ title, effect }) => [title, OBJECT_EFFECTS[effect]] as const),
            details: objects.flatMap(({ title, fields }) =>
              fields.map((field) => `${title} ${fieldText(field)}`),
            ),
          },
        ]),
    ...(infrastructure.length === 0
      ? []
      : [
          {
            title: 'Infrastructure',
            rows: infrastructure.map(
              ({ kind, name, action, why }) =>
                [`${kind} ${name}`, `${ACTION_TEXTS[action]}: ${why}`] as const,
            ),
            details: infrastructure.flatMap(({ kind, name, fields }) =>
              fields.map((field) => `${kind} ${name} ${differenceText(field)}`),
            ),
          },
        ]),
    ...(chips.length === 0
      ? []
      : [
          {
            title: 'Chips',
            rows: chips.map(
              ({ what, before, after }) =>
                [what, before === after ? String(after) : `${String(before)} -> ${String(after)}`] as const,
            ),
            details: [],
          },
        ]),
  ];
}

/** A run under its name, with the namespace where runs of the change lie in several. */
function runSection(run: RunChange, isNamespaced: boolean): Section {
  const { presence, rayCluster, pods, job } = run;
  const memory = memoryText(run.memory);
  const name = isNamespaced ? `${run.namespace}/${run.name}` : run.name;
  return {
    title: presence === 'kept' ? name : `${name}: ${presence}`,
    rows: [
      ['RayCluster', OBJECT_EFFECTS[rayCluster.effect]],
      ['pods of Ray', podsText(pods)],
      [
        'submitter Job',
        run.stuck === undefined ? jobText(job) : `${jobText(job)}; it never starts: ${run.stuck}`,
      ],
      ['slices', figureText(run.slices, rangeText)],
      ['chips', figureText(run.chips, String)],
      ...(isEmpty(run.batch) ? [] : [['examples a step', figureText(run.batch, rangeText)] as const]),
      ...(memory === '' ? [] : [['memory per device', memory] as const]),
    ],
    details: [...rayCluster.fields, ...job.fields].map(fieldText),
  };
}

function podsText({ effect, why, ignored }: PodChange): string {
  const text = why === '' ? POD_EFFECTS[effect] : `${POD_EFFECTS[effect]}: ${why}`;
  return ignored === undefined ? text : `${text}; of those that are up, ignored by the operator: ${ignored}`;
}

function jobText({ effect, why, title }: ObjectChange & { why: readonly string[] }): string {
  if (effect === 'recreated')
    return `made anew, trains again as ${title.replace(/^Job (.*\/)?/, '')}: ${why.join('; ')}`;
  if (effect === 'attaches') {
    return `another Job, ${title.replace(/^Job (.*\/)?/, '')}, attaches to the run that is there, and nothing trains again`;
  }
  return OBJECT_EFFECTS[effect];
}

function fieldText(field: FieldChange): string {
  return `${differenceText(field)} (${OBJECT_EFFECTS[field.effect]})`;
}

function differenceText({ path, before, after }: FieldDifference): string {
  return `${path}: ${differingTexts(before, after).join(' -> ')}`;
}

function isEmpty({ before, after }: Figure<unknown>): boolean {
  return before === undefined && after === undefined;
}

function figureText<T>({ before, after }: Figure<T>, write: (value: T) => string): string {
  const [was, is] = [before, after].map((value) => (value === undefined ? 'none' : write(value)));
  return was === is ? (is ?? '') : `${was ?? ''} -> ${is ?? ''}`;
}

/** The largest bar of each source on both sides. */
function memoryText({ before, after }: RunChange['memory']): string {
  return (['estimate', 'compiled'] as const)
    .flatMap((source) => {
      const [was, is] = [largest(before, source), largest(after, source)];
      if (was === undefined && is === undefined) return [];
      const usable = (is ?? was)?.usableBytes ?? 0;
      const figure = figureText({ before: was, after: is }, barText);
      const note =
        is?.isStale === true
          ? ', stale: run the compile check again'
          : is?.fits === false
            ? ', does not fit'
            : '';
      return [`${source} ${figure} of ${gib(usable)}${note}`];
    })
    .join('; ');
}

function largest(bars: readonly MemoryBar[] | undefined, source: MemoryBar['source']): MemoryBar | undefined {
  return bars
    ?.filter((bar) => bar.source === source)
    .reduce<MemoryBar | undefined>(
      (most, bar) => (most === undefined || bar.totalBytes > most.totalBytes ? bar : most),
      undefined,
    );
}

function barText({ totalBytes }: MemoryBar): string {
  return gib(totalBytes);
}

function counted(amount: number, one: string, many: string): string {
  return amount === 0 ? '' : `${String(amount)} ${amount === 1 ? one : many}`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
