/**
 * Memory over time under the graph: bytes alive row by row, stacked by kind or by module. Its cursor is the selection; a
 * press, or Enter, fades the graph to what is alive then. For a screen reader it is a slider over the rows whose text is
 * the row's name and bytes. What is pinned as A stands behind it, to the same scale.
 */
import { byId, element } from "./dom.js";
import type { Paint } from "./primitives.js";
import { bytesText } from "./format.js";
import type { Layer, MemoryProfile, Stacking } from "./memory_profile.js";
import type { Model } from "./model.js";
import { placeOfRow, rowAt, stripPicture, type StripPicture } from "./strip_picture.js";
import { readStorage, writeStorage, type Theme } from "./theme.js";

/** What stands behind the strip: the memory of A (strip_behind.ts). */
export interface StripBehind {
  readonly profile: MemoryProfile;
  paint(context: CanvasRenderingContext2D, heights: Float64Array, floor: number, isOver: boolean): void;
  /** What is said beside the bytes of a row. */
  textAt(row: number): string;
  legend(): HTMLElement;
}

export interface StripEvents {
  /** Selects the row, without fading anything. */
  select(row: number): void;
  /** Fades the graph to what is alive while a row runs; null: shows all of it again. */
  fade(row: number | null): void;
}

const kRememberedOpen = "faketensor.memory";
const kTopMargin = 16;
const kSeries = 7;
const kPeakHelp = "Fade the graph to what is alive then (M)";

export class MemoryStrip {
  private profile: MemoryProfile | null = null;
  private model: Model | null = null;
  private behind: StripBehind | null = null;
  private selected: number | null = null;
  private faded: number | null = null;
  private hovered: number | null = null;
  private stacking: Stacking = "kind";
  private frame = 0;
  private readonly box = byId("memory", HTMLElement);
  private readonly chart = byId("memory-chart", HTMLElement);
  private readonly canvas = byId("memory-canvas", HTMLCanvasElement);
  private readonly title = byId("memory-title", HTMLButtonElement);
  private readonly reading = byId("memory-reading", HTMLElement);
  private readonly legend = byId("memory-legend", HTMLElement);
  private readonly sentence = byId("peak", HTMLButtonElement);
  private readonly showAll = byId("memory-all", HTMLButtonElement);
  private readonly switchStacking = byId("memory-stacking", HTMLButtonElement);

  constructor(
    private readonly theme: Theme,
    private readonly events: StripEvents,
  ) {
    this.setOpen(readStorage(kRememberedOpen) !== "closed");
    this.title.addEventListener("click", () => {
      this.setOpen(this.title.ariaExpanded !== "true");
      writeStorage(kRememberedOpen, this.chart.hidden ? "closed" : "open");
    });
    this.switchStacking.addEventListener("click", () => {
      this.stacking = this.stacking === "kind" ? "module" : "kind";
      this.redraw();
    });
    this.sentence.addEventListener("click", () => {
      this.fadeToPeak();
    });
    this.showAll.addEventListener("click", () => {
      events.fade(null);
      this.chart.focus({ preventScroll: true });
    });
    this.listenToPointers();
    this.chart.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!this.handleKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    new ResizeObserver(() => {
      this.redraw();
    }).observe(this.chart);
  }

  /** Null: what is alive is not known (yet). */
  show(profile: MemoryProfile | null, model: Model, isExample: boolean): void {
    this.profile = profile;
    this.model = model;
    this.hovered = null;
    const { sentence } = this;
    sentence.textContent = "";
    this.box.hidden = profile === null || profile.peakRow < 0;
    if (profile !== null) {
      const place = peakPlace(profile, model);
      sentence.title = `${peakSentence(profile, place, isExample)}. ${kPeakHelp}`;
      sentence.textContent = peakSentence(profile, shortened(place), isExample);
      if (sentence.scrollWidth > sentence.clientWidth)
        sentence.textContent = peakSentence(profile, shortened(place, 0), false);
    }
    this.redraw();
  }

  /** Draws the memory of A behind that of what is shown; null: no longer. */
  compare(behind: StripBehind | null): void {
    this.behind = behind;
    this.redraw();
  }

  /** What is shown is outdated: its bytes are being counted again. */
  wait(): void {
    this.box.ariaBusy = "true";
  }

  mark(selected: number | null, faded: number | null): void {
    this.selected = selected;
    this.faded = faded;
    this.showAll.hidden = faded === null;
    this.sentence.setAttribute("aria-pressed", String(faded !== null && faded === this.profile?.peakRow));
    this.redraw();
  }

  fadeToPeak(): void {
    const { profile } = this;
    if (profile === null || profile.peakRow < 0) return;
    this.events.fade(this.faded === profile.peakRow ? null : profile.peakRow);
  }

  redraw(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private setOpen(open: boolean): void {
    this.chart.hidden = !open;
    this.title.setAttribute("aria-expanded", String(open));
    byId("panes", HTMLElement).classList.toggle("memory-closed", !open);
  }

  /** The row that is told of: under the pointer, else faded to, else selected, else the peak. */
  private get told(): number {
    const { profile, selected } = this;
    const isRun = selected !== null && profile !== null && selected >= profile.first;
    return this.hovered ?? this.faded ?? (isRun ? selected : (profile?.peakRow ?? -1));
  }

  private listenToPointers(): void {
    const { chart } = this;
    const rowUnder = (event: PointerEvent): number | null => {
      const { left, width } = chart.getBoundingClientRect();
      return this.profile === null ? null : this.rowNear((event.clientX - left) / width, width);
    };
    chart.addEventListener("pointermove", (event) => {
      this.hovered = rowUnder(event);
      if (event.buttons === 1 && this.hovered !== null && this.hovered !== this.faded)
        this.events.fade(this.hovered);
      this.redraw();
    });
    chart.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.redraw();
    });
    chart.addEventListener("pointerdown", (event) => {
      const row = rowUnder(event);
      if (event.button !== 0 || row === null) return;
      chart.setPointerCapture(event.pointerId);
      this.events.fade(row === this.faded ? null : row);
    });
  }

  /** Near the peak's mark it is the peak that is meant. */
  private rowNear(part: number, width: number): number | null {
    const { profile } = this;
    if (profile === null || profile.peakRow < 0) return null;
    const peakAt = placeOfRow(profile, profile.peakRow);
    return Math.abs(part - peakAt) * width < 5 ? profile.peakRow : rowAt(profile, part);
  }

  private handleKey(key: string): boolean {
    const { profile } = this;
    if (profile === null || profile.peakRow < 0) return false;
    const { told } = this;
    const last = profile.length - 1;
    const page = Math.max(2, Math.round((profile.length - profile.first) / 20));
    const steps: Record<string, number> = {
      ArrowLeft: told - 1,
      ArrowDown: told - 1,
      ArrowRight: told + 1,
      ArrowUp: told + 1,
      PageDown: told - page,
      PageUp: told + page,
      Home: profile.first,
      End: last,
      p: profile.peakRow,
    };
    if (key === "Enter" || key === " ") this.events.fade(this.faded === told ? null : told);
    else if (key in steps) this.goTo(Math.min(last, Math.max(profile.first, steps[key])));
    else return false;
    return true;
  }

  private goTo(row: number): void {
    this.hovered = null;
    if (this.faded !== null) this.events.fade(row);
    else this.events.select(row);
  }

  private paint(): void {
    const { profile, model } = this;
    this.box.ariaBusy = null;
    if (profile === null || model === null || this.box.hidden) return;
    const layers = profile.layers(this.stacking);
    this.tell(profile, model, layers);
    const { clientWidth, clientHeight } = this.chart;
    const context = this.canvas.getContext("2d");
    if (context === null || clientWidth === 0) return;
    const density = window.devicePixelRatio;
    this.canvas.width = Math.round(clientWidth * density);
    this.canvas.height = Math.round(clientHeight * density);
    context.scale(density, density);
    const { behind } = this;
    const picture = stripPicture(profile, layers, clientWidth, clientHeight - kTopMargin, behind?.profile);
    behind?.paint(context, picture.beside, clientHeight, false);
    this.paintLayers(context, profile, picture, clientWidth, clientHeight);
    behind?.paint(context, picture.beside, clientHeight, true);
    this.paintMarks(context, profile, clientWidth, clientHeight);
  }

  private paintLayers(
    context: CanvasRenderingContext2D,
    profile: MemoryProfile,
    picture: StripPicture,
    width: number,
    height: number,
  ): void {
    const { layers } = picture;
    const floor = height - picture.base;
    layers.forEach((layer, i) => {
      context.fillStyle = this.theme.color(paintOf(layer, i));
      for (let x = 0; x < picture.rows.length; x++) {
        const row = picture.rows[x];
        const value = layer.bytes[row];
        if (value === 0) continue;
        let below = 0;
        for (let j = 0; j < i; j++) below += layers[j].bytes[row];
        const top = floor - (below + value) * picture.perByte;
        context.fillRect(x, top, 1, value * picture.perByte);
      }
    });
    if (picture.base === 0) return;
    context.fillStyle = this.theme.color("moduleBorder");
    context.fillRect(0, floor, width, picture.base);
    if (picture.base < kTopMargin - 1) return;
    context.fillStyle = this.theme.color("text");
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const cut = picture.isCut ? " (not to scale)" : "";
    context.fillText(`${bytesText(profile.held)} held all the time${cut}`, 8, floor + picture.base / 2);
  }

  private paintMarks(
    context: CanvasRenderingContext2D,
    profile: MemoryProfile,
    width: number,
    height: number,
  ): void {
    const at = (row: number): number => placeOfRow(profile, row) * width;
    context.textBaseline = "middle";
    context.font = "600 11px system-ui, sans-serif";
    context.fillStyle = this.theme.color("error");
    const x = Math.min(width - 6, Math.max(6, at(profile.peakRow)));
    context.beginPath();
    context.moveTo(x - 5, 3);
    context.lineTo(x + 5, 3);
    context.lineTo(x, 11);
    context.fill();
    const label = `Peak ${bytesText(profile.peak)}`;
    const isRight = x + 12 + context.measureText(label).width > width;
    context.textAlign = isRight ? "right" : "left";
    context.fillText(label, isRight ? x - 9 : x + 9, 8);
    context.textAlign = "left";
    this.paintCursor(context, this.selected, at, height, "selection", 1.5);
    this.paintCursor(context, this.faded, at, height, "error", 1.5);
    this.paintCursor(context, this.hovered, at, height, "textQuiet", 1);
  }

  private paintCursor(
    context: CanvasRenderingContext2D,
    row: number | null,
    at: (row: number) => number,
    height: number,
    paint: Paint,
    width: number,
  ): void {
    if (row === null || this.profile === null || row < this.profile.first) return;
    context.fillStyle = this.theme.color(paint);
    context.fillRect(at(row) - width / 2, 0, width, height);
  }

  /** In words, beside the strip and for who cannot see it. */
  private tell(profile: MemoryProfile, model: Model, layers: readonly Layer[]): void {
    const row = this.told;
    if (row < 0) return;
    const name = model.table.names[row];
    const { behind } = this;
    const alive = bytesText(profile.alive[row]) + (behind?.textAt(row) ?? "");
    this.reading.textContent = this.faded === row ? `${alive} alive at ${name}` : `${name}: ${alive} alive`;
    const painted = layers.map((layer, i) => ({ name: layer.name, bytes: layer.bytes[row], i }));
    // What does not fit is cut off: the largest come first.
    if (this.stacking === "module") painted.sort((a, b) => b.bytes - a.bytes);
    this.legend.replaceChildren(
      ...(behind === null ? [] : [behind.legend()]),
      ...painted.map(({ name: part, bytes, i }) =>
        element(
          "span",
          { class: "legend-item" },
          element("span", { class: `swatch swatch-${paintOf(layers[i], i)}`, "aria-hidden": "true" }),
          bytes > 0 ? `${part} ${bytesText(bytes)}` : part,
        ),
      ),
    );
    this.switchStacking.textContent = this.stacking === "kind" ? "By module" : "By kind";
    const { chart } = this;
    chart.ariaValueMin = String(profile.first);
    chart.ariaValueMax = String(profile.length - 1);
    chart.ariaValueNow = String(row);
    chart.ariaValueText = `${name}, ${alive} alive${row === profile.peakRow ? ", the peak" : ""}`;
  }
}

/** Modules have colours in their order, temporaries the last one in both stackings. */
function paintOf({ name }: Layer, index: number): Paint {
  if (name === "temporaries") return "series-8";
  return index < kSeries ? (`series-${index + 1}` as Paint) : "moduleBorder";
}

/** The module that the peak is in, or the node where it is in none. */
function peakPlace({ peakRow }: MemoryProfile, model: Model): string {
  if (peakRow < 0) return "";
  const module = model.table.module[peakRow];
  return module > 0 ? model.module(module).path : model.table.names[peakRow];
}

/** The end of a long path, which tells more than its beginning. */
function shortened(path: string, parts = 3): string {
  const all = path.split(".");
  return all.length > parts + 1 ? `…${all.slice(-parts).join(".")}` : path;
}

function peakSentence(profile: MemoryProfile, place: string, isExample: boolean): string {
  if (profile.peakRow < 0) return `${bytesText(profile.held)} held all the time`;
  const sizes = isExample ? ", at the example’s sizes" : "";
  const unknown = profile.unknown > 0 ? `, without ${profile.unknown} of unknown size` : "";
  return `Peak ${bytesText(profile.peak)} at ${place}${sizes}${unknown}`;
}
