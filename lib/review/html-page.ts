import type { NodePoolPlan } from '../infrastructure';
import { drawMemory } from './memory-drawing';
import { PAGE_STYLE } from './page-style';
import { reviewRun } from './plan-table';
import type { PlannedRun } from '../plan';
import type { ReviewedProject } from './reviewed-project';
import { drawRun } from './run-drawing';
import { element, escapeText } from './svg';
import { capacityText, count, rangeText } from './words';

/** The plan of a project as one page that needs no other file, no script and no network. */
export function planPage(project: ReviewedProject): string {
  const { platform, runs, infrastructure } = project.plan;
  const { cluster } = platform;
  const title = `${cluster.name}: ${count(runs.length, 'training run')}`;
  const facts = [
    `project ${platform.project}`,
    `${cluster.mode === 'standard' ? 'Standard' : 'Autopilot'} cluster ${cluster.name} in ${cluster.location}`,
    `GKE ${cluster.version}`,
    `KubeRay ${platform.kubeRayVersion}`,
    `namespace ${platform.namespace}`,
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(title)}</title>`,
    `<style>${PAGE_STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<header><h1>${escapeText(title)}</h1><p>${escapeText(facts.join(' · '))}</p></header>`,
    ...(runs.length > 1 ? [contents(runs)] : []),
    ...runs.map((run) => runSection(project, run)),
    ...(infrastructure.nodePools.length === 0 ? [] : [poolSection(infrastructure.nodePools)]),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function contents(runs: readonly PlannedRun[]): string {
  const links = runs.map((run) => element('a', { href: `#${run.name}` }, escapeText(run.name)));
  return `<nav>${links.join('')}</nav>`;
}

function runSection(project: ReviewedProject, run: PlannedRun): string {
  const { rows, memory } = reviewRun(project, run);
  const { tpu } = run;
  const summary = `${rangeText(tpu.slices)} x ${tpu.generation} ${tpu.topology}, ${count(tpu.chipsPerSlice * tpu.slices.max, 'chip')}, ${capacityText(run.capacity)}, ${run.trainer.kind}`;
  const body = rows.map(({ derived, value, usedIn }) => {
    const lines = value.split('\n').map(escapeText).join('<br>');
    return `<tr><th scope="row">${escapeText(derived)}</th><td>${lines}</td><td>${escapeText(usedIn)}</td></tr>`;
  });
  return [
    element('section', { id: run.name }).replace('/>', '>'),
    `<h2>${escapeText(run.name)}</h2>`,
    `<p>${escapeText(summary)}</p>`,
    `<figure>${drawRun(project, run)}</figure>`,
    ...(memory.length === 0
      ? []
      : [
          '<h3>Memory of one device</h3>',
          `<figure>${drawMemory(memory)}</figure>`,
          '<p class="remark">The estimate counts weights, moments and gradients, not activations; only the compile check knows those.</p>',
        ]),
    '<h3>Derived</h3>',
    `<table><thead><tr><th scope="col">derived</th><th scope="col">value</th><th scope="col">used in</th></tr></thead><tbody>${body.join('')}</tbody></table>`,
    '</section>',
  ].join('\n');
}

function poolSection(pools: readonly NodePoolPlan[]): string {
  const body = pools.map((pool) => {
    const nodes =
      pool.autoscaling === undefined
        ? String(pool.nodes)
        : `${String(pool.autoscaling.minNodes)}–${String(pool.autoscaling.maxNodes)}`;
    const cells = [
      nodes,
      pool.machineType,
      pool.topology ?? '',
      capacityText(pool.capacity),
      pool.runs.join(', '),
    ];
    return `<tr><th scope="row">${escapeText(pool.name)}</th>${cells.map((cell) => `<td>${escapeText(cell)}</td>`).join('')}</tr>`;
  });
  const heads = ['node pool', 'nodes', 'machine type', 'topology', 'capacity', 'runs'];
  return `<section><h2>Node pools</h2><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></section>`;
}
