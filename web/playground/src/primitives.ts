/** What a picture is made of, in world units: boxes, lines and texts, whose colours a theme resolves. */
import type { Tints } from "./coloring.js";
import type { Rect } from "./geometry.js";
import type { DtypeGroup } from "./format.js";
import type { Selection } from "./model.js";

export type Paint =
  | "canvas"
  | "node"
  | "nodeBorder"
  | "input"
  | "module"
  | "moduleBorder"
  | "moduleOpen"
  | "moduleOpenAlternate"
  | "text"
  | "textQuiet"
  | "edge"
  | `edge-${DtypeGroup}`
  | "selection"
  | "upstream"
  | "downstream"
  | "error"
  | "errorFill"
  | "unknown"
  | "unknownFill"
  | "flash"
  | "match"
  | `tint-${DtypeGroup}`
  | `tint-${number}`
  | `heat-${number}`
  | `series-${number}`
  | `dtype-${DtypeGroup}`;

export interface BoxPrimitive {
  readonly kind: "box";
  readonly rect: Rect;
  readonly radius: number;
  readonly fill: Paint | null;
  readonly stroke: Paint | null;
  /** Of the stroke, in screen pixels: a border stays as thin at every zoom. */
  readonly strokeWidth: number;
  readonly dashed: boolean;
  readonly faded?: boolean;
}

export interface LinePrimitive {
  readonly kind: "line";
  readonly points: Float32Array;
  /** First and one past the last point, counted in points. */
  readonly first: number;
  readonly end: number;
  readonly paint: Paint;
  readonly width: number;
  readonly arrow: boolean;
  readonly faded?: boolean;
}

export interface TextPrimitive {
  readonly kind: "text";
  readonly x: number;
  /** The line's middle. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly font: "plain" | "bold" | "mono";
  readonly align: "left" | "center" | "right";
  readonly paint: Paint;
  /** The ground it stands on, drawn around the letters so that lines do not run through them. */
  readonly halo?: Paint;
  readonly faded?: boolean;
}

export type Primitive = BoxPrimitive | LinePrimitive | TextPrimitive;

/** Width of a text in world units at a font size. */
export type Measure = (text: string, font: TextPrimitive["font"], size: number) => number;

/** How a picture is drawn, whatever part of it and however large. */
export interface Looks {
  readonly selection: Selection | null;
  readonly measure: Measure;
  readonly tints: Tints | null;
  /** Of the selection all that it depends on and all that depends on it, not only its neighbours. */
  readonly traced: boolean;
  /** Boxes that stay while all others fade; null: none fades. */
  readonly vivid: ReadonlySet<number> | null;
}

export interface DrawOptions extends Looks {
  /** Screen pixels per world unit. */
  readonly scale: number;
  readonly viewport: Rect;
  /** Boxes that a search found. */
  readonly matches: ReadonlySet<number>;
  /** At most so many primitives, counted when drawing to the screen; an export passes Infinity. */
  readonly limit: number;
}

/** In pixels: names are never written smaller than this, shapes and dtypes than that; what has no room is left out. */
export const kLeastName = 10;
export const kLeastDetail = 9;

/** A font size in world units: as asked, or what `least` pixels are at this scale. */
export function seen(size: number, least: number, scale: number): number {
  return Math.max(size, least / scale);
}

export function text(
  x: number,
  y: number,
  content: string,
  size: number,
  font: TextPrimitive["font"],
  align: TextPrimitive["align"],
  paint: Paint,
): TextPrimitive {
  return { kind: "text", x, y, text: content, size, font, align, paint };
}

const kFewestLetters = 3;

/** The text, or as much of its beginning as fits with an ellipsis; nothing where that would be a letter or two. */
export function truncated(
  label: string,
  room: number,
  font: TextPrimitive["font"],
  size: number,
  measure: Measure,
): string {
  const width = measure(label, font, size);
  if (width <= room) return label;
  if (room <= 0) return "";
  let keep = Math.floor((label.length * room) / width);
  while (keep >= kFewestLetters && measure(`${label.slice(0, keep)}…`, font, size) > room) keep--;
  return keep < kFewestLetters ? "" : `${label.slice(0, keep)}…`;
}
