import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kubeRayVersionsFrom } from '../../lib/kuberay/versions';
import {
  committedOutput,
  generateExamples,
  outputOf,
  projectDirectories,
  synthesizeExample,
} from '../../scripts/generate-examples';
import { rayClusterSchemaProblems } from '../support/crd-schema';

const ROOT = join(__dirname, '..', '..');
const projects = projectDirectories(ROOT);

/** Scenarios that documents and commands name. */
const SCENARIOS = [
  'elastic-8b',
  'file-cache',
  'flex-start',
  'gitops',
  'monitoring',
  'multislice-70b',
  'multislice-8b',
  'multislice-auto-profile',
  'multislice-autopilot',
  'persistent-volume',
  'reservation',
  'single-host',
  'spot',
  'tpu7x',
  'tpu7x-2-slices',
  'tutorial-a-autopilot',
  'v5e',
  'v5p',
  'v5p-4-slices',
  'v6e-16x16',
  'v6e-2x4-two-hosts',
];

test('every scenario has an example', () => {
  expect(readdirSync(join(ROOT, 'examples'))).toEqual(expect.arrayContaining(SCENARIOS));
});

describe.each(projects)('%s', (project) => {
  const directory = join(ROOT, project);
  const synthesis = synthesizeExample(directory);
  const committed = committedOutput(directory);

  test('synthesizes to exactly the committed files', () => {
    const output = outputOf(synthesis);
    expect([...committed.keys()].sort()).toEqual([...output.keys()].sort());
    // By name first: a whole manifest in a message helps nobody.
    expect([...output.keys()].filter((name) => output.get(name) !== committed.get(name))).toEqual([]);
  });

  test('its committed RayClusters fit every KubeRay release from its own upwards', () => {
    const clusters = synthesis.runs.flatMap((run) =>
      parseAllDocuments(committed.get(`dist/${run.name}.k8s.yaml`) ?? '')
        .map((document) => document.toJS() as { kind: string })
        .filter(({ kind }) => kind === 'RayCluster'),
    );
    expect(clusters).toHaveLength(synthesis.runs.length);
    for (const version of kubeRayVersionsFrom(synthesis.platform.kubeRayVersion)) {
      expect([version, clusters.flatMap((cluster) => rayClusterSchemaProblems(cluster, version))]).toEqual([
        version,
        [],
      ]);
    }
  });
});

describe.each(projects.filter((project) => project !== '.'))('%s', (project) => {
  test('its README names its command, and what it links to exists', () => {
    const text = readFileSync(join(ROOT, project, 'README.md'), 'utf8');
    expect(text).toContain(`npm run synth -- ${project}`);
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!);
    expect(links.filter((link) => !existsSync(join(ROOT, project, link)))).toEqual([]);
  });
});

describe('generateExamples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  const saved = process.env['CDK8S_OUTDIR'];

  beforeAll(() => {
    for (const [from, to] of [
      ['.', '.'],
      ['examples/spot', 'examples/spot'],
    ] as const) {
      mkdirSync(join(folder, to), { recursive: true });
      cpSync(join(ROOT, from, 'platform.yaml'), join(folder, to, 'platform.yaml'));
      cpSync(join(ROOT, from, 'runs'), join(folder, to, 'runs'), { recursive: true });
    }
    process.env['CDK8S_OUTDIR'] = join(folder, 'nowhere');
  });

  afterAll(() => {
    if (saved === undefined) delete process.env['CDK8S_OUTDIR'];
    else process.env['CDK8S_OUTDIR'] = saved;
    rmSync(folder, { recursive: true });
  });

  test('names what differs, writes it unless it only checks, and heeds nothing of the environment', () => {
    const missing = generateExamples(folder, true);
    expect(missing).toEqual(expect.arrayContaining(['plan.json', 'examples/spot/infrastructure.tsv']));
    expect(readdirSync(folder).sort()).toEqual(['examples', 'platform.yaml', 'runs']);
    expect(generateExamples(folder, false)).toEqual(missing);
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
    expect(generateExamples(folder, true)).toEqual([]);
    writeFileSync(join(folder, 'dist/removed-run.k8s.yaml'), 'left over\n');
    expect(generateExamples(folder, true)).toEqual(['dist/removed-run.k8s.yaml']);
    generateExamples(folder, false);
    expect(existsSync(join(folder, 'dist/removed-run.k8s.yaml'))).toBe(false);
  });
});
