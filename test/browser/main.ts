import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { reviewSynthesized } from '../../lib/project/reviewed-project';
import { planPage } from '../../lib/review';
import type { ReviewedProject } from '../../lib/review';
import { memoryBars } from '../../lib/review';
import { Browser } from './devtools';
import { FIND_FAULTS } from './page-faults';
import type { PageFaults } from './page-faults';

/** Projects whose pages are looked at: the quick start, several slices, two devices a chip, many hosts, a long page. */
const PROJECTS = [
  '.',
  'examples/multislice-70b',
  'examples/multislice-autopilot',
  'examples/elastic-8b',
  'examples/tpu7x',
  'examples/v6e-16x16',
  'examples/v5p',
  'examples/single-host',
  'examples/persistent-volume',
];

const SIZES = [
  { width: 1280, height: 900 },
  { width: 800, height: 900 },
];

const ROOT = join(__dirname, '../..');

let passed = 0;
let failed = 0;

function record(title: string, faults: PageFaults): void {
  if (faults.length === 0) passed++;
  else failed++;
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'}  ${title}`);
  for (const fault of faults) console.log(`        ${fault}`);
}

async function main(): Promise<void> {
  const command = execFileSync('bash', [join(ROOT, 'test/browser/chromium.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-pages-'));
  const browser = new Browser(command);
  const stop = (signal: NodeJS.Signals): void => {
    void browser.close().then(() => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    for (const directory of PROJECTS) await lookAtProject(browser, folder, directory);
    await lookAtCompiled(browser, folder);
    await findsFaults(browser, folder);
    for (const name of readdirSync(join(ROOT, 'docs/images')).filter((file) => file.endsWith('.svg'))) {
      await lookAtPicture(browser, folder, name);
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function review(directory: string): ReviewedProject {
  const { project, problems } = reviewSynthesized(join(ROOT, directory), {});
  if (project === undefined) throw new Error(`${directory}: ${String(problems.length)} problems`);
  return project;
}

async function lookAtProject(browser: Browser, folder: string, directory: string): Promise<void> {
  const project = review(directory);
  const name = directory === '.' ? 'quick-start' : basename(directory);
  const file = join(folder, `${name}.html`);
  writeFileSync(file, planPage(project));
  for (const size of SIZES) {
    const title = `${name} at ${String(size.width)}`;
    record(`${title}: nothing overflows`, await browser.evaluate<PageFaults>(file, size, FIND_FAULTS));
    await keepPicture(browser, file, size, title);
  }
  record(`${name}: what the plan says is on the page`, await missingContent(browser, file, project));
}

/** With SCREENSHOTS=DIR, pictures of every page for people. */
async function keepPicture(
  browser: Browser,
  file: string,
  size: { width: number; height: number },
  title: string,
): Promise<void> {
  const target = process.env['SCREENSHOTS'];
  if (target === undefined) return;
  mkdirSync(target, { recursive: true });
  await browser.screenshot(file, size, join(target, `${title.replaceAll(' ', '-')}.png`));
}

async function missingContent(browser: Browser, file: string, project: ReviewedProject): Promise<PageFaults> {
  const seen = await browser.evaluate<{
    text: string;
    chips: number;
    hosts: number;
    panels: number;
    script: number;
    outside: string[];
  }>(
    file,
    { width: 1280, height: 900 },
    `({
      text: document.body.innerText + [...document.querySelectorAll('svg text')].map((text) => text.textContent).join('\\n'),
      chips: [...document.querySelectorAll('.drawing .host ~ .chip')].length,
      hosts: document.querySelectorAll('.drawing .host').length,
      panels: document.querySelectorAll('.drawing .panel').length,
      script: document.scripts.length,
      outside: performance.getEntriesByType('resource').map(({ name }) => name),
    })`,
  );
  const { runs, infrastructure } = project.plan;
  const sum = (amount: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + amount(run), 0);
  const words = runs.flatMap((run) => [
    run.name,
    run.job,
    run.tpu.machineType,
    run.image === '' ? '' : run.rayVersion,
  ]);
  const faults = [
    ...words,
    ...infrastructure.nodePools.map(({ name }) => name),
    ...infrastructure.networks.map(({ name }) => name),
  ]
    .filter((word) => !seen.text.includes(word))
    .map((word) => `the page lacks ${word}`);
  const expected = {
    chips: sum(({ tpu }) => tpu.devicesPerSlice * tpu.slices.max),
    hosts: sum(({ tpu }) => tpu.hostsPerSlice * tpu.slices.max),
    panels: sum(({ tpu }) => tpu.slices.max),
  };
  for (const key of ['chips', 'hosts', 'panels'] as const) {
    if (seen[key] !== expected[key])
      faults.push(`${String(seen[key])} ${key} are drawn, ${String(expected[key])} expected`);
  }
  if (seen.script > 0 || seen.outside.length > 0)
    faults.push(`the page asks for more: ${seen.outside.join(', ')}`);
  return faults;
}

/** A page with the compiler's word beside the estimate, one size refused and one stale. */
async function lookAtCompiled(browser: Browser, folder: string): Promise<void> {
  const project = review('examples/elastic-8b');
  const [run] = project.plan.runs;
  if (run === undefined) throw new Error('examples/elastic-8b has no run');
  const gib = 2 ** 30;
  const verdicts = [
    { slices: 1, fits: false, totalBytes: 45 * gib, usableBytes: 31.24 * gib },
    {
      slices: 2,
      fits: true,
      argumentBytes: 6 * gib,
      temporaryBytes: 8 * gib,
      totalBytes: 14.5 * gib,
      usableBytes: 31.24 * gib,
    },
  ];
  const fits = new Map([[run.name, { key: run.fitKey ?? '', compiler: {}, verdicts }]]);
  const file = join(folder, 'compiled.html');
  writeFileSync(file, planPage({ ...project, fits }));
  for (const size of SIZES) {
    record(
      `compiled at ${String(size.width)}: nothing overflows`,
      await browser.evaluate<PageFaults>(file, size, FIND_FAULTS),
    );
    await keepPicture(browser, file, size, `compiled at ${String(size.width)}`);
  }
  const bars = memoryBars(run, fits.get(run.name)).length;
  const drawn = await browser.evaluate<number>(
    file,
    { width: 1280, height: 900 },
    `document.querySelectorAll('.memory .device').length`,
  );
  record(
    'compiled: a bar for each size and source',
    drawn === bars && bars === 4 ? [] : [`${String(drawn)} of ${String(bars)} bars`],
  );
}

/** The checks themselves: a page with a text too long for its box, and one wider than the window. */
async function findsFaults(browser: Browser, folder: string): Promise<void> {
  const file = join(folder, 'faulty.html');
  writeFileSync(
    file,
    '<!doctype html><main><p style="width:2000px">wide</p><svg class="drawing" width="700" height="60"><g><rect x="0" y="0" width="220" height="50"/><text x="5" y="20">a text that is much too long for the box that it stands in</text></g><text x="660" y="40">leaves the picture</text></svg></main>',
  );
  const faults = await browser.evaluate<PageFaults>(file, { width: 800, height: 600 }, FIND_FAULTS);
  const expected = ['the page is', 'text leaves its box', 'text leaves its picture'];
  record(
    'a faulty page is found out',
    expected
      .filter((start) => !faults.some((fault) => fault.startsWith(start)))
      .map((start) => `not found: ${start}`),
  );
}

/** A picture of the documentation, as it stands in a page. */
async function lookAtPicture(browser: Browser, folder: string, name: string): Promise<void> {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, `<!doctype html><main>${readFileSync(join(ROOT, 'docs/images', name), 'utf8')}</main>`);
  const size = { width: 900, height: 600 };
  record(
    `docs/images/${name}: nothing overflows`,
    await browser.evaluate<PageFaults>(file, size, FIND_FAULTS),
  );
  await keepPicture(browser, file, size, `docs ${name}`);
}

main().then(
  () => {
    console.log(`${String(passed)} passed, ${String(failed)} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  },
  (error: unknown) => {
    console.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    console.log(`${String(passed)} passed, ${String(failed + 1)} failed`);
    process.exitCode = 1;
  },
);
