/** The inspector's sections about memory and FLOPs: of a node, a module and the whole program. */
import type { Comparison } from "./comparison.js";
import { element } from "./dom.js";
import { bytesText, countText, flopsText, plural, secondsText, signed } from "./format.js";
import type { Holder, MemoryProfile } from "./memory_profile.js";
import type { Model, Selection } from "./model.js";
import { definitions, mono, section } from "./sections.js";

type NameLink = (model: Model, row: number) => HTMLElement;

const kListed = 12;

export function costSections(
  model: Model,
  profile: MemoryProfile,
  selection: Selection | null,
  nameLink: NameLink,
): HTMLElement[] {
  if (selection === null) return programCosts(model, profile, nameLink);
  if (selection.kind === "module") return moduleCosts(profile, selection.id);
  return nodeCosts(model, profile, selection.row, nameLink);
}

/** What differs from A in what is selected. */
export function compareSections(comparison: Comparison, selection: Selection | null): HTMLElement[] {
  if (selection === null) return [];
  if (selection.kind === "module") {
    const count = comparison.changesIn(selection.id);
    const facts: [string, string][] = [["differ", plural(count, "row")]];
    if (count > 0) facts.push(["brings", signed(comparison.bytesIn(selection.id), bytesText)]);
    const flops = comparison.flopsIn(selection.id);
    if (flops !== 0) facts.push(["FLOPs", signed(flops, flopsText)]);
    const seconds = comparison.secondsIn(selection.id);
    if (seconds !== 0) facts.push(["takes", signed(seconds, secondsText)]);
    return [section("Compared with A", definitions(facts))];
  }
  const change = comparison.changeOf(selection.row);
  if (change === null) return [section("Compared with A", element("p", {}, "The same"))];
  const facts: [string, string | Node][] = [["value", mono(comparison.textOf(change))]];
  if (change.bytes !== 0) facts.push(["brings", signed(change.bytes, bytesText)]);
  if (change.flops !== 0) facts.push(["FLOPs", signed(change.flops, flopsText)]);
  if (change.seconds !== 0) facts.push(["takes", signed(change.seconds, secondsText)]);
  return [section("Compared with A", definitions(facts))];
}

function programCosts(model: Model, profile: MemoryProfile, nameLink: NameLink): HTMLElement[] {
  const facts: [string, string | Node][] = [["held always", bytesText(profile.held)]];
  if (profile.peakRow >= 0)
    facts.unshift([
      "peak",
      element("span", {}, `${bytesText(profile.peak)} at `, nameLink(model, profile.peakRow)),
    ]);
  if (profile.totalFlops > 0) facts.push(["products", flopsText(profile.totalFlops)]);
  const basis =
    "Bytes of storages on all devices, without an allocator’s rounding and the workspaces of libraries. FLOPs of products, convolutions and attention, as PyTorch’s flop_counter counts them.";
  return [
    section(
      "Memory and FLOPs",
      element("div", {}, definitions(facts), element("p", { class: "basis" }, basis)),
    ),
  ];
}

function moduleCosts(profile: MemoryProfile, id: number): HTMLElement[] {
  const facts: [string, string][] = [["brings", bytesText(profile.bytesIn(id))]];
  const flops = profile.flopsIn(id);
  if (flops > 0)
    facts.push(["FLOPs", `${flopsText(flops)} (${((100 * flops) / profile.totalFlops).toFixed(1)} %)`]);
  return [section("Memory and FLOPs", definitions(facts))];
}

function nodeCosts(model: Model, profile: MemoryProfile, row: number, nameLink: NameLink): HTMLElement[] {
  if (row < profile.first || row >= profile.length) return [];
  const holders = profile.holders(row).filter(({ bytes }) => bytes > 0);
  const held = holders.filter((holder) => holder.row < profile.first);
  const shown = holders.filter((holder) => holder.row >= profile.first);
  const list = element("ul", { class: "links holders" });
  for (const holder of shown.slice(0, kListed))
    list.append(element("li", {}, ...holderLine(model, holder, nameLink)));
  if (shown.length > kListed)
    list.append(element("li", { class: "quiet" }, `and ${countText(shown.length - kListed)} more`));
  if (held.length > 0)
    list.append(element("li", { class: "quiet" }, `${bytesText(profile.held)} held all the time`));
  const sections = [section(`Alive meanwhile: ${bytesText(profile.alive[row])}`, list)];
  const flops = profile.flopsOf(row);
  if (flops > 0) sections.unshift(section("Computes", element("p", {}, flopsText(flops))));
  return sections;
}

/** Its bytes, its name, and why it is still there. */
function holderLine(model: Model, { row, kind, bytes, until }: Holder, nameLink: NameLink): Node[] {
  const reason =
    kind === "temporaries"
      ? "inside of it"
      : until === null
        ? `${kind}, held to the end`
        : until === row
          ? "read by nothing"
          : `until ${model.table.names[until]}`;
  return [
    element("span", { class: "holder-bytes" }, bytesText(bytes)),
    nameLink(model, row),
    element("span", { class: "holder-reason" }, reason),
  ];
}
