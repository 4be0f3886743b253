/** The search field with its list of matches: a combobox, so that the field keeps the focus while arrows walk the list. */
import type { Command } from "./commands.js";
import { element } from "./dom.js";
import { countText, moduleShort, opShort, plural, typeShort } from "./format.js";
import type { Model, Selection } from "./model.js";
import { describeRow, search, type Match } from "./search.js";

export interface SearchEvents {
  jump(selection: Selection): void;
  /** All matches of the query being typed, for marking them in the picture; empty when the search ends. */
  matched(matches: readonly Match[]): void;
  /** What can be done by name. */
  commands(): readonly Command[];
  /** The keyboard is to go where keys work: a command was chosen. */
  left(): void;
  say(sentence: string): void;
}

const kShown = 60;
/** Commands beside the matches of a search. */
const kFewCommands = 5;

export class SearchBox {
  private model: Model | null = null;
  private matches: Match[] = [];
  private commands: readonly Command[] = [];
  /** Commands come first, and are listed before anything is typed. */
  private forCommands = false;
  /** Of what is listed: matches and commands. */
  private active = -1;
  /** The match that was jumped to last. */
  private visited = -1;

  constructor(
    private readonly field: HTMLInputElement,
    private readonly popup: HTMLElement,
    private readonly events: SearchEvents,
  ) {
    field.addEventListener("input", () => {
      this.run();
    });
    field.addEventListener("focus", () => {
      if (field.value !== "" || this.forCommands) this.run();
    });
    field.addEventListener("blur", () => {
      this.forCommands = false;
      this.hide();
    });
    field.addEventListener("keydown", (event) => {
      if (this.press(event.key)) event.preventDefault();
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

  /** Lists the commands, and those of the text that is typed. */
  offerCommands(): void {
    this.forCommands = true;
    this.run();
  }

  /** Searches for what was typed before the box was there. */
  resume(): void {
    if (this.field.value !== "" && this.field === document.activeElement) this.run();
  }

  /** A key that was pressed on that text before the box was there. Enter counts even when the user has gone on elsewhere. */
  catchUp(text: string, key: string): void {
    if (this.field.value !== text) return;
    if (this.field !== document.activeElement) {
      if (key !== "Enter") return;
      this.run();
    }
    this.press(key);
  }

  /** To the next match, or the one before, whether the list is open or not. */
  step(step: 1 | -1): void {
    const { length } = this.matches;
    if (length === 0) {
      this.events.say("Nothing is searched for");
      return;
    }
    const next = this.visited < 0 && step < 0 ? length - 1 : (this.visited + step + length) % length;
    this.jump(next);
    this.events.say(`Match ${next + 1} of ${length}`);
  }

  private hide(): void {
    this.popup.hidden = true;
    this.setExpanded();
  }

  close(): void {
    this.field.value = "";
    this.matches = [];
    this.forCommands = false;
    this.hide();
    this.events.matched([]);
  }

  private run(): void {
    if (this.model === null) return;
    const { value } = this.field;
    const { matches, total, error } = search(this.model, value, 2000);
    this.matches = matches;
    this.visited = -1;
    this.commands = commandsNamed(this.events.commands(), value, this.forCommands);
    this.active = this.listed > 0 ? 0 : -1;
    this.events.matched(matches);
    this.field.ariaInvalid = String(error !== null);
    this.render(total, error);
    if (value.trim() !== "")
      this.events.say(error ?? (total === 0 ? "No matches" : plural(total, "match", "matches")));
  }

  /** How many matches and commands the list holds. */
  private get listed(): number {
    return Math.min(this.matches.length, kShown) + this.commands.length;
  }

  /** The place of the first command in the list. */
  private get firstCommand(): number {
    return this.forCommands ? 0 : Math.min(this.matches.length, kShown);
  }

  private render(total: number, error: string | null): void {
    const { model } = this;
    if (model === null || (this.field.value.trim() === "" && this.commands.length === 0)) {
      this.hide();
      return;
    }
    const begin = this.forCommands ? this.commands.length : 0;
    const options = this.matches
      .slice(0, kShown)
      .map((match, index) => this.renderOption(model, match, begin + index));
    const commands = this.commands.map((command, index) =>
      this.renderCommand(command, this.firstCommand + index),
    );
    if (this.forCommands) options.unshift(...commands);
    else options.push(...commands);
    const rest =
      error ??
      (this.listed === 0
        ? "Nothing matches"
        : total > kShown
          ? `${countText(total)} matches; the first ${kShown} are listed`
          : "");
    if (rest !== "")
      options.push(element("div", { class: "search-rest", role: "option", "aria-disabled": "true" }, rest));
    this.popup.replaceChildren(...options);
    this.popup.hidden = false;
    this.setExpanded();
  }

  private renderCommand({ label, keys }: Command, index: number): HTMLElement {
    return element(
      "div",
      {
        role: "option",
        id: `match-${index}`,
        "aria-selected": String(index === this.active),
        class: "search-option search-command",
      },
      element("span", { class: "search-name" }, label),
      element("span", { class: "search-kind" }, keyText(keys.at(0)) ?? (this.forCommands ? "" : "command")),
    );
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

  /** Returns whether the key does something in the list. */
  press(key: string): boolean {
    const last = this.listed - 1;
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
    if (this.listed === 0) return false;
    this.popup.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    this.active = index;
    const option = document.getElementById(`match-${index}`);
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    this.setExpanded();
    return true;
  }

  private choose(index: number): void {
    if (index < 0 || index >= this.listed) return;
    const command = index - this.firstCommand;
    if (command >= 0 && command < this.commands.length) {
      const chosen = this.commands[command];
      this.close();
      this.events.left();
      chosen.run();
    } else {
      this.hide();
      this.jump(this.forCommands ? index - this.commands.length : index);
    }
  }

  private jump(index: number): void {
    this.visited = index;
    const { target } = this.matches[index];
    this.events.jump(target < 0 ? { kind: "module", id: ~target } : { kind: "node", row: target });
  }
}

/** Those with all words of the text; beside a search only a few, and none for a single letter. */
export function commandsNamed(
  commands: readonly Command[],
  text: string,
  forCommands: boolean,
): readonly Command[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  const named = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  if (forCommands) return named;
  return text.trim().length < 3 ? [] : named.slice(0, kFewCommands);
}

/** `n` is the key N, `N` is Shift+N. */
function keyText(key: string | undefined): string | undefined {
  return key !== undefined && /^[A-Z]$/.test(key) ? `Shift+${key}` : key?.toUpperCase();
}
