import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planInfrastructure } from '../../lib/infrastructure';
import { TRAINER_KINDS, trainerKind } from '../../lib/training';
import { edited, readProject } from '../support/config-project';
import { PLATFORM, RUN, TORCH, runProblems, trainingRun } from '../support/training-run';

const ROOT = join(__dirname, '../..');
const WITH_REPOSITORY = { ...PLATFORM, imageRepository: { name: 'tpu-ray' } };
const { image: _image, ...WITHOUT_IMAGE } = RUN;
const { image: _torchImage, ...TORCH_WITHOUT_IMAGE } = TORCH;
const DIGEST = `sha256:${'0a'.repeat(32)}`;

/** The quick start with other values in platform.yaml, and the images that its infrastructure would build. */
function quickStart(...changes: readonly (readonly [string, string])[]): string[] {
  const platform = edited(readFileSync(join(ROOT, 'platform.yaml'), 'utf8'), ...changes);
  const run = readFileSync(join(ROOT, 'runs/llama3-8b.yaml'), 'utf8');
  const project = readProject(platform, { 'llama3-8b': run });
  expect(project.problems).toEqual([]);
  if (project.platform === undefined) throw new Error('no platform');
  return planInfrastructure(project.platform, project.runs).plan.images.map(({ name }) => name);
}

test("B12: the quick start's image follows from platform.yaml, in any region", () => {
  expect(quickStart()).toEqual(['us-east5-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5']);
  expect(
    quickStart(
      ['project: my-project', 'project: acme-train'],
      ['region: us-east5', 'region: europe-west4'],
      ['zone: us-east5-b', 'zone: europe-west4-a'],
      ['my-project-tpu-ray', 'acme-train-tpu-ray'],
    ),
  ).toEqual(['europe-west4-docker.pkg.dev/acme-train/tpu-ray/maxtext:0.2.5']);
});

test.each([
  [WITHOUT_IMAGE, 'us-east5-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5'],
  [TORCH_WITHOUT_IMAGE, 'us-east5-docker.pkg.dev/my-project/tpu-ray/torchtpu:0.2.0'],
])('B12: a run that names no image has that of its trainer kind', (run, image) => {
  expect(trainingRun(run, WITH_REPOSITORY).image).toBe(image);
  expect(trainingRun({ ...run, image }, WITH_REPOSITORY).submissionId).toEqual(
    trainingRun(run, WITH_REPOSITORY).submissionId,
  );
});

test('B12: without an imageRepository a run names its image', () => {
  expect(runProblems(WITHOUT_IMAGE)).toEqual([
    'image: missing: a run names its image, unless platform.yaml has an imageRepository from which it follows; set imageRepository in platform.yaml, or write image as in HOST/PROJECT/REPOSITORY/NAME:TAG',
  ]);
});

test.each([
  ['of another region', 'us-central1-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5'],
  ['of another repository', 'us-east5-docker.pkg.dev/my-project/tpu-ray-2/maxtext:0.2.5'],
  ['of a multi-region', 'us-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5'],
  ['of Container Registry', 'eu.gcr.io/my-project/maxtext:0.2.5'],
  ['without a tag', 'us-central1-docker.pkg.dev/my-project/tpu-ray/maxtext'],
])("B12: an image %s of the project's own registries is built nowhere, and is refused", (_what, image) => {
  expect(runProblems({ ...RUN, image }, WITH_REPOSITORY)).toEqual([
    `image: '${image}': an image of my-project's own registries lies in the imageRepository of platform.yaml, us-east5-docker.pkg.dev/my-project/tpu-ray, where the scripts build it; they build this one nowhere; leave image out for us-east5-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5, or write it with its digest, NAME@sha256:…, if it exists already`,
  ]);
});

test.each([
  ['its digest', `us-central1-docker.pkg.dev/my-project/tpu-ray/maxtext@${DIGEST}`],
  ["another project's registry", 'us-central1-docker.pkg.dev/shared-images/tpu-ray/maxtext:0.2.5'],
  ['a project whose name begins alike', 'us-central1-docker.pkg.dev/my-project-2/tpu-ray/maxtext:0.2.5'],
  ['another host', 'registry.example/my-project/tpu-ray/maxtext:0.2.5'],
])('B12: an image with %s is taken as it is', (_what, image) => {
  expect(runProblems({ ...RUN, image }, WITH_REPOSITORY)).toEqual([]);
});

test('B12: a project that has no imageRepository brings its images itself', () => {
  expect(runProblems({ ...RUN, image: 'us-central1-docker.pkg.dev/my-project/a/maxtext:1' })).toEqual([]);
});

test('B12: a project of a domain is two parts of the path', () => {
  const platform = { ...WITH_REPOSITORY, project: 'example.com:my-project' };
  expect(trainingRun(WITHOUT_IMAGE, platform).image).toBe(
    'us-east5-docker.pkg.dev/example.com/my-project/tpu-ray/maxtext:0.2.5',
  );
});

test.each(TRAINER_KINDS)('B12: the tag of the image of %s is the version of what it is made of', (kind) => {
  const { image } = trainerKind(kind);
  if (image === undefined) throw new Error('no image');
  const packages = readFileSync(join(ROOT, 'images', image.folder, 'requirements.in'), 'utf8');
  const program = image.folder === 'maxtext' ? 'maxtext[tpu]' : 'torch-tpu';
  expect(packages).toContain(`${program}==${image.tag}\n`);
});
