/**
 * The pane of symbols: each with where it stands, the size in the example, its range, and a field that sets it to a
 * number or a range. Below that is whether what was propagated once holds for what is set, and each guard that does not,
 * with the node, call and source line it comes from.
 */
import type { BrokenGuard, Symbolic } from "./answers.js";
import { button, byId, element } from "./dom.js";
import type { RunSymbol } from "./engine.js";
import { plural } from "./format.js";
import { brokenSentence } from "./guard_texts.js";
import type { Model } from "./model.js";
import { isFloatSymbol, settingText, type Setting, type Settings } from "./settings.js";
import { readSymbol, SizeField } from "./size_field.js";

export interface SymbolsPaneEvents {
  set(symbol: string, setting: Setting | null, group: string): void;
  jump(row: number): void;
}

const kListed = 200;

export class SymbolsPane {
  private readonly pane = byId("symbols", HTMLElement);
  private readonly title = byId("symbols-title", HTMLButtonElement);
  private readonly verdict = element("p", { class: "symbols-verdict" });
  private readonly guards = element("ul", {
    class: "broken-guards",
    "aria-label": "Guards that do not hold",
  });
  /** Without a field where the symbol is a floating-point number. */
  private fields = new Map<string, { field: SizeField | null; range: HTMLElement; row: HTMLElement }>();
  private names = "";

  constructor(private readonly events: SymbolsPaneEvents) {
    this.title.addEventListener("click", () => {
      this.open(this.title.getAttribute("aria-expanded") !== "true");
    });
  }

  open(open: boolean): void {
    this.title.setAttribute("aria-expanded", String(open));
    this.pane.hidden = !open;
  }

  /** False where there is no symbol to set. */
  focusFirst(): boolean {
    const first = [...this.fields.values()].find(({ field }) => field !== null)?.field;
    if (!first) return false;
    this.open(true);
    first.input.select();
    return true;
  }

  /** What was answered; `wanted` may be ahead of it. */
  show(model: Model, wanted: Settings): void {
    const { symbols, broken } = model.symbolic;
    byId("symbols-pane", HTMLElement).hidden = symbols.length === 0;
    byId("symbols-tab", HTMLElement).hidden = symbols.length === 0;
    byId("panes", HTMLElement).classList.toggle("has-symbols", symbols.length > 0);
    if (symbols.length === 0) this.open(false);
    this.build(model, symbols);
    for (const symbol of symbols)
      this.fields.get(symbol.name)?.range.replaceChildren(rangeText(model, symbol));
    this.update(wanted);
    byId("symbols-count", HTMLElement).textContent = titleText(model.symbolic);
    this.title.classList.toggle(
      "has-errors",
      broken.some(({ verdict }) => verdict === "violated"),
    );
    this.title.classList.toggle(
      "has-unknown",
      broken.every(({ verdict }) => verdict === "depends") && broken.length > 0,
    );
    this.verdict.textContent = verdictText(model.symbolic);
    this.guards.replaceChildren(...broken.slice(0, kListed).map((guard) => this.guardItem(model, guard)));
    this.guards.hidden = broken.length === 0;
    if (broken.length > kListed)
      this.guards.append(element("li", { class: "quiet" }, `and ${plural(broken.length - kListed, "more")}`));
  }

  /** What is wanted, before it is answered. */
  update(settings: Settings): void {
    const wanted = new Map(Object.entries(settings));
    for (const [name, { field, row }] of this.fields) {
      const setting = wanted.get(name);
      field?.show(setting === undefined ? "" : settingText(setting));
      row.classList.toggle("edited", setting !== undefined);
    }
  }

  /** The table is made anew for other symbols only, so that a field keeps the keyboard. */
  private build(model: Model, symbols: readonly RunSymbol[]): void {
    const names = symbols.map(({ name, row, dim }) => `${name} ${row} ${dim ?? ""}`).join();
    if (names === this.names) return;
    this.names = names;
    this.fields = new Map();
    const body = element("tbody");
    for (const symbol of symbols) body.append(this.symbolRow(model, symbol));
    const heads = ["Symbol", "Set to", "Stands for", "In the example", "Range"];
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    const table = element("table", { class: "symbols-table" }, element("thead", {}, head), body);
    table.append(element("caption", { class: "sr-only" }, "Symbols in the sizes of this program"));
    this.pane.replaceChildren(table, element("div", { class: "symbols-result" }, this.verdict, this.guards));
  }

  private symbolRow(model: Model, symbol: RunSymbol): HTMLElement {
    const { name, hint } = symbol;
    const field = isFloatSymbol(name) ? null : this.fieldOf(symbol);
    const place = element("td", {}, symbol.part === true ? "part of " : "");
    place.append(this.nodeLink(model, symbol.row, placeText(model, symbol)));
    const range = element("td", { class: "mono" });
    const row = element(
      "tr",
      {},
      element("th", { scope: "row", class: "mono" }, name),
      field === null
        ? element("td", {}, element("span", { class: "quiet" }, "no size"))
        : element("td", {}, field.input, field.refusal),
      place,
      element(
        "td",
        {},
        hint === undefined ? "known when it runs" : element("span", { class: "mono" }, String(hint)),
      ),
      range,
    );
    this.fields.set(name, { field, range, row });
    return row;
  }

  private fieldOf({ name, hint }: RunSymbol): SizeField {
    return new SizeField({
      label: `Set ${name}`,
      placeholder: "symbolic",
      read: readSymbol,
      changed: (setting, group) => {
        this.events.set(name, setting, group);
      },
      start: hint ?? null,
    });
  }

  private nodeLink(model: Model, row: number, text: string): HTMLButtonElement {
    const link = button("", { class: "link", title: `Go to ${model.table.names[row]}` }, () => {
      this.events.jump(row);
    });
    link.append(element("span", { class: "link-name" }, text));
    return link;
  }

  private guardItem(model: Model, guard: BrokenGuard): HTMLElement {
    const violated = guard.verdict === "violated";
    const row = guard.row ?? rowOfRange(model.symbolic, guard.text);
    const pressed = (): void => {
      if (row !== undefined) this.events.jump(row);
    };
    const item = button("", { class: "broken-guard" }, pressed);
    const state = violated ? "violated" : "not for all";
    item.append(
      element("span", { class: `state state-${violated ? "error" : "unknown"}` }, state),
      element("code", {}, guard.text),
      element("span", { class: "problem-node" }, guard.node ?? "range in the file"),
    );
    const cause = [guard.call, guard.source].filter((text) => text !== undefined).join(" at ");
    if (cause !== "") item.append(element("span", { class: "guard-cause" }, cause));
    return element("li", {}, item);
  }
}

/** A range that the file states has no node: its symbol's place stands for it. */
function rowOfRange({ symbols }: Symbolic, text: string): number | undefined {
  return symbols.find(({ name }) => text.startsWith(`${name} `))?.row;
}

function placeText(model: Model, { row, dim }: RunSymbol): string {
  const name = model.table.names[row];
  return dim === undefined ? name : `${name} dim ${dim}`;
}

/** As the run narrowed it, and the file's own range where that is wider. */
function rangeText(model: Model, { name, range, became }: RunSymbol): string {
  if (became !== undefined) return `only ${became}`;
  const now = ends(range);
  const file = model.info.symbols.find((symbol) => symbol.name === name);
  return file === undefined || ends(file.range) === now ? now : `${now} (in the file ${ends(file.range)})`;
}

function ends([lower, upper]: readonly [number | null, number | null]): string {
  return upper === null || upper >= 2 ** 62 ? `${lower ?? 0} or more` : `${lower ?? 0}..${upper}`;
}

/** `3 symbols, s31 = 6, 1 guard violated`. */
export function titleText({ symbols, settings, broken }: Symbolic): string {
  const set = Object.entries(settings).map(([name, setting]) => {
    return typeof setting === "number" ? `${name} = ${setting}` : `${name} in ${settingText(setting)}`;
  });
  const parts = [plural(symbols.length, "symbol"), ...set];
  const sentence = brokenSentence(broken);
  if (sentence !== "") parts.push(sentence);
  return parts.join(", ");
}

/** `2 guards violated, 1 not for all`; empty where every guard holds. */

function verdictText({ how, settings }: Symbolic): string {
  const numbers = Object.entries(settings).filter(([, setting]) => typeof setting === "number");
  const names = numbers.map(([name, setting]) => `${name} = ${settingText(setting)}`).join(", ");
  switch (how) {
    case "free":
      return "All are symbolic. Set one to a number (16) or a range (2..64) to see which sizes follow and which guards hold.";
    case "followed":
      return "Every guard holds: all sizes follow from the one propagation with free symbols.";
    case "propagated":
      return `These guards of the propagation with free symbols do not hold, so the program was propagated again with ${names}:`;
    case "partly":
      return "These do not hold for all that is set. What is shown is right where they hold:";
  }
}
