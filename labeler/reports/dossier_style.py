"""How the written report looks: on a light screen, on a dark one, and on paper."""

from __future__ import annotations

STYLE = """\
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --sheet: #ffffff; --ink: #1d2321; --soft: #5d6763; --line: #dfe3e0;
  --band: #f1f4f2; --good: #1f7a55; --open: #a8620f; --bad: #b3312b;
  --c0: #2f6fae; --c1: #c9741c; --c2: #2a8f64; --c3: #8d55a5; --c4: #b7443e; --c5: #6a7370;
  --p0: #2a8f64; --p1: #d9982b; --p2: #b7443e; --p3: #8b9390;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121615; --sheet: #191f1d; --ink: #e6ebe8; --soft: #9aa5a0; --line: #2d3532;
    --band: #202725; --good: #4fbf8d; --open: #e0a04a; --bad: #ec7a72;
    --c0: #6ba6de; --c1: #e6984a; --c2: #55bd8f; --c3: #bd8fd3; --c4: #e5807a; --c5: #9ba5a1;
    --p0: #2f9e6e; --p1: #b97f22; --p2: #b8524b; --p3: #66706c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
header, main { max-width: 1080px; margin: 0 auto; padding: 0 28px; }
header { padding-top: 44px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0; letter-spacing: -.015em; }
header p { color: var(--soft); margin: 8px 0 0; }
nav { display: flex; flex-wrap: wrap; gap: 6px 18px; margin-top: 22px; padding: 11px 0;
  border-block: 1px solid var(--line); font-size: 13.5px; }
nav a { color: var(--soft); text-decoration: none; }
nav a:hover { color: var(--ink); text-decoration: underline; }
section { margin: 40px 0 0; }
section:last-child { margin-bottom: 64px; }
h2 { font-size: 20px; margin: 0 0 14px; letter-spacing: -.01em; }
p { margin: 0 0 14px; max-width: 78ch; }
bdi { overflow-wrap: anywhere; white-space: pre-wrap; }
th bdi, td bdi { overflow-wrap: break-word; }
.long bdi { overflow-wrap: anywhere; }
.word bdi, .ends { white-space: nowrap; }
ul { margin: 0 0 16px; padding-left: 20px; max-width: 88ch; }
li { margin: 3px 0; }
.box { padding: 12px 16px; border-left: 4px solid var(--tone); background: var(--band);
  border-radius: 0 8px 8px 0; font-weight: 550; }
.good { --tone: var(--good); } .open { --tone: var(--open); } .bad { --tone: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px;
  margin: 0 0 18px; }
.card { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px;
  padding: 13px 16px; border-top: 3px solid var(--tone, var(--line)); }
.card p { margin: 0; font-size: 13px; color: var(--soft); }
.card strong { display: block; font-size: 25px; line-height: 1.3; letter-spacing: -.02em;
  color: var(--tone, var(--ink)); font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; margin: 0 0 20px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; line-height: 1.42; }
caption { text-align: left; font-weight: 600; padding: 4px 0 7px; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0;
  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-weight: 600; border-bottom: 1.5px solid var(--soft);
  vertical-align: bottom; }
tbody th { font-weight: 550; }
td b { font-weight: 640; } td span, th span { color: var(--soft); }
.n { text-align: right; }
.matrix { width: auto; margin: 0 0 20px; }
.matrix th, .matrix td { text-align: center; min-width: 78px; padding: 9px; border: 0; }
.matrix tbody td { font-weight: 640; font-size: 15px; border: 2px solid var(--ground);
  border-radius: 8px; }
.matrix .same { background: color-mix(in srgb, var(--c2) calc(10% + 62% * var(--part)),
  transparent); }
.matrix .other { background: color-mix(in srgb, var(--c1) calc(7% + 65% * var(--part)),
  transparent); }
figure { margin: 0 0 22px; padding: 16px 18px 10px; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 10px; overflow-x: auto; }
figcaption { font-weight: 600; font-size: 14px; }
svg { display: block; width: 100%; height: auto; }
@media screen and (max-width: 640px) { svg { min-width: 600px; } }
svg text { font-size: 12px; fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .name { text-anchor: end; } svg .tick { text-anchor: middle; fill: var(--soft); }
svg .in { text-anchor: middle; fill: #fff; font-weight: 600; } svg .none { fill: var(--soft); }
.grid { stroke: var(--line); stroke-width: 1; }
.bar { stroke-width: 3; stroke-linecap: round; opacity: .55; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; list-style: none; padding: 0;
  margin: 6px 0 10px; font-size: 13px; color: var(--soft); max-width: none; }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px;
  margin-right: 7px; }
.s0 { fill: var(--c0); stroke: var(--c0); background: var(--c0); }
.s1 { fill: var(--c1); stroke: var(--c1); background: var(--c1); }
.s2 { fill: var(--c2); stroke: var(--c2); background: var(--c2); }
.s3 { fill: var(--c3); stroke: var(--c3); background: var(--c3); }
.s4 { fill: var(--c4); stroke: var(--c4); background: var(--c4); }
.s5 { fill: var(--c5); stroke: var(--c5); background: var(--c5); }
.p0 { fill: var(--p0); background: var(--p0); } .p1 { fill: var(--p1); background: var(--p1); }
.p2 { fill: var(--p2); background: var(--p2); } .p3 { fill: var(--p3); background: var(--p3); }
@page { margin: 16mm 14mm; }
@media print {
  :root {
    color-scheme: light;
    --ground: #fff; --sheet: #fff; --ink: #111614; --soft: #4d5652; --line: #ccd2cf;
    --band: #f1f4f2; --good: #1f7a55; --open: #a8620f; --bad: #b3312b;
    --c0: #2f6fae; --c1: #c9741c; --c2: #2a8f64; --c3: #8d55a5; --c4: #b7443e; --c5: #6a7370;
    --p0: #2a8f64; --p1: #d9982b; --p2: #b7443e; --p3: #8b9390;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10pt; }
  header, main { max-width: none; padding: 0; }
  nav { display: none; }
  section { margin-top: 22px; }
  h2, caption, figcaption { break-after: avoid; }
  tr, figure, .card, .box, .matrix { break-inside: avoid; }
  thead { display: table-header-group; }
  table { font-size: 8.2pt; } .wide { overflow: visible; }
  th, td { padding: 3px 7px 3px 0; }
}
"""
"""The style sheet. Paper is light whatever the screen is."""
