import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareProjects } from '../../lib/review';
import type { Manifest, ReviewedProject } from '../../lib/review';
import { isManifest } from '../../lib/review';
import { LIFE_CYCLE_CASES, baseRun, lifeCycleTable } from '../cluster/life-cycle';
import { platformOf } from '../cluster/shapes';
import { synthesizeProject } from '../cluster/synthesized-project';
import type { Project } from '../cluster/project';

/** The same project for the review: the suite on the control plane and this one look at the same bytes. */
function reviewed({ plan, files }: Project): ReviewedProject {
  const objects = [...files.values()].flat() as unknown[];
  return {
    plan: plan,
    objects: objects.filter((object): object is Manifest => isManifest(object)),
    fits: new Map(),
  };
}

test('the documentation has the table of the suite on the control plane', () => {
  const page = readFileSync(join(__dirname, '../../docs/verification.md'), 'utf8');
  expect(page).toContain(lifeCycleTable());
});

test.each(LIFE_CYCLE_CASES.map((change) => [change.name, change] as const))(
  'what plan --against says of "%s" is what the table says',
  (_name, { from = (run) => run, change, rayCluster, pods, job }) => {
    const spec = from(baseRun('life'));
    const before = reviewed(synthesizeProject(platformOf('life'), [spec]));
    const after = reviewed(synthesizeProject(platformOf('life'), [change(spec)]));
    const { runs } = compareProjects(before, after);
    const found = runs.find(({ name }) => name === after.plan.runs[0]!.name)!;
    // A run of another name is a new one, and whatever is new the table calls made anew.
    const named = (effect: string): string =>
      found.presence === 'added' && effect === 'added' ? 'recreated' : effect;
    expect({
      rayCluster: named(found.rayCluster.effect),
      pods: found.pods.effect,
      job: named(found.job.effect),
    }).toEqual({
      rayCluster,
      pods,
      job,
    });
  },
);
