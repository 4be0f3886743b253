/** The field that a size is typed into, in the row of chips and in the pane of symbols. */
import { element } from "./dom.js";
import { isUnfinished, parseSetting, settingText, type Setting } from "./settings.js";

export interface SizeFieldOptions {
  readonly label: string;
  /** Shown while it is empty. */
  readonly placeholder: string;
  /** What a text asks for: null is as in the file, undefined that it is no such size. */
  read(text: string): Setting | null | undefined;
  /** Changes of one `group` are one step to undo: the digits of a number. */
  changed(setting: Setting | null, group: string): void;
  /** Where the arrow keys start in an empty field. */
  readonly start: number | null;
}

export class SizeField {
  readonly input: HTMLInputElement;
  private wanted = "";
  private visits = 0;

  constructor(private readonly options: SizeFieldOptions) {
    this.input = element("input", {
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      size: 5,
      "aria-label": options.label,
      placeholder: options.placeholder,
    });
    this.input.addEventListener("focus", () => {
      this.visits++;
    });
    this.input.addEventListener("input", () => {
      this.enter();
    });
    this.input.addEventListener("keydown", (event) => {
      this.step(event);
    });
    this.input.addEventListener("blur", () => {
      this.input.value = this.wanted;
      this.input.removeAttribute("aria-invalid");
    });
  }

  /**
   * What is wanted now. A field that is being typed into keeps its text as long as that is what it asked for itself: answers
   * arrive between two keys of `4..8`.
   */
  show(wanted: string): void {
    const { input } = this;
    const isTypedInto = input === document.activeElement;
    const isNews = wanted !== this.wanted;
    this.wanted = wanted;
    if (isTypedInto && (!isNews || canonical(input.value) === canonical(wanted))) return;
    input.value = wanted;
    input.removeAttribute("aria-invalid");
  }

  private enter(): void {
    const { value } = this.input;
    const setting = this.options.read(value);
    const isWrong = setting === undefined && !isUnfinished(value);
    if (isWrong) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    if (setting !== undefined) this.options.changed(setting, `${this.options.label} ${this.visits}`);
  }

  private step(event: KeyboardEvent): void {
    const { value } = this.input;
    const size = value.trim() === "" ? this.options.start : parseSetting(value);
    const next = typeof size === "number" ? stepped(size, event.key) : null;
    if (next === null) return;
    event.preventDefault();
    this.input.value = String(next);
    this.enter();
  }
}

/** What a symbol is set to: nothing leaves it free. */
export function readSymbol(text: string): Setting | null | undefined {
  return text.trim() === "" ? null : (parseSetting(text) ?? undefined);
}

function canonical(text: string): string {
  const setting = parseSetting(text);
  return setting === null ? text.trim() : settingText(setting);
}

/** Arrows count, page keys double and halve. */
function stepped(size: number, key: string): number | null {
  switch (key) {
    case "ArrowUp":
      return size + 1;
    case "ArrowDown":
      return Math.max(1, size - 1);
    case "PageUp":
      return size * 2;
    case "PageDown":
      return Math.max(1, Math.floor(size / 2));
    default:
      return null;
  }
}
