import { join } from 'node:path';
import { memoryBars, planPage, planText, reviewRun } from '../../lib/review';
import { reviewSynthesized } from '../../lib/project/reviewed-project';
import { projectDirectories } from '../../scripts/generate-examples';
import { RUN_YAML, edited } from '../support/config-project';
import { reviewedProject } from '../support/reviewed-project';

const ROOT = join(__dirname, '..', '..');
const GIB = 2 ** 30;

test('the table of a run has everything that follows from its topology', () => {
  const project = reviewedProject();
  const { rows } = reviewRun(project, project.plan.runs[0]!);
  const values = Object.fromEntries(rows.map(({ derived, value }) => [derived, value]));
  expect(values).toEqual({
    slice: 'v6e 4x4: 16 chips',
    hosts: '4 hosts a slice, ct6e-standard-4t with 4 chips',
    slices: '1',
    'node selectors':
      'cdk8s-tpu-ray/node-pool=v6e-4x4\ncloud.google.com/gke-tpu-accelerator=tpu-v6e-slice\ncloud.google.com/gke-tpu-topology=4x4\niam.gke.io/gke-metadata-server-enabled=true',
    'worker limits': expect.stringMatching(/^google\.com\/tpu 4, cpu \d+, memory \d+Gi$/) as string,
    'Ray workers': '4, 4 a slice, TPU 4 each',
    'Ray resources': 'TPU-v6e-16-head once a slice; accelerator type TPU-V6E',
    'wait for': '4 hosts of 1 slice',
    trainer: 'maxtext, llama3-8b, 8.03B parameters',
    batch: '16 examples a step',
    mesh: 'ici fsdp 16 in a slice, dcn 1 across slices',
    'memory estimate': expect.stringMatching(/^7\.5 GiB of 31\.2 GiB per device: weights 1\.9 GiB/) as string,
    storage: '/data is gs://my-bucket (GCS FUSE)',
    capacity: 'on-demand',
    'node pools': 'v6e-4x4-0: 4 x ct6e-standard-4t',
    Job: expect.stringMatching(/^train-[0-9a-f]{8}-[0-9a-f]{8}$/) as string,
    'submission id': expect.stringMatching(/^train-[0-9a-f]{8}: another one is another run$/) as string,
  });
});

describe('memory', () => {
  const project = reviewedProject();
  const run = project.plan.runs[0]!;
  const verdict = {
    slices: 1,
    fits: true,
    argumentBytes: 6 * GIB,
    temporaryBytes: 3 * GIB,
    totalBytes: 9.5 * GIB,
    usableBytes: 31 * GIB,
  };

  test('the compiler’s word stands beside the estimate, its parts making up the total', () => {
    const bars = memoryBars(run, { key: run.fitKey ?? '', compiler: {}, verdicts: [verdict] });
    expect(bars.map(({ source, isStale }) => [source, isStale])).toEqual([
      ['estimate', false],
      ['compiled', false],
    ]);
    for (const { parts, totalBytes } of bars) {
      expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(totalBytes);
    }
  });

  test('a verdict on another run is stale', () => {
    const bars = memoryBars(run, { key: 'other', compiler: {}, verdicts: [verdict] });
    expect(bars.map(({ isStale }) => isStale)).toEqual([false, true]);
  });

  test('the key is the one the summary compares with', () => {
    const { compiler: _compiler, ...fit } = { key: run.fitKey ?? '', compiler: {} };
    expect(fit.key).toMatch(/^[0-9a-f]{8}$/);
    const changed = reviewedProject({ train: edited(RUN_YAML, ['fsdp: 16', 'fsdp: 4\n      tensor: 4']) });
    expect(changed.plan.runs[0]!.fitKey).not.toBe(fit.key);
  });

  test('a refused size has no parts to show', () => {
    const { argumentBytes: _a, temporaryBytes: _b, ...refused } = { ...verdict, fits: false };
    const [, bar] = memoryBars(run, { key: run.fitKey ?? '', compiler: {}, verdicts: [refused] });
    expect(bar).toMatchObject({ fits: false, parts: [{ part: 'needed', bytes: 9.5 * GIB }] });
  });
});

describe.each(projectDirectories(ROOT))('%s', (directory) => {
  test('E10: the plan fits into 80 columns', () => {
    const { project: shown } = reviewSynthesized(join(ROOT, directory), {});
    expect(
      planText(shown!, 80)
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  const { project } = reviewSynthesized(join(ROOT, directory), {});

  test('its text has every run, and no line is longer than the terminal allows', () => {
    const text = planText(project!, 140);
    for (const { name, job } of project!.plan.runs) {
      expect(text).toContain(`${name}\n`);
      expect(text).toContain(job);
    }
    const table = text.split('\n').filter((line) => !line.includes(' ['));
    expect(table.filter((line) => line.trimEnd().length > 140)).toEqual([]);
  });

  test('its page is one file of well-formed elements with every chip', () => {
    const page = planPage(project!);
    const chips = project!.plan.runs.reduce((sum, { tpu }) => sum + tpu.devicesPerSlice * tpu.slices.max, 0);
    expect(page.match(/<title>chip /g)).toHaveLength(chips);
    expect(page).not.toMatch(/<script|<link|\b(?:src|href)="(?!#)/);
    for (const tag of ['svg', 'g', 'rect', 'text', 'section', 'table', 'td', 'th', 'tr', 'figure']) {
      const open = (page.match(new RegExp(`<${tag}(?=[ >])[^>]*[^/]>|<${tag}>`, 'g')) ?? []).length;
      const closed = (page.match(new RegExp(`</${tag}>`, 'g')) ?? []).length;
      expect([tag, open]).toEqual([tag, closed]);
    }
  });
});

test('texts of a user mean themselves on the page', () => {
  const project = reviewedProject();
  const run = project.plan.runs[0]!;
  const image = { ...run, name: 'a<b>"&', trainer: { ...run.trainer, model: '<script>' } };
  const page = planPage({ ...project, plan: { ...project.plan, runs: [image] } });
  expect(page).not.toContain('<script>');
  expect(page).toContain('a&lt;b&gt;&quot;&amp;');
});
