/**
 * Light and dark. The style sheet holds all colours as custom properties; the canvas reads the same ones, so there is one
 * palette. The system's preference rules until the user chooses; the choice is remembered.
 */
import type { Paint, TextPrimitive } from "./primitives.js";

export const kTextFonts: Record<TextPrimitive["font"], { readonly weight: number; readonly family: string }> =
  {
    plain: { weight: 400, family: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif' },
    bold: { weight: 600, family: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif' },
    mono: { weight: 400, family: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace' },
  };

/** Gives paints their colours. */
export interface Palette {
  color(paint: Paint): string;
}

/** The colours that an element has by its style sheets, which may follow the system's preference. */
export class ElementPalette implements Palette {
  /** The colours are others now. */
  changed: () => void = () => undefined;
  private colors = new Map<Paint, string>();

  constructor(private readonly element: HTMLElement) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.forget();
    });
  }

  color(paint: Paint): string {
    return colorOf(this.element, paint, this.colors);
  }

  forget(): void {
    this.colors = new Map();
    this.changed();
  }
}

/** What a paint is called in style sheets is a custom property: `moduleOpen` is `--module-open`. */
function colorOf(element: HTMLElement, paint: Paint, known: Map<Paint, string>): string {
  let color = known.get(paint);
  if (color === undefined) {
    const property = `--${paint.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    color = getComputedStyle(element).getPropertyValue(property).trim();
    known.set(paint, color);
  }
  return color;
}

export type ThemeName = "light" | "dark";

const kRemembered = "faketensor.theme";

export class Theme implements Palette {
  private colors = new Map<Paint, string>();
  private readonly preferred = matchMedia("(prefers-color-scheme: dark)");
  /** The system's few colours rule: the canvas, which no style sheet reaches, uses them too. */
  private readonly forced = matchMedia("(forced-colors: active)");

  /** `changed` is called after each switch, when the new colours are in place. */
  constructor(private readonly changed: () => void) {
    this.setName();
    for (const query of [this.preferred, this.forced])
      query.addEventListener("change", () => {
        this.apply();
      });
  }

  get name(): ThemeName {
    const chosen = readStorage(kRemembered);
    if (chosen === "light" || chosen === "dark") return chosen;
    return this.preferred.matches ? "dark" : "light";
  }

  toggle(): void {
    writeStorage(kRemembered, this.name === "dark" ? "light" : "dark");
    this.apply();
  }

  color(paint: Paint): string {
    return this.forced.matches ? systemColor(paint) : colorOf(document.documentElement, paint, this.colors);
  }

  private apply(): void {
    this.setName();
    this.changed();
  }

  private setName(): void {
    document.documentElement.dataset["theme"] = this.name;
    this.colors = new Map();
  }
}

/** What a system that forces its colours has for a paint: texts and borders, lines, marks, grounds. */
function systemColor(paint: Paint): string {
  if (/^(selection|match|flash|downstream|series-1)$/.test(paint)) return "Highlight";
  if (paint === "upstream") return "LinkText";
  if (/^(text|dtype|error$|unknown$)|Border$/.test(paint)) return "CanvasText";
  return /^(edge|series)/.test(paint) ? "GrayText" : "Canvas";
}

/** Storage is a convenience: a browser that forbids it only forgets the choice. */
export function readStorage(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeStorage(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Forbidden or full: see above.
  }
}
