/** A card beside the pointer that rests on a box: what it is, what goes in and comes out, and what it costs. */
import { byId, element } from "./dom.js";
import { bytesText, countText, flopsText, plural } from "./format.js";
import { interfaceOf, parametersText, shapeText } from "./module_facts.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { Scene } from "./scene.js";

const kRest = 320;
const kListed = 4;
const kOffset = 14;

export class HoverCard {
  private readonly card = byId("hover", HTMLElement);
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private box = -1;

  /** `x`, `y` in the window; a box of -1 is none. */
  move(scene: Scene, profile: MemoryProfile | null, box: number, x: number, y: number): void {
    if (box === this.box) return;
    this.hide();
    this.box = box;
    if (box < 0 || scene.open[box] === 1) return;
    this.waiting = setTimeout(() => {
      this.card.replaceChildren(...factsOf(scene, profile, box));
      this.card.hidden = false;
      const { offsetWidth, offsetHeight } = this.card;
      const left = x + kOffset + offsetWidth > window.innerWidth ? x - kOffset - offsetWidth : x + kOffset;
      const top = y + kOffset + offsetHeight > window.innerHeight ? y - kOffset - offsetHeight : y + kOffset;
      this.card.style.left = `${Math.max(4, left)}px`;
      this.card.style.top = `${Math.max(4, top)}px`;
    }, kRest);
  }

  hide(): void {
    clearTimeout(this.waiting);
    this.box = -1;
    this.card.hidden = true;
  }
}

/** What a box is, what goes in and comes out, and what it costs. */
export function factsOf(scene: Scene, profile: MemoryProfile | null, box: number): HTMLElement[] {
  const { model, layout } = scene;
  const id = layout.box.id[box];
  const lines: string[] = [];
  const { into, outOf } = interfaceOf(scene, box);
  if (into.length > 0) lines.push(`in  ${listText(scene, into)}`);
  const results = id >= 0 ? [id] : outOf;
  if (results.length > 0) lines.push(`out ${listText(scene, results)}`);
  if (profile !== null) {
    const bytes = id >= 0 ? profile.bytesOf(id) : profile.bytesIn(~id);
    const flops = id >= 0 ? profile.flopsOf(id) : profile.flopsIn(~id);
    const costs = [bytes > 0 ? `brings ${bytesText(bytes)}` : "brings nothing"];
    if (flops > 0) costs.push(flopsText(flops));
    lines.push(costs.join(", "));
  }
  if (id >= 0) {
    const module = model.table.module[id];
    if (module > 0) lines.push(`in ${model.module(module).path}`);
    return card(model.table.names[id], model.op(id), lines);
  }
  const { path, type, nodes } = model.module(~id);
  const count = scene.parameters.countOf(~id);
  if (count > 0)
    lines.push(`${parametersText(count)} parameters, ${bytesText(scene.parameters.bytesOf(~id))}`);
  const repeat = layout.box.repeat[box];
  lines.push(plural(nodes, "node") + (repeat > 1 ? `, ${countText(repeat)} times in a row` : ""));
  return card(path, type, lines);
}

function listText(scene: Scene, rows: readonly number[]): string {
  const texts = rows.slice(0, kListed).map((row) => shapeText(scene.model, row));
  return texts.join(", ") + (rows.length > kListed ? ` and ${rows.length - kListed} more` : "");
}

function card(title: string, subtitle: string, lines: readonly string[]): HTMLElement[] {
  return [
    element("strong", {}, title),
    element("span", { class: "hover-kind" }, subtitle),
    ...lines.map((line) => element("span", { class: "hover-line" }, line)),
  ];
}
