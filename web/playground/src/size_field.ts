/** The field that a size is typed into, in the row of chips and in the pane of symbols. */
import { element } from "./dom.js";
import {
  isUnfinished,
  parseSetting,
  refusalOf,
  settingText,
  type Refused,
  type Setting,
} from "./settings.js";

export interface SizeFieldOptions {
  readonly label: string;
  /** Shown while it is empty. */
  readonly placeholder: string;
  /** What a text asks for: null is as in the file. */
  read(text: string): Setting | null | Refused;
  /** Changes of one `group` are one step to undo: the digits of a number. */
  changed(setting: Setting | null, group: string): void;
  /** Where the arrow keys start in an empty field. */
  readonly start: number | null;
}

const kReasonStays = 4000;

export class SizeField {
  readonly input: HTMLInputElement;
  /** Why what is typed is no size; stands beside the field. */
  readonly refusal = element("small", { class: "refusal", role: "alert", hidden: true });
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
      this.leave();
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
    this.refuse(null);
  }

  /** What was refused, or not finished, is taken back; the reason stays for a while. */
  private leave(): void {
    const setting = this.options.read(this.input.value);
    this.input.value = this.wanted;
    this.refuse(isRefused(setting) ? setting.refused : null);
    this.input.removeAttribute("aria-invalid");
    setTimeout(() => {
      if (this.input !== document.activeElement) this.refuse(null);
    }, kReasonStays);
  }

  private enter(): void {
    const { value } = this.input;
    const setting = this.options.read(value);
    if (isRefused(setting)) {
      this.refuse(isUnfinished(value) ? null : setting.refused);
      return;
    }
    this.refuse(null);
    this.options.changed(setting, `${this.options.label} ${this.visits}`);
  }

  /** The reason stands under the field, in the window whatever scrolls around it. */
  private refuse(reason: string | null): void {
    const { input, refusal } = this;
    if (reason === null) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    refusal.hidden = reason === null;
    refusal.textContent = reason ?? "";
    if (reason === null) return;
    const { left, bottom } = input.getBoundingClientRect();
    refusal.style.top = `${bottom + 8}px`;
    refusal.style.left = `${Math.max(8, Math.min(left - 12, innerWidth - refusal.offsetWidth - 8))}px`;
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

function isRefused(reading: Setting | null | Refused): reading is Refused {
  return typeof reading === "object" && reading !== null && "refused" in reading;
}

/** What a symbol is set to: nothing leaves it free. */
export function readSymbol(text: string): Setting | null | Refused {
  return text.trim() === "" ? null : (parseSetting(text) ?? { refused: refusalOf(text) });
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
