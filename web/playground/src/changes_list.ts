/** How many values differ from those of the file, and a list of them over the picture that jumps to each. */
import { byId, element } from "./dom.js";
import { Status } from "./engine.js";
import { countText, valueText } from "./format.js";
import { changedRows, type Model } from "./model.js";
import { VirtualList } from "./virtual_list.js";

const kRowHeight = 40;

export class ChangesList {
  private before: Model | null = null;
  private after: Model | null = null;
  private rows: number[] = [];
  private readonly button = byId("changed", HTMLButtonElement);
  private readonly popup = byId("changed-list", HTMLElement);
  private readonly list: VirtualList;

  constructor(private readonly jump: (row: number) => void) {
    this.list = new VirtualList(this.popup, kRowHeight, (index) => this.renderRow(index));
    this.button.addEventListener("click", () => {
      this.open(this.button.ariaExpanded !== "true");
    });
    this.popup.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const index = Number(document.activeElement?.getAttribute("data-index") ?? -1) + step;
      if (step === 0 || index < 0 || index >= this.rows.length) return;
      event.preventDefault();
      this.focus(index);
    });
    window.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Element && target.closest(".changed") === null) this.open(false);
    });
  }

  show(before: Model, model: Model): void {
    this.before = before;
    this.after = model;
    this.rows = [...changedRows(before.table, model.table)].sort((a, b) => a - b);
    this.button.hidden = this.rows.length === 0;
    this.button.textContent = `${countText(this.rows.length)} of ${countText(model.table.length)} changed`;
    const isInside = this.popup.contains(document.activeElement);
    this.list.reset(this.rows.length);
    if (this.rows.length === 0) this.open(false);
    if (isInside) this.focus(0);
  }

  /** False where nothing is changed. */
  open(open: boolean): boolean {
    const shows = open && this.rows.length > 0;
    this.popup.hidden = !shows;
    this.button.setAttribute("aria-expanded", String(shows));
    if (shows) {
      this.list.reset(this.rows.length);
      this.focus(0);
    }
    return shows;
  }

  private focus(index: number): void {
    this.list.scrollTo(index);
    this.list.elementAt(index)?.querySelector("button")?.focus();
  }

  /** Returns whether there was anything to close. */
  close(): boolean {
    if (this.popup.hidden) return false;
    this.open(false);
    this.button.focus();
    return true;
  }

  private renderRow(index: number): HTMLElement {
    const { before, after } = this;
    const row = this.rows[index];
    if (before === null || after === null) return element("div");
    const from = stateText(before, row);
    const to = stateText(after, row);
    const made = element(
      "button",
      { type: "button", class: "change", "data-index": index },
      element("span", { class: "change-name" }, after.table.names[row]),
      element(
        "span",
        { class: "change-values" },
        `${from} → ${from === to ? "other strides or offset" : to}`,
      ),
    );
    made.addEventListener("click", () => {
      this.jump(row);
    });
    const place = { "aria-posinset": index + 1, "aria-setsize": this.rows.length };
    return element("div", { role: "listitem", ...place }, made);
  }
}

function stateText({ table }: Model, row: number): string {
  if (table.status[row] === Status.error) return "error";
  return table.status[row] === Status.notReached ? "not reached" : valueText(table, row);
}
