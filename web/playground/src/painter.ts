/** Paints a display list on a 2D canvas. */
import { kTextFonts, type Palette } from "./theme.js";
import type { BoxPrimitive, LinePrimitive, Measure, Paint, Primitive, TextPrimitive } from "./primitives.js";
import type { Size } from "./geometry.js";
import type { Camera } from "./state.js";

export interface PaintTarget {
  readonly context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  readonly size: Size;
  /** Device pixels per CSS pixel. */
  readonly density: number;
}

const kArrow = 5;
/** Opacity of what is faded. */
export const kFaded = 0.22;

/** The whole picture: background, then the list. */
export function paint(target: PaintTarget, list: readonly Primitive[], camera: Camera, theme: Palette): void {
  const { context, size, density } = target;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.fillStyle = theme.color("canvas");
  context.fillRect(0, 0, size.w, size.h);
  const zoom = camera.scale * density;
  const left = (size.w / 2 - camera.x * camera.scale) * density;
  const top = (size.h / 2 - camera.y * camera.scale) * density;
  context.setTransform(zoom, 0, 0, zoom, Math.round(left), Math.round(top));
  const brush = new Brush(context, theme, 1 / camera.scale);
  for (const primitive of list) {
    if (primitive.kind === "box") brush.box(primitive);
    else if (primitive.kind === "line") brush.line(primitive);
    else brush.text(primitive);
  }
  brush.flush();
  context.globalAlpha = 1;
}

/**
 * Turns primitives into canvas calls. Lines of one paint that follow each other are one path, and state is set only
 * when it changes: both halve the time of a frame with thousands of edges.
 */
class Brush {
  private pending: { paint: Paint; width: number; faded: boolean } | null = null;
  private font = "";

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly theme: Palette,
    /** World units per screen pixel. */
    private readonly pixel: number,
  ) {
    context.textBaseline = "middle";
    context.lineJoin = "round";
  }

  box({ rect, radius, fill, stroke, strokeWidth, dashed, faded }: BoxPrimitive): void {
    this.flush();
    const { context } = this;
    this.fade(faded);
    context.beginPath();
    if (rect.h < 4 * this.pixel) context.rect(rect.x, rect.y, rect.w, rect.h);
    else context.roundRect(rect.x, rect.y, rect.w, rect.h, radius);
    if (fill !== null) {
      context.fillStyle = this.theme.color(fill);
      context.fill();
    }
    if (stroke === null) return;
    context.strokeStyle = this.theme.color(stroke);
    context.lineWidth = strokeWidth * this.pixel;
    context.setLineDash(dashed ? [4 * this.pixel, 3 * this.pixel] : []);
    context.stroke();
  }

  line({ points, first, end, paint: name, width, arrow, faded = false }: LinePrimitive): void {
    const { context } = this;
    if (this.pending?.paint !== name || this.pending.width !== width || this.pending.faded !== faded) {
      this.flush();
      context.beginPath();
      this.pending = { paint: name, width, faded };
    }
    context.moveTo(points[2 * first], points[2 * first + 1]);
    for (let i = first + 1; i < end; i++) context.lineTo(points[2 * i], points[2 * i + 1]);
    if (!arrow) return;
    const x = points[2 * end - 2];
    const y = points[2 * end - 1];
    context.moveTo(x - kArrow * 0.7, y - kArrow);
    context.lineTo(x, y);
    context.lineTo(x + kArrow * 0.7, y - kArrow);
  }

  flush(): void {
    if (this.pending === null) return;
    this.fade(this.pending.faded);
    this.context.strokeStyle = this.theme.color(this.pending.paint);
    this.context.lineWidth = this.pending.width * this.pixel;
    this.context.setLineDash([]);
    this.context.stroke();
    this.pending = null;
  }

  /** Before each use of the context: what is drawn next is faded or not. */
  private fade(faded = false): void {
    this.context.globalAlpha = faded ? kFaded : 1;
  }

  text({ x, y, text, size, font, align, paint: name, halo, faded }: TextPrimitive): void {
    this.flush();
    this.fade(faded);
    const wanted = `${kTextFonts[font].weight} ${size}px ${kTextFonts[font].family}`;
    if (this.font !== wanted) this.context.font = this.font = wanted;
    this.context.textAlign = align;
    if (halo !== undefined) {
      this.context.strokeStyle = this.theme.color(halo);
      this.context.lineWidth = 3;
      this.context.setLineDash([]);
      this.context.strokeText(text, x, y);
    }
    this.context.fillStyle = this.theme.color(name);
    this.context.fillText(text, x, y);
  }
}

/** Measures texts on a canvas of its own and remembers them: a program has few distinct labels. */
export function makeMeasure(): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const known = new Map<string, number>();
  return (text, font, size) => {
    const key = `${font}${text}`;
    let width = known.get(key);
    if (width === undefined) {
      if (context === null) return text.length * size * 0.6;
      context.font = `${kTextFonts[font].weight} 100px ${kTextFonts[font].family}`;
      width = context.measureText(text).width / 100;
      if (known.size > 100_000) known.clear();
      known.set(key, width);
    }
    return width * size;
  };
}
