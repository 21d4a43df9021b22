import { pathText } from '../../lib/problems';
import { PLATFORM_YAML, edited, problemsOfProject, problemsOfRun } from '../support/config-project';

function toldOf(problems: ReturnType<typeof problemsOfRun>): string[] {
  return problems.map(({ id, path, fix }) => `${pathText(path)} ${id}: ${fix}`);
}

const KINDS = 'maxtext, torchtpu-collectives, torchtpu-finetune';

describe('E5: a union without its discriminator has one Problem', () => {
  test.each([
    ['trainer', '  kind: maxtext\n', '', `trainer.kind KEY_MISSING: add it: one of ${KINDS}`],
    [
      'a volume',
      '  - kind: gcs-fuse\n    mountPath',
      '  - mountPath',
      'volumes[0].kind KEY_MISSING: add it: one of gcs-fuse, empty-dir, claim',
    ],
    [
      'capacity',
      'topology: 4x4',
      'topology: 4x4\n  capacity: {name: mine}',
      'tpu.capacity.kind KEY_MISSING: add it: one of on-demand, spot, flex-start, queued, reservation',
    ],
  ])('%s', (_, from, to, told) => {
    expect(toldOf(problemsOfRun([from, to]))).toEqual([told]);
  });

  test.each([
    ['slices', 'topology: 4x4', 'topology: 4x4\n  slices: {}', 'tpu.slices'],
    ['a variable', 'name: train', 'env: {A: {}}\nname: train', 'env.A'],
  ])('%s', (_, from, to, path) => {
    expect(problemsOfRun([from, to]).map((each) => pathText(each.path))).toEqual([path]);
  });

  test('misspelt, it is told as such, and the rest is still checked', () => {
    expect(toldOf(problemsOfRun(['  kind: maxtext', '  knd: maxtext'], ['steps:', 'stpes:']))).toEqual([
      'trainer.knd KEY_UNKNOWN: did you mean kind?',
    ]);
    expect(
      problemsOfRun(['  kind: maxtext', '  knd: maxtext'], ['topology: 4x4', 'topology: 4x5']).map(
        ({ id }) => id,
      ),
    ).toEqual(['TPU_TOPOLOGY', 'KEY_UNKNOWN']);
  });

  test('a kind that is none has one Problem', () => {
    expect(toldOf(problemsOfRun(['kind: maxtext', 'kind: maxtxt']))).toEqual([
      'trainer.kind VALUE_CHOICE: did you mean maxtext?',
    ]);
  });
});

describe('E6: advice for what first users write', () => {
  const spot = 'write kind: spot on the line below, indented, and what else it needs beneath';
  const secret = 'write {secretName: a, key: b}';
  test.each([
    ['tpu.capacity', 'topology: 4x4', 'topology: 4x4\n  capacity: spot', spot],
    ['tpu.capacity', 'topology: 4x4', 'topology: 4x4\n  capacity: Spot', spot],
    [
      'tpu.capacity',
      'topology: 4x4',
      'topology: 4x4\n  capacity: cheapest',
      'write kind: … on the line below, indented, with one of on-demand, spot, flex-start, queued, reservation',
    ],
    ['trainer.steps', 'steps: 100', 'steps: 1_000', 'write 1000: numbers have no separators'],
    ['trainer.steps', 'steps: 100', 'steps: 1,000,000', 'write 1000000: numbers have no separators'],
    ['trainer.steps', 'steps: 100', 'steps: "100"', 'write it without quotes'],
    ['trainer.steps', 'steps: 100', 'steps: many', 'write a number, in digits'],
    ['monitoring', 'name: train', 'monitoring: yes\nname: train', 'write true: YAML 1.2 reads yes as text'],
    ['monitoring', 'name: train', 'monitoring: Off\nname: train', 'write false: YAML 1.2 reads Off as text'],
    ['monitoring', 'name: train', 'monitoring: "true"\nname: train', 'write it without quotes'],
    ['monitoring', 'name: train', 'monitoring: maybe\nname: train', 'write true or false'],
    ['env.A', 'name: train', 'env: {A: {secretKeyRef: {name: a, key: b}}}\nname: train', secret],
    ['env.A', 'name: train', 'env: {A: {valueFrom: {secretKeyRef: {name: a, key: b}}}}\nname: train', secret],
    [
      'env.A',
      'name: train',
      'env: {A: {valueFrom: {fieldRef: {fieldPath: metadata.name}}}}\nname: train',
      'write text in quotes, or {secretName: …, key: …} for a key of a Secret',
    ],
    ['env.A', 'name: train', 'env: {A: 1}\nname: train', 'put quotes around a number or true and false'],
    ['env.A', 'name: train', 'env:\n  A:\nname: train', 'write "" for empty text, or leave the variable out'],
    [
      'env',
      'name: train',
      'env: [{name: A, value: b}]\nname: train',
      'write keys and values, indented, without the dashes of a list',
    ],
  ])('%s: %j, %j', (path, from, to, fix) => {
    expect(problemsOfRun([from, to]).map((each) => [pathText(each.path), each.fix])).toEqual([[path, fix]]);
  });

  test('an unknown key is told with the nearest known one, else with all of them', () => {
    expect(problemsOfRun(['steps:', 'stpes:'])).toMatchObject([
      { id: 'KEY_UNKNOWN', rule: 'unknown key stpes', fix: 'did you mean steps?' },
    ]);
    expect(problemsOfProject(edited(PLATFORM_YAML, ['bucket:', 'warehouse:']), {})).toMatchObject([
      {
        id: 'KEY_UNKNOWN',
        rule: expect.stringContaining('unknown key warehouse: known keys are project, ') as string,
      },
    ]);
  });
});
