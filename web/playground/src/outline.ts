/**
 * The outline pane: an ARIA tree over the rows of outline_rows.ts. One row is a tab stop (roving tabindex), arrows move
 * it, and the selection follows; so the graph can be read and used without seeing the canvas.
 */
import type { Change, Comparison } from "./comparison.js";
import { Status, ValueKind } from "./engine.js";
import { element } from "./dom.js";
import {
  bytesText,
  dimsText,
  dtypeGroup,
  dtypeShort,
  flopsText,
  plural,
  secondsText,
  signed,
  sizesOf,
} from "./format.js";
import { sameSelection, type Model, type Selection } from "./model.js";
import {
  buildOutline,
  indexOfSelection,
  kGroups,
  labelOfRow,
  selectionOfRow,
  type GroupName,
  type OutlineRow,
} from "./outline_rows.js";
import { VirtualList } from "./virtual_list.js";

export interface OutlineEvents {
  select(selection: Selection): void;
  toggle(moduleId: number): void;
}

const kRowHeight = 26;
const kIndent = 14;
/** Letters that follow each other so closely are the beginning of one name. */
const kTypingPause = 700;
const kRead = 3;

/** They search and help from here too. */
const kHotkeys: ReadonlySet<string> = new Set(["/", "?", "+", "-", "="]);

export class Outline {
  private model: Model | null = null;
  private expanded: readonly number[] = [];
  private isShown: (row: number) => boolean = () => true;
  private selection: Selection | null = null;
  private comparison: Comparison | null = null;
  private rows: OutlineRow[] = [];
  private active = 0;
  private readonly openGroups = new Set<GroupName>(["inputs"]);
  private readonly list: VirtualList;
  private typed = "";
  private typedAt = 0;

  constructor(
    private readonly tree: HTMLElement,
    private readonly events: OutlineEvents,
  ) {
    this.list = new VirtualList(tree, kRowHeight, (index) => this.renderRow(index));
    tree.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.handleKey(event.key)) event.preventDefault();
    });
    tree.addEventListener("click", (event) => {
      this.clicked(event, false);
    });
    tree.addEventListener("dblclick", (event) => {
      this.clicked(event, true);
    });
  }

  /** `isShown`: which rows of open modules are listed. */
  show(
    model: Model,
    expanded: readonly number[],
    selection: Selection | null,
    isShown: (row: number) => boolean,
  ): void {
    const isNew = model.info !== this.model?.info;
    if (isNew) {
      this.rows = [];
      this.active = 0;
      this.tree.scrollTop = 0;
    }
    const follows = isNew || !sameSelection(selection, this.selection);
    this.model = model;
    this.expanded = expanded;
    this.selection = selection;
    this.isShown = isShown;
    this.rebuild(follows);
  }

  /** Says beside rows what differs from A. */
  compare(comparison: Comparison | null): void {
    if (comparison === this.comparison) return;
    this.comparison = comparison;
    if (this.model !== null) this.rebuild(false);
  }

  select(selection: Selection | null): void {
    if (sameSelection(selection, this.selection)) return;
    this.selection = selection;
    this.activateSelection();
    this.mark();
    if (selection !== null) this.list.scrollTo(this.active);
  }

  /** Brings the rendered rows up to date with what is selected and which one is the tab stop. */
  private mark(): void {
    this.list.pin(this.active);
    this.list.forEach((row, index) => {
      row.tabIndex = index === this.active ? 0 : -1;
      row.ariaSelected = String(this.isSelected(this.rows[index]));
    });
  }

  private isSelected(row: OutlineRow): boolean {
    const selection = selectionOfRow(row);
    return selection !== null && sameSelection(selection, this.selection);
  }

  /** The row with the tab stop keeps it, and the list stays where it is; unless it `follows` what was selected newly. */
  private rebuild(follows: boolean): void {
    if (this.model === null) return;
    const focused = this.tree.contains(document.activeElement);
    const before = this.rows.at(this.active);
    this.rows = buildOutline(this.model, this.expanded, this.openGroups, this.isShown);
    const same = this.rows.findIndex(({ kind, id }) => kind === before?.kind && id === before.id);
    this.active = same >= 0 ? same : Math.min(this.active, Math.max(0, this.rows.length - 1));
    if (follows || same < 0) this.activateSelection();
    this.list.reset(this.rows.length, this.active);
    if (follows && this.selection !== null) this.list.scrollTo(this.active);
    if (focused) this.list.elementAt(this.active)?.focus({ preventScroll: true });
  }

  private activateSelection(): void {
    if (this.model === null || this.selection === null) return;
    const index = indexOfSelection(this.model, this.rows, this.selection);
    if (index >= 0) this.active = index;
  }

  private clicked(event: MouseEvent, twice: boolean): void {
    const target = event.target instanceof Element ? event.target : null;
    const index = Number(target?.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? -1);
    if (index < 0 || index >= this.rows.length) return;
    // A press on the marker opens or closes, and so does a double click; a group has nothing else to do.
    const onMarker = target?.closest(".twisty") !== null || this.rows[index].kind === "group";
    if (onMarker !== twice) this.toggle(index);
    else if (!twice) this.moveTo(index);
  }

  private toggle(index: number): void {
    const row = this.rows[index];
    this.active = index;
    if (row.kind === "module") {
      this.mark();
      this.events.toggle(row.id);
    } else if (row.kind === "group") {
      const { name } = kGroups[row.id];
      if (!this.openGroups.delete(name)) this.openGroups.add(name);
      this.rebuild(false);
    }
  }

  private moveTo(index: number): void {
    this.active = Math.min(Math.max(index, 0), this.rows.length - 1);
    this.mark();
    this.list.scrollTo(this.active);
    this.list.elementAt(this.active)?.focus({ preventScroll: true });
    const selection = selectionOfRow(this.rows[this.active]);
    if (selection !== null) this.events.select(selection);
  }

  private handleKey(key: string): boolean {
    if (this.rows.length === 0) return false;
    const row = this.rows[this.active];
    switch (key) {
      case "ArrowDown":
        this.moveTo(this.active + 1);
        return true;
      case "ArrowUp":
        this.moveTo(this.active - 1);
        return true;
      case "PageDown":
        this.moveTo(this.active + this.list.rowsPerPage());
        return true;
      case "PageUp":
        this.moveTo(this.active - this.list.rowsPerPage());
        return true;
      case "Home":
        this.moveTo(0);
        return true;
      case "End":
        this.moveTo(this.rows.length - 1);
        return true;
      case "ArrowRight":
        if (row.open === false) this.toggle(this.active);
        else if (row.open === true) this.moveTo(this.active + 1);
        return true;
      case "ArrowLeft":
        if (row.open === true) this.toggle(this.active);
        else this.moveTo(this.parentOf(this.active));
        return true;
      case "Enter":
      case " ":
        if (row.open === null) this.moveTo(this.active);
        else this.toggle(this.active);
        return true;
      default:
        return key.length === 1 && !kHotkeys.has(key) && this.goToName(key);
    }
  }

  /** To the next row whose name begins with what is being typed; one letter again and again goes through all of its rows. */
  private goToName(letter: string): boolean {
    const { model } = this;
    if (model === null || /\s/.test(letter)) return false;
    const now = performance.now();
    if (now - this.typedAt > kTypingPause) this.typed = "";
    this.typedAt = now;
    const small = letter.toLowerCase();
    const isAgain = this.typed !== "" && this.typed === small.repeat(this.typed.length);
    this.typed += small;
    const begins = (text: string, from: number): number => {
      for (let step = 0; step < this.rows.length; step++) {
        const index = (from + step) % this.rows.length;
        if (labelOfRow(model, this.rows[index]).name.toLowerCase().startsWith(text)) return index;
      }
      return -1;
    };
    const found = begins(this.typed, this.active + (this.typed.length === 1 ? 1 : 0));
    const next = found < 0 && isAgain ? begins(small, this.active + 1) : found;
    if (next >= 0) this.moveTo(next);
    return true;
  }

  private parentOf(index: number): number {
    for (let at = index - 1; at >= 0; at--) if (this.rows[at].level < this.rows[index].level) return at;
    return index;
  }

  private renderRow(index: number): HTMLElement {
    const { model } = this;
    const row = this.rows[index];
    if (model === null) return element("div");
    const made = element("div", {
      role: "treeitem",
      "aria-level": row.level,
      "aria-posinset": row.position,
      "aria-setsize": row.siblings,
      "aria-selected": String(this.isSelected(row)),
      "aria-expanded": row.open === null ? null : String(row.open),
      tabindex: index === this.active ? 0 : -1,
      "data-index": index,
      class: `outline-row outline-${row.kind}`,
    });
    made.style.paddingLeft = `${8 + (row.level - 1) * kIndent}px`;
    made.append(
      element("span", { class: row.open === null ? "twisty-space" : "twisty", "aria-hidden": "true" }),
    );
    const { name, detail } = labelOfRow(model, row);
    made.append(element("span", { class: "outline-name" }, name));
    if (detail !== "") made.append(" ", element("span", { class: "outline-detail" }, detail));
    this.appendState(model, row, made);
    if (row.kind === "node") made.setAttribute("aria-description", readText(model, row.id));
    const difference = differenceText(this.comparison, row);
    if (difference !== null) made.append(" ", element("span", { class: "outline-change" }, difference));
    return made;
  }

  /** At the end of the line: a node's dtype and shape, or what is wrong; a module's count of nodes. */
  private appendState(model: Model, row: OutlineRow, made: HTMLElement): void {
    const { table } = model;
    if (row.kind === "module") {
      const worst = model.worstIn(row.id);
      if (worst > 0) made.append(" ", stateMark(worst));
      made.title = `${model.module(row.id).path} (${plural(model.module(row.id).nodes, "node")})`;
    } else if (row.kind === "node") {
      const status = table.status[row.id];
      if (status > 0) made.append(" ", stateMark(status));
      else if (table.kind[row.id] === ValueKind.tensor) {
        const dtype = table.dtypes[table.dtype[row.id]];
        const shape = dimsText(sizesOf(table, row.id));
        made.append(" ", element("span", { class: `badge dtype-${dtypeGroup(dtype)}` }, dtypeShort(dtype)));
        made.append(" ", element("span", { class: "outline-shape" }, shape));
      }
    }
  }
}

/** What it reads and what reads it, for who hears the outline instead of seeing the graph. */
function readText(model: Model, row: number): string {
  const named = (rows: Uint32Array): string =>
    [...rows.subarray(0, kRead)].map((other) => model.table.names[other]).join(", ") +
    (rows.length > kRead ? ` and ${rows.length - kRead} more` : "");
  const inputs = model.inputsOf(row);
  const readers = model.readersOf(row);
  const parts = [
    ...(inputs.length > 0 ? [`reads ${named(inputs)}`] : []),
    ...(readers.length > 0 ? [`read by ${named(readers)}`] : []),
  ];
  return parts.join("; ");
}

/** What a row has more than in A; null where nothing differs. */
function differenceText(comparison: Comparison | null, row: OutlineRow): string | null {
  if (comparison === null || row.kind === "group") return null;
  if (row.kind === "module") {
    if (comparison.changesIn(row.id) === 0) return null;
    const [bytes, flops] = [comparison.bytesIn(row.id), comparison.flopsIn(row.id)];
    return costText({ bytes, flops, seconds: comparison.secondsIn(row.id) });
  }
  const change = comparison.changeOf(row.id);
  if (change === null) return null;
  if (change.kind === "added") return "new";
  return costText(change);
}

/** The first of the three that differs. */
function costText({ bytes, flops, seconds }: Pick<Change, "bytes" | "flops" | "seconds">): string {
  if (bytes !== 0) return signed(bytes, bytesText);
  if (flops !== 0) return signed(flops, flopsText);
  return seconds === 0 ? "≠" : signed(seconds, secondsText);
}

function stateMark(status: number): HTMLElement {
  const [kind, label] =
    status === Status.error
      ? ["error", "error"]
      : status === Status.unknown
        ? ["unknown", "unknown"]
        : ["unreached", "not reached"];
  return element("span", { class: `state state-${kind}` }, label);
}
