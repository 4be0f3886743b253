/** The search field with its list of matches: a combobox, so that the field keeps the focus while arrows walk the list. */
import { element } from "./dom.js";
import { countText, moduleShort, opShort, plural, typeShort } from "./format.js";
import type { Model, Selection } from "./model.js";
import { describeRow, search, type Match } from "./search.js";

export interface SearchEvents {
  jump(selection: Selection): void;
  /** All matches of the query being typed, for marking them in the picture; empty when the search ends. */
  matched(matches: readonly Match[]): void;
  say(sentence: string): void;
}

const kShown = 60;

export class SearchBox {
  private model: Model | null = null;
  private matches: Match[] = [];
  private active = -1;

  constructor(
    private readonly field: HTMLInputElement,
    private readonly popup: HTMLElement,
    private readonly events: SearchEvents,
  ) {
    field.addEventListener("input", () => {
      this.run();
    });
    field.addEventListener("focus", () => {
      if (field.value !== "") this.run();
    });
    field.addEventListener("blur", () => {
      this.popup.hidden = true;
      this.setExpanded();
    });
    field.addEventListener("keydown", (event) => {
      if (this.handleKey(event.key)) event.preventDefault();
    });
    // Keeps the focus in the field while a match is pressed.
    popup.addEventListener("pointerdown", (event) => {
      event.preventDefault();
    });
    popup.addEventListener("click", (event) => {
      const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
      if (option !== null) this.choose(Number(option.id.slice(option.id.lastIndexOf("-") + 1)));
    });
  }

  show(model: Model): void {
    this.model = model;
    if (!this.popup.hidden) this.run();
  }

  open(): void {
    this.field.focus();
    this.field.select();
  }

  /** Returns whether there was anything to close. */
  close(): boolean {
    const wasOpen = this.field.value !== "" || this.field === document.activeElement;
    this.field.value = "";
    this.matches = [];
    this.popup.hidden = true;
    this.setExpanded();
    this.events.matched([]);
    return wasOpen;
  }

  private run(): void {
    if (this.model === null) return;
    const { matches, total } = search(this.model, this.field.value, 2000);
    this.matches = matches;
    this.active = matches.length > 0 ? 0 : -1;
    this.events.matched(matches);
    this.render(total);
    if (this.field.value.trim() !== "")
      this.events.say(total === 0 ? "No matches" : plural(total, "match", "matches"));
  }

  private render(total: number): void {
    const { model } = this;
    if (model === null || this.field.value.trim() === "") {
      this.popup.hidden = true;
      this.setExpanded();
      return;
    }
    const options = this.matches
      .slice(0, kShown)
      .map((match, index) => this.renderOption(model, match, index));
    const rest =
      total === 0
        ? "Nothing matches"
        : total > kShown
          ? `${countText(total)} matches; the first ${kShown} are listed`
          : "";
    if (rest !== "")
      options.push(element("div", { class: "search-rest", role: "option", "aria-disabled": "true" }, rest));
    this.popup.replaceChildren(...options);
    this.popup.hidden = false;
    this.setExpanded();
  }

  private renderOption(model: Model, match: Match, index: number): HTMLElement {
    const isModule = match.target < 0;
    const name = isModule ? moduleShort(model.module(~match.target).path) : model.table.names[match.target];
    const kind = isModule ? typeShort(model.module(~match.target).type) : opShort(model.op(match.target));
    const detail = isModule ? model.module(~match.target).path : describeRow(model, match.target);
    return element(
      "div",
      {
        role: "option",
        id: `match-${index}`,
        "aria-selected": String(index === this.active),
        class: "search-option",
      },
      element("span", { class: "search-name" }, name),
      element("span", { class: "search-kind" }, kind),
      element("span", { class: "search-detail" }, detail),
    );
  }

  private setExpanded(): void {
    this.field.setAttribute("aria-expanded", String(!this.popup.hidden));
    if (this.popup.hidden || this.active < 0) this.field.removeAttribute("aria-activedescendant");
    else this.field.setAttribute("aria-activedescendant", `match-${this.active}`);
  }

  private handleKey(key: string): boolean {
    const last = Math.min(this.matches.length, kShown) - 1;
    switch (key) {
      case "ArrowDown":
        return this.activate(this.active >= last ? 0 : this.active + 1);
      case "ArrowUp":
        return this.activate(this.active <= 0 ? last : this.active - 1);
      case "Enter":
        this.choose(this.active);
        return true;
      default:
        return false;
    }
  }

  private activate(index: number): boolean {
    if (this.matches.length === 0) return false;
    this.popup.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    this.active = index;
    const option = document.getElementById(`match-${index}`);
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    this.setExpanded();
    return true;
  }

  private choose(index: number): void {
    if (index < 0 || index >= this.matches.length) return;
    const { target } = this.matches[index];
    this.popup.hidden = true;
    this.setExpanded();
    this.events.jump(target < 0 ? { kind: "module", id: ~target } : { kind: "node", row: target });
  }
}
