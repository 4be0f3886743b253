/** The memory of what is pinned as A, behind the strip of what is shown: loaded with the comparison. */
import type { Comparison } from "./comparison.js";
import { element } from "./dom.js";
import { bytesText, signed } from "./format.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { StripBehind } from "./memory_strip.js";
import type { Theme } from "./theme.js";

/** Null where A is what is shown, or the bytes of one of them are not known. */
export function stripBehind(comparison: Comparison | null, theme: Theme): StripBehind | null {
  const a = comparison?.a.profile ?? null;
  const b = comparison?.b.profile ?? null;
  return comparison === null || a === null || b === null || a === b || a.peakRow < 0
    ? null
    : new Behind(comparison, a, b, theme);
}

class Behind implements StripBehind {
  constructor(
    private readonly comparison: Comparison,
    readonly profile: MemoryProfile,
    private readonly shown: MemoryProfile,
    private readonly theme: Theme,
  ) {}

  /** In a tone of its own where B is lower, then its outline where B is higher. */
  paint(context: CanvasRenderingContext2D, heights: Float64Array, floor: number, isOver: boolean): void {
    if (isOver) this.paintOver(context, heights, floor);
    else this.paintUnder(context, heights, floor);
  }

  private paintUnder(context: CanvasRenderingContext2D, heights: Float64Array, floor: number): void {
    context.fillStyle = this.theme.color("moduleBorder");
    heights.forEach((height, x) => {
      context.fillRect(x, floor - height, 1, height);
    });
  }

  private paintOver(context: CanvasRenderingContext2D, heights: Float64Array, floor: number): void {
    context.strokeStyle = context.fillStyle = this.theme.color("text");
    context.lineWidth = 1.5;
    context.beginPath();
    heights.forEach((height, x) => {
      context.lineTo(x, floor - height);
      context.lineTo(x + 1, floor - height);
    });
    context.stroke();
    const { profile, shown } = this;
    const width = heights.length;
    const placeOf = ({ peakRow, first, length }: MemoryProfile): number =>
      Math.min(width - 6, Math.max(6, ((peakRow - first + 0.5) / Math.max(1, length - first)) * width));
    const x = placeOf(profile);
    context.beginPath();
    context.moveTo(x - 5, 3);
    context.lineTo(x + 5, 3);
    context.lineTo(x, 11);
    context.closePath();
    context.stroke();
    context.font = "600 11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const label = `A ${bytesText(profile.peak)}`;
    const isRight = x + 12 + context.measureText(label).width > width;
    // Where the peaks stand close together the label of B says enough: the legend has both.
    if (Math.abs(x - placeOf(shown)) < kApart) return;
    context.textAlign = isRight ? "right" : "left";
    context.fillText(label, isRight ? x - 9 : x + 9, 8);
    context.textAlign = "left";
  }

  textAt(row: number): string {
    const { profile, shown, comparison } = this;
    const old = comparison.rowInA[row] ?? -1;
    if (old < profile.first) return "";
    const more = shown.alive[row] - profile.alive[old];
    return ` (A ${bytesText(profile.alive[old])}${more === 0 ? "" : `, ${signed(more, bytesText)}`})`;
  }

  legend(): HTMLElement {
    const { profile, shown } = this;
    const more = shown.peak - profile.peak;
    const difference = more === 0 ? "the same" : signed(more, bytesText);
    return element(
      "span",
      { class: "legend-item" },
      element("span", { class: "swatch swatch-moduleBorder", "aria-hidden": "true" }),
      `A peak ${bytesText(profile.peak)}, B ${bytesText(shown.peak)} (${difference})`,
    );
  }
}

/** Pixels between two peaks with a label each. */
const kApart = 190;
