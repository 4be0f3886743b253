/**
 * A report as one HTML file that needs nothing else: what was asked, the peak and who holds it, modules, problems, the
 * picture and every node. It has no script, so it opens from disk, in a mail or in a wiki alike. Pure.
 */
import { escapeXml } from "./export_picture.js";
import { nodeRecords } from "./export_table.js";
import type { FitReport, PeakShares } from "./engine.js";
import { largestText } from "./fits_text.js";
import { bytesText, countText, dimsText, flopsText, secondsText, typeShort } from "./format.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { Model } from "./model.js";
import { parametersText, Parameters } from "./module_facts.js";
import type { TimeProfile } from "./time_profile.js";

export interface Report {
  readonly name: string;
  /** What was changed: `batch 16`, `bfloat16`. */
  readonly edits: readonly string[];
  readonly model: Model;
  readonly profile: MemoryProfile | null;
  /** What is alive at the peak by kind, module, dtype and line, and what would lower it. */
  readonly shares: PeakShares | null;
  /** Of all devices. */
  readonly fits: FitReport | null;
  readonly time: TimeProfile | null;
  /** The picture of what is open. */
  readonly svg: string;
}

const kHolders = 30;
const kStripWidth = 1000;
const kStripHeight = 120;

export function toHtml(report: Report): string {
  const { name, edits, model, profile, shares, fits, time, svg } = report;
  const { info } = model;
  const facts = [
    ["Nodes", countText(info.nodes)],
    ["Exported by", `PyTorch ${info.torchVersion}`],
    ["Changed", edits.length === 0 ? "nothing" : edits.join(", ")],
    ...(profile === null ? [] : costFacts(model, profile)),
    ...(time === null ? [] : [[`A step on ${time.device}`, secondsText(time.total)]]),
  ];
  const sections = [
    `<table class="facts">${facts.map((fact) => rowOf("th td", fact)).join("")}</table>`,
    ...(profile === null ? [] : memorySections(model, profile)),
    ...(shares === null ? [] : shareSections(shares)),
    ...(fits === null ? [] : [section("Does it fit", fitsTable(fits))]),
    ...problemSection(model),
    section("Modules", modulesTable(model, profile, time)),
    section("Picture", `<div class="picture">${svg}</div>`),
    section("Nodes", nodesTable(model, profile, time)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(name)}</title><style>${kStyle}</style></head>
<body><h1>${escapeXml(name)}</h1><p class="type">${escapeXml(info.modules[0].type)}</p>
${sections.join("\n")}
<p class="basis">Bytes of storages on all devices, without an allocator’s rounding and the workspaces of libraries. FLOPs of products, convolutions and attention, as PyTorch’s flop_counter counts them. What fits is the peak against the device’s memory less what no program is offered and an estimate of CUDA’s context; each largest size was propagated. Time is a roofline by the makers’ peaks and was never measured. Made by faketensor, without running the model.</p>
</body></html>
`;
}

const kStyle = `body{font:14px/1.5 system-ui,sans-serif;max-width:1100px;margin:32px auto;padding:0 20px;color:#1a2029;background:#fff}
h1{font-size:22px;margin:0}h2{font-size:16px;margin:32px 0 8px}.type,.basis{color:#566070;margin:0 0 16px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:3px 14px 3px 0;text-align:left;vertical-align:top}
th{font-weight:600}td.n{text-align:right}.scroll,.picture{overflow:auto;max-height:70vh;border:1px solid #dce1e8;border-radius:8px;padding:8px}
code{font:12px ui-monospace,monospace}tr:nth-child(even) td{background:#f7f8fa}.groups{display:flex;flex-wrap:wrap;gap:8px 40px}`;

function costFacts(model: Model, profile: MemoryProfile): string[][] {
  const at = profile.peakRow < 0 ? "" : ` at ${model.table.names[profile.peakRow]}`;
  return [
    ["Peak", bytesText(profile.peak) + at],
    ["Held all the time", bytesText(profile.held)],
    ["FLOPs", flopsText(profile.totalFlops)],
  ];
}

function memorySections(model: Model, profile: MemoryProfile): string[] {
  if (profile.peakRow < 0) return [];
  const holders = profile.holders(profile.peakRow).filter(({ bytes }) => bytes > 0);
  const rows = holders
    .slice(0, kHolders)
    .map(({ row, kind, bytes, until }) =>
      rowOf("n code td td", [
        bytesText(bytes),
        model.table.names[row],
        kind,
        until === null ? "held to the end" : `until ${model.table.names[until]}`,
      ]),
    );
  const more = holders.length > kHolders ? `<p>and ${countText(holders.length - kHolders)} more</p>` : "";
  return [
    section("Memory over time", strip(profile)),
    section(`Alive at the peak: ${bytesText(profile.peak)}`, `<table>${rows.join("")}</table>${more}`),
  ];
}

const kShares = 15;

function shareSections({ byKind, byDtype, byModule, bySource, savings }: PeakShares): string[] {
  const groups = [
    ["Kind", byKind],
    ["Dtype", byDtype],
    ["Module, with what is below", byModule],
    ["Line of code", bySource],
  ] as const;
  const tables = groups
    .filter(([, shares]) => shares.length > 0)
    .map(([head, shares]) => {
      const rows = shares
        .slice(0, kShares)
        .map(({ name, bytes, withBelow }) =>
          rowOf("n code", [bytesText(withBelow ?? bytes), name === "" ? "(the model)" : name]),
        );
      return `<table>${rowOf("th th", ["Bytes", head])}${rows.join("")}</table>`;
    });
  const sections = [section("At the peak", `<div class="groups">${tables.join("")}</div>`)];
  if (savings.length === 0) return sections;
  const rows = savings.map(({ how, bytes, name, module, other }) =>
    rowOf("n td code code", [bytesText(bytes), how, name ?? module ?? "", other ?? ""]),
  );
  return [...sections, section("What would lower it, each for itself", `<table>${rows.join("")}</table>`)];
}

function fitsTable({ targets, over }: FitReport): string {
  const head = ["Device", "Memory", "Usable", "Peak", "Fits", over === undefined ? "" : `Largest ${over}`];
  const rows = targets.map((row) =>
    rowOf("td n n n td n", [
      row.title,
      bytesText(row.memory),
      bytesText(row.usable),
      row.peak === undefined ? "" : bytesText(row.peak),
      row.peak === undefined ? "errors" : row.fits ? "yes" : "no",
      largestText(row),
    ]),
  );
  return `<table>${rowOf("th th th th th th", head)}${rows.join("")}</table>`;
}

/** Bytes alive row by row, as one outline over what is held all the time. */
function strip(profile: MemoryProfile): string {
  const count = Math.max(1, profile.length - profile.first);
  const points: string[] = [];
  for (let x = 0; x <= kStripWidth; x++) {
    const begin = profile.first + Math.floor((x * count) / (kStripWidth + 1));
    const end = Math.max(begin + 1, profile.first + Math.floor(((x + 1) * count) / (kStripWidth + 1)));
    let most = 0;
    for (let row = begin; row < Math.min(end, profile.length); row++)
      most = Math.max(most, profile.alive[row]);
    points.push(`${x},${(kStripHeight * (1 - most / Math.max(1, profile.peak))).toFixed(1)}`);
  }
  const held = kStripHeight * (1 - profile.held / Math.max(1, profile.peak));
  const area = `M0,${kStripHeight}L${points.join("L")}L${kStripWidth},${kStripHeight}Z`;
  return `<svg viewBox="0 0 ${kStripWidth} ${kStripHeight}" width="100%" role="img" aria-label="Memory over time"><path d="${area}" fill="#2a9d8f"/><rect x="0" y="${held.toFixed(1)}" width="${kStripWidth}" height="${(kStripHeight - held).toFixed(1)}" fill="#b4bfcf"/></svg>`;
}

function problemSection({ problems }: Model): string[] {
  if (problems.length === 0) return [];
  const rows = problems.map(({ kind, name, op, message }) =>
    rowOf("td code code td", [kind, name, op, message]),
  );
  return [section("Problems", `<table>${rows.join("")}</table>`)];
}

function modulesTable(model: Model, profile: MemoryProfile | null, time: TimeProfile | null): string {
  const parameters = new Parameters(model);
  const rows = model.info.modules.map(({ id, path, type, nodes }) =>
    rowOf("code td n n n n n", [
      path === "" ? "(program)" : path,
      typeShort(type),
      countText(nodes),
      parametersText(parameters.countOf(id)),
      profile === null ? "" : bytesText(profile.bytesIn(id)),
      profile === null ? "" : flopsText(profile.flopsIn(id)),
      time === null ? "" : secondsText(time.secondsIn(id)),
    ]),
  );
  const heads = ["Module", "Type", "Nodes", "Parameters", "Brings", "FLOPs", timeHead(time)];
  const head = rowOf("th th th th th th th", heads);
  return `<div class="scroll"><table>${head}${rows.join("")}</table></div>`;
}

function timeHead(time: TimeProfile | null): string {
  return time === null ? "" : `Time on ${time.device}`;
}

function nodesTable(model: Model, profile: MemoryProfile | null, time: TimeProfile | null): string {
  const rows = nodeRecords(model, profile).map((node, row) =>
    rowOf("code code code code n n n", [
      node.name,
      node.op,
      node.module,
      node.shape === null ? node.value : `${node.dtype ?? ""} ${dimsText(node.shape)}`,
      node.brings === null || node.brings === 0 ? "" : bytesText(node.brings),
      node.flops === null || node.flops === 0 ? "" : flopsText(node.flops),
      time === null || time.secondsOf(row) === 0 ? "" : secondsText(time.secondsOf(row)),
    ]),
  );
  const heads = ["Node", "Operator", "Module", "Value", "Brings", "FLOPs", timeHead(time)];
  const head = rowOf("th th th th th th th", heads);
  return `<div class="scroll"><table>${head}${rows.join("")}</table></div>`;
}

function section(title: string, content: string): string {
  return `<h2>${escapeXml(title)}</h2>\n${content}`;
}

/** Cells of a row: `kinds` says of each whether it is a heading, code, a number or text. */
function rowOf(kinds: string, texts: readonly string[]): string {
  const cells = kinds.split(" ").map((kind, i) => {
    const text = escapeXml(texts[i] ?? "");
    if (kind === "th") return `<th>${text}</th>`;
    if (kind === "code") return `<td><code>${text}</code></td>`;
    return kind === "n" ? `<td class="n">${text}</td>` : `<td>${text}</td>`;
  });
  return `<tr>${cells.join("")}</tr>`;
}
