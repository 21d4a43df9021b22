import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiObject } from 'cdk8s';
import fc from 'fast-check';
import { createProjectApp } from '../../lib/charts';
import { loadTrainerSources } from '../../lib/project/trainer-sources-loader';
import { TrainerSourceFiles } from '../../lib/run';
import type { PlatformSpec, RunSpec } from '../../lib/run';
import { TRAINER_KINDS } from '../../lib/training';
import { PLATFORM as OLDER, RUN, TORCH, trainingRun } from '../support/training-run';
import { IDENTITY_CASES, WHOLE_FIELDS } from './identity-effects';
import type { IdentityEffect } from './identity-effects';

const ROOT = join(__dirname, '..', '..');
const PLATFORM: PlatformSpec = { ...OLDER, kubeRayVersion: '1.6.0' };

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: unknown;
  readonly spec: { template: { spec: { containers: { args: string[] }[] } } };
}

function rendered(spec: RunSpec, platform: PlatformSpec, sources: TrainerSourceFiles): Rendered[] {
  const run = trainingRun(spec, platform);
  const app = createProjectApp({
    platform: run.platform,
    runs: [run],
    sources: new Map([[sources.kind, sources]]),
    outdir: 'unused',
  });
  return app.node
    .findAll()
    .filter((construct) => ApiObject.isApiObject(construct))
    .map((object) => object.toJson() as Rendered);
}

function effectOf(before: readonly Rendered[], after: readonly Rendered[]): IdentityEffect {
  const [was, is] = [before, after].map((objects) => objects.find(({ kind }) => kind === 'Job')!);
  const [one, other] = [was!, is!].map(({ spec }) => {
    const { args } = spec.template.spec.containers[0]!;
    return args[args.indexOf('--submission-id') + 1];
  });
  if (one !== other) return 'new run';
  return was!.metadata.name === is!.metadata.name ? 'nothing' : 'new Job that attaches';
}

const SOURCES = new TrainerSourceFiles('maxtext', { 'tpu_trainers/maxtext.py': 'pass\n' });

test.each(IDENTITY_CASES.map((each) => [each.file, each.field, each.effect, each] as const))(
  'A4: %s %s: %s',
  (_file, _field, effect, { from = RUN, run = from, platform = {} }) => {
    const before = rendered(from, PLATFORM, SOURCES);
    expect(effectOf(before, rendered(run, { ...PLATFORM, ...platform }, SOURCES))).toBe(effect);
    expect(effectOf(before, rendered(structuredClone(from), PLATFORM, SOURCES))).toBe('nothing');
  },
);

test('A4: every field of the run file is among them', () => {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const runFile = page.slice(page.indexOf('| `name` |'), page.indexOf('| `runId` |') + 1);
  const fields = [...runFile.matchAll(/^\| `([^`]+)` \| (.*?) \|/gm)].map(([, field]) => field!);
  const leaves = [...fields, 'runId'].filter(
    (field) => !fields.some((other) => other.startsWith(`${field}.`)),
  );
  const named = new Set(IDENTITY_CASES.filter(({ file }) => file === 'run').map(({ field }) => field));
  const missing = leaves.filter(
    (field) => !named.has(field) && !WHOLE_FIELDS.some((whole) => field.startsWith(`${whole}.`)),
  );
  // The name is another run by definition; /dev/shm of the submitter is not mounted.
  expect(missing).toEqual(['name', 'resources.submitter.sharedMemory']);
});

test('docs/plan.md has the table', () => {
  const row = ({ file, field, effect }: (typeof IDENTITY_CASES)[number]): string =>
    `| ${file} | \`${field}\` | ${effect} |`;
  expect(readFileSync(join(ROOT, 'docs/plan.md'), 'utf8')).toContain(
    ['| file | field | effect |', '|---|---|---|', ...IDENTITY_CASES.map(row), ''].join('\n'),
  );
});

describe.each(TRAINER_KINDS)('A5: the sources of %s', (kind) => {
  const sources = loadTrainerSources(kind);
  const spec: RunSpec =
    kind === 'maxtext'
      ? RUN
      : kind === 'torchtpu-collectives'
        ? TORCH
        : { ...TORCH, trainer: { kind: 'torchtpu-finetune', storagePath: 'gs://my-bucket/out' } };
  const before = rendered(spec, PLATFORM, sources);
  const dataOf = (objects: readonly Rendered[]): Rendered =>
    objects.find(({ metadata }) => metadata.name === `trainer-${kind}`)!;

  test('one comment changed in any of them changes no Job, and the ConfigMap in place', () => {
    expect(sources.paths).toContain('tpu_trainers/submit.py');
    for (const path of sources.paths) {
      fc.assert(
        fc.property(fc.stringMatching(/^[ -~]{1,40}$/), (comment) => {
          const files = Object.fromEntries(
            sources.paths.map((each) => [each, sources.text(each) + (each === path ? `# ${comment}\n` : '')]),
          );
          const changed = new TrainerSourceFiles(kind, files);
          const after = rendered(spec, PLATFORM, changed);
          expect(after.filter((object) => object.metadata.name !== `trainer-${kind}`)).toEqual(
            before.filter((object) => object.metadata.name !== `trainer-${kind}`),
          );
          expect(dataOf(after).data).not.toEqual(dataOf(before).data);
          expect(changed.digest).not.toBe(sources.digest);
        }),
        { numRuns: 2 },
      );
    }
  });
});
