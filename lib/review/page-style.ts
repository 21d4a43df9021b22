/** Style of the plan's page: one ground for light, one for dark; tables break long words rather than grow. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --panel: #f6f8fa; --host: #ffffff;
  --control: #e8f0fe; --control-line: #3367d6; --network: #fef3e0; --network-line: #c26401; --storage: #e6f4ea; --storage-line: #137333;
  --weights: #3367d6; --first: #1a9ba1; --second: #137333; --gradients: #c26401; --arguments: #3367d6; --temporaries: #8250df; --needed: #cf222e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --panel: #151b23; --host: #0d1117;
    --control: #14264a; --control-line: #6f9cf5; --network: #3b2608; --network-line: #e3a04b; --storage: #0f2d1a; --storage-line: #57ab5a;
    --weights: #6f9cf5; --first: #39c5cf; --second: #57ab5a; --gradients: #e3a04b; --arguments: #6f9cf5; --temporaries: #b083f0; --needed: #f47067;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 24px 20px 60px; }
header { border-bottom: 1px solid var(--line); margin-bottom: 16px; }
h1 { font-size: 24px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 36px 0 0; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 24px 0 8px; }
p { margin: 4px 0 16px; color: var(--quiet); overflow-wrap: anywhere; }
.remark { font-size: 13px; }
nav { display: flex; flex-wrap: wrap; gap: 6px 18px; }
a { color: var(--control-line); overflow-wrap: anywhere; }
figure { margin: 0 0 8px; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
svg text { fill: var(--text); }
svg .quiet { fill: var(--quiet); }
svg .strong { font-weight: bold; font-size: 11.5px; }
.panel { fill: var(--panel); stroke: var(--line); }
.host { fill: var(--host); stroke: var(--quiet); stroke-opacity: .6; }
.control { fill: var(--control); stroke: var(--control-line); }
.network { fill: var(--network); stroke: var(--network-line); }
.storage { fill: var(--storage); stroke: var(--storage-line); }
.wire { stroke: var(--quiet); stroke-width: 1.5; }
.device { fill: var(--panel); stroke: var(--line); }
.weights { fill: var(--weights); } .first-moment { fill: var(--first); } .second-moment { fill: var(--second); }
.gradients { fill: var(--gradients); } .arguments { fill: var(--arguments); } .temporaries { fill: var(--temporaries); } .needed { fill: var(--needed); }
.limit { stroke: var(--text); stroke-width: 2; }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; table-layout: auto; }
th, td { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; min-width: 8em; }
td:last-child { color: var(--quiet); }
@media print { main { max-width: none; } section { break-inside: avoid; } }
`.trim();
