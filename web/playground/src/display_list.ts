/**
 * What is drawn, as data: a list of boxes, lines and texts in world units, back to front. The canvas, the exported SVG
 * and PNG and the tests read the same list. Colours are names ({@link Paint}) that a theme resolves.
 *
 * Note [Levels of detail]
 * The list holds only what can be seen at the camera's scale: a subtree outside the viewport is skipped; a module
 * smaller than kModuleAsBox on screen is one box; an edge that would be a dot is left out; a text below kSmallestText
 * pixels is not written. So the list's length depends on the screen, not on the graph.
 */
import type { Tint, Tints } from "./coloring.js";
import { Status, ValueKind } from "./engine.js";
import {
  compactShape,
  countText,
  dtypeGroup,
  dtypeShort,
  moduleShort,
  opShort,
  sizesOf,
  typeShort,
  type DtypeGroup,
} from "./format.js";
import type { Rect } from "./geometry.js";
import { interfaceText, parametersText } from "./module_facts.js";
import { sameSelection, type Selection } from "./model.js";
import { kNameIndent, kTitleHeight, type Scene } from "./scene.js";

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

export const kModuleAsBox = 40;
export const kSmallestText = 6;
const kFontSize = 12;
const kBadgeSize = 9.5;
const kEdgeLabelSize = 10;
/** From this height on a closed module has a second line. */
const kTwoLines = 44;

export function buildDisplayList(scene: Scene, options: DrawOptions): Primitive[] {
  const list: Primitive[] = [];
  // Lines run through the titles of open modules, which are written over them.
  const titles: Primitive[] = [];
  const shown = drawBoxes(scene, options, list, titles);
  drawEdges(scene, options, shown, list);
  list.push(...titles);
  drawSelection(scene, options, list);
  return list;
}

/** Draws boxes and returns, per box, 1 where it is on the list with its content (edges inside others are left out). */
function drawBoxes(scene: Scene, options: DrawOptions, list: Primitive[], titles: Primitive[]): Uint8Array {
  const { box } = scene.layout;
  const { viewport, scale } = options;
  const shown = new Uint8Array(box.count);
  const right = viewport.x + viewport.w;
  const bottom = viewport.y + viewport.h;
  for (let i = 0; i < box.count && list.length < options.limit;) {
    const outside =
      box.x[i] > right ||
      box.x[i] + box.w[i] < viewport.x ||
      box.y[i] > bottom ||
      box.y[i] + box.h[i] < viewport.y;
    const isRoot = box.parent[i] < 0 && scene.open[i] === 1;
    if (outside && !isRoot) {
      i = scene.subtreeEnd[i];
      continue;
    }
    const small = Math.max(box.w[i], box.h[i]) * scale < kModuleAsBox && !isRoot;
    shown[i] = scene.open[i] && small ? 0 : 1;
    if (!isRoot) drawBox(scene, options, i, small, list, titles);
    i = scene.open[i] && small ? scene.subtreeEnd[i] : i + 1;
  }
  return shown;
}

function drawBox(
  scene: Scene,
  options: DrawOptions,
  box: number,
  small: boolean,
  list: Primitive[],
  titles: Primitive[],
): void {
  const id = scene.layout.box.id[box];
  const begin = list.length;
  if (id >= 0) drawNode(scene, options, box, id, list);
  else if (scene.open[box] && !small) drawOpenModule(scene, options, box, ~id, list, titles);
  else drawClosedModule(scene, options, box, ~id, list);
  if (options.vivid === null || options.vivid.has(box) || (scene.open[box] && !small)) return;
  for (let i = begin; i < list.length; i++) list[i] = { ...list[i], faded: true };
}

/** What a box is filled with: what is wrong with it before what it is coloured by. */
function tintOf({ tints }: DrawOptions, box: number, status: number): Tint | null {
  return status === Status.ok && tints !== null ? tints(box) : null;
}

function drawNode(scene: Scene, options: DrawOptions, box: number, row: number, list: Primitive[]): void {
  const { model } = scene;
  const { table } = model;
  const rect = scene.rectOf(box);
  const status = table.status[row];
  const isInput = model.kindOfInput(row) !== null;
  const tint = tintOf(options, box, status);
  list.push({
    kind: "box",
    rect,
    radius: isInput ? rect.h / 2 : 5,
    fill:
      tint !== null
        ? tint.fill
        : status === Status.error
          ? "errorFill"
          : status === Status.unknown
            ? "unknownFill"
            : isInput
              ? "input"
              : "node",
    stroke: options.matches.has(box)
      ? "match"
      : status === Status.error
        ? "error"
        : status === Status.unknown
          ? "unknown"
          : "nodeBorder",
    strokeWidth: options.matches.has(box) ? 2 : status === Status.error ? 1.5 : 1,
    dashed: status >= Status.unknown,
  });
  if (kFontSize * options.scale < kSmallestText) return;
  const middle = rect.y + rect.h / 2;
  const badgeEnd = rect.x + rect.w - 8;
  let room = badgeEnd - rect.x - kNameIndent;
  if (status === Status.error || status === Status.unknown) {
    list.push(
      text(
        badgeEnd,
        middle,
        status === Status.error ? "!" : "?",
        kFontSize,
        "bold",
        "right",
        status === Status.error ? "error" : "unknown",
      ),
    );
    room -= 14;
  } else if (tint !== null && tint.label !== null) {
    room -= pushLabel(options, badgeEnd, middle, tint.label, list) + 6;
  } else if (table.kind[row] === ValueKind.tensor) {
    room -= pushBadge(options, badgeEnd, middle, table.dtypes[table.dtype[row]], list) + 6;
  }
  const label = isInput ? table.names[row] : opShort(model.op(row));
  const fitting = truncated(label, room, "plain", kFontSize, options.measure);
  list.push(
    text(
      rect.x + kNameIndent,
      middle,
      fitting,
      kFontSize,
      "plain",
      "left",
      status === Status.notReached ? "textQuiet" : "text",
    ),
  );
}

/** What a box is coloured for, ending at `right`; returns its width. */
function pushLabel(
  options: DrawOptions,
  right: number,
  middle: number,
  label: string,
  list: Primitive[],
): number {
  if (kBadgeSize * options.scale >= kSmallestText)
    list.push(text(right, middle, label, kBadgeSize, "mono", "right", "text"));
  return options.measure(label, "mono", kBadgeSize);
}

/** The dtype's letters in its colour, ending at `right`; returns their width. */
function pushBadge(
  options: DrawOptions,
  right: number,
  middle: number,
  dtype: string,
  list: Primitive[],
): number {
  const letters = dtypeShort(dtype);
  if (kBadgeSize * options.scale >= kSmallestText) {
    list.push(text(right, middle, letters, kBadgeSize, "mono", "right", `dtype-${dtypeGroup(dtype)}`));
  }
  return options.measure(letters, "mono", kBadgeSize);
}

function drawClosedModule(
  scene: Scene,
  options: DrawOptions,
  box: number,
  id: number,
  list: Primitive[],
): void {
  const { model } = scene;
  const rect = scene.rectOf(box);
  const repeat = scene.layout.box.repeat[box];
  const worst = model.worstIn(id);
  const tint = tintOf(options, box, worst);
  if (repeat > 1) {
    const behind = { ...rect, x: rect.x + 4, y: rect.y + 4 };
    list.push({
      kind: "box",
      rect: behind,
      radius: 6,
      fill: "module",
      stroke: "moduleBorder",
      strokeWidth: 1,
      dashed: false,
    });
  }
  list.push({
    kind: "box",
    rect,
    radius: 6,
    fill:
      tint !== null
        ? tint.fill
        : worst === Status.error
          ? "errorFill"
          : worst === Status.unknown
            ? "unknownFill"
            : worst === Status.notReached
              ? "node"
              : "module",
    stroke: options.matches.has(box)
      ? "match"
      : worst === Status.error
        ? "error"
        : worst === Status.unknown
          ? "unknown"
          : "moduleBorder",
    strokeWidth: options.matches.has(box) ? 2 : worst === Status.error ? 1.5 : 1,
    dashed: worst >= Status.unknown,
  });
  if (kFontSize * options.scale < kSmallestText) return;
  const module = model.module(id);
  const isTall = rect.h >= kTwoLines;
  const middle = isTall ? rect.y + rect.h * 0.34 : rect.y + rect.h / 2;
  if (isTall) pushSecondLine(scene, options, box, id, tint !== null, list);
  const shown = tint?.label ?? countText(module.nodes);
  const counts = repeat > 1 ? `${tint?.label ?? ""} ×${countText(repeat)}`.trim() : shown;
  list.push(
    text(
      rect.x + rect.w - 10,
      middle,
      counts,
      kBadgeSize,
      repeat > 1 ? "bold" : "mono",
      "right",
      tint === null ? "textQuiet" : "text",
    ),
  );
  const room = rect.w - 26 - options.measure(counts, "mono", kBadgeSize);
  const name = truncated(moduleShort(module.path), room, "bold", kFontSize, options.measure);
  const paint = worst === Status.notReached ? "textQuiet" : "text";
  list.push(text(rect.x + kNameIndent, middle, name, kFontSize, "bold", "left", paint));
  const used = options.measure(name, "bold", kFontSize) + 8;
  const type = typeShort(module.type);
  if (room - used >= options.measure(type, "plain", kBadgeSize + 1)) {
    list.push(
      text(
        rect.x + kNameIndent + used,
        middle + 0.5,
        type,
        kBadgeSize + 1,
        "plain",
        "left",
        tint === null ? "textQuiet" : "text",
      ),
    );
  }
}

/** What goes in and comes out of a closed module, and how much it has learned. */
function pushSecondLine(
  scene: Scene,
  options: DrawOptions,
  box: number,
  id: number,
  tinted: boolean,
  list: Primitive[],
): void {
  if (kBadgeSize * options.scale < kSmallestText) return;
  const rect = scene.rectOf(box);
  const y = rect.y + rect.h * 0.72;
  const paint = tinted ? "text" : "textQuiet";
  const count = scene.parameters.countOf(id);
  let room = rect.w - 20;
  if (count > 0) {
    const parameters = parametersText(count);
    list.push(text(rect.x + rect.w - 10, y, parameters, kBadgeSize, "mono", "right", paint));
    room -= options.measure(parameters, "mono", kBadgeSize) + 8;
  }
  const shapes = truncated(interfaceText(scene, box), room, "mono", kBadgeSize, options.measure);
  list.push(text(rect.x + kNameIndent, y, shapes, kBadgeSize, "mono", "left", paint));
}

function drawOpenModule(
  scene: Scene,
  options: DrawOptions,
  box: number,
  id: number,
  list: Primitive[],
  titles: Primitive[],
): void {
  const rect = scene.rectOf(box);
  const halo = groundIn(scene, box);
  list.push({
    kind: "box",
    rect,
    radius: 8,
    fill: halo,
    stroke: options.matches.has(box) ? "match" : "moduleBorder",
    strokeWidth: options.matches.has(box) ? 2 : 1,
    dashed: false,
  });
  if (kFontSize * options.scale < kSmallestText) return;
  const module = scene.model.module(id);
  const middle = rect.y + kTitleHeight / 2 + 1;
  const name = truncated(moduleShort(module.path), rect.w - 24, "bold", kFontSize, options.measure);
  titles.push({ ...text(rect.x + 12, middle, name, kFontSize, "bold", "left", "text"), halo });
  const used = options.measure(name, "bold", kFontSize) + 8;
  const type = truncated(
    typeShort(module.type),
    rect.w - 24 - used,
    "plain",
    kBadgeSize + 1,
    options.measure,
  );
  const quiet = text(rect.x + 12 + used, middle + 0.5, type, kBadgeSize + 1, "plain", "left", "textQuiet");
  titles.push({ ...quiet, halo });
}

function drawEdges(scene: Scene, options: DrawOptions, shown: Uint8Array, list: Primitive[]): void {
  const { edge, box } = scene.layout;
  const { viewport, scale } = options;
  const bounds = scene.edgeBounds;
  const right = viewport.x + viewport.w;
  const bottom = viewport.y + viewport.h;
  const dot = 3 / scale;
  const room = new LabelRoom();
  const labels: Primitive[] = [];
  const withLabels = kEdgeLabelSize * scale >= kSmallestText;
  for (let i = 0; i < edge.count && list.length < options.limit; i++) {
    const at = 4 * i;
    if (
      bounds[at] > right ||
      bounds[at + 2] < viewport.x ||
      bounds[at + 1] > bottom ||
      bounds[at + 3] < viewport.y
    )
      continue;
    if (bounds[at + 2] - bounds[at] < dot && bounds[at + 3] - bounds[at + 1] < dot) continue;
    if (!insideShown(box.parent, shown, edge.from[i], edge.to[i])) continue;
    const fades =
      options.vivid !== null && !(options.vivid.has(edge.from[i]) && options.vivid.has(edge.to[i]));
    const drawn = line(scene, i, edgePaint(scene, edge.value[i]), 1, scale * 8 >= 3);
    list.push(fades ? { ...drawn, faded: true } : drawn);
    if (withLabels && !fades) pushEdgeLabel(scene, options, i, room, labels);
  }
  list.push(...labels);
}

/** An edge is drawn where the module that holds both its ends is drawn open. */
function insideShown(parent: Int32Array, shown: Uint8Array, from: number, to: number): boolean {
  const holder = parent[from] === to ? to : parent[to] === from ? from : parent[from];
  return holder < 0 || shown[holder] === 1;
}

function edgePaint(scene: Scene, row: number): Paint {
  const { table } = scene.model;
  if (table.status[row] !== Status.ok || table.kind[row] !== ValueKind.tensor) return "edge";
  return `edge-${dtypeGroup(table.dtypes[table.dtype[row]])}`;
}

function line(scene: Scene, edge: number, paint: Paint, width: number, arrow: boolean): LinePrimitive {
  const { pointStart, to, from } = scene.layout.edge;
  // The leg into an open module ends at its border, and the value goes on: no arrow head there.
  const ends = arrow && scene.open[to[edge]] === 0 && to[edge] !== scene.layout.box.parent[from[edge]];
  return {
    kind: "line",
    points: scene.points,
    first: pointStart[edge],
    end: pointStart[edge + 1],
    paint,
    width,
    arrow: ends,
  };
}

/**
 * The shape beside the first vertical leg that has room for it, once per value and box. A leg that begins at the border
 * of an open module goes unlabelled: the shape stands where the value comes from.
 */
function pushEdgeLabel(
  scene: Scene,
  options: DrawOptions,
  edge: number,
  room: LabelRoom,
  labels: Primitive[],
): void {
  const { table } = scene.model;
  const { points, pointStart, value, from } = scene.layout.edge;
  const row = itemOf(scene, value[edge]);
  if (
    table.kind[row] !== ValueKind.tensor ||
    table.status[row] !== Status.ok ||
    scene.open[from[edge]] ||
    room.has(from[edge], row)
  )
    return;
  const label = compactShape(sizesOf(table, row));
  const width = options.measure(label, "mono", kEdgeLabelSize);
  for (let i = pointStart[edge]; i + 1 < pointStart[edge + 1]; i++) {
    const x = points[2 * i];
    const top = points[2 * i + 1];
    const height = points[2 * i + 3] - top;
    if (points[2 * i + 2] !== x || height < kEdgeLabelSize + 4) continue;
    const middle = top + Math.min(height / 2, kEdgeLabelSize / 2 + 6);
    const rect = { x: x + 4, y: middle - kEdgeLabelSize / 2 - 1, w: width + 2, h: kEdgeLabelSize + 2 };
    if (!room.claim(rect)) continue;
    room.add(from[edge], row);
    const made = text(x + 5, middle, label, kEdgeLabelSize, "mono", "left", "textQuiet");
    labels.push({ ...made, halo: groundIn(scene, scene.layout.box.parent[from[edge]]) });
    return;
  }
}

/** What is drawn of a list that only one item is taken out of is that item. */
function itemOf({ model }: Scene, row: number): number {
  if (model.table.kind[row] !== ValueKind.list) return row;
  const readers = model.readersOf(row);
  return readers.length === 1 && model.op(readers[0]) === "getitem" ? readers[0] : row;
}

/** The colour of the space inside an open module. */
function groundIn(scene: Scene, module: number): Paint {
  const depth = module < 0 ? 0 : scene.layout.box.depth[module];
  return depth === 0 ? "canvas" : depth % 2 === 0 ? "moduleOpenAlternate" : "moduleOpen";
}

/** Keeps edge labels from being written over each other or twice: a coarse grid of what is taken. */
class LabelRoom {
  private readonly taken = new Map<number, Rect[]>();
  private readonly written = new Set<number>();

  has(box: number, row: number): boolean {
    return this.written.has(box * kRowStride + row);
  }

  add(box: number, row: number): void {
    this.written.add(box * kRowStride + row);
  }

  /** False if the rectangle meets one that was claimed before. */
  claim(rect: Rect): boolean {
    const lines = [Math.floor(rect.y / kLabelLine), Math.floor((rect.y + rect.h) / kLabelLine)];
    for (const at of lines) {
      for (const other of this.taken.get(at) ?? []) {
        const apart =
          rect.x > other.x + other.w ||
          other.x > rect.x + rect.w ||
          rect.y > other.y + other.h ||
          other.y > rect.y + rect.h;
        if (!apart) return false;
      }
    }
    for (const at of new Set(lines)) {
      const known = this.taken.get(at);
      if (known === undefined) this.taken.set(at, [rect]);
      else known.push(rect);
    }
    return true;
  }
}

const kLabelLine = 64;
const kRowStride = 2 ** 24;

/** What the selected box reads and produces, in two colours, and the frame around it. */
function drawSelection(scene: Scene, options: DrawOptions, list: Primitive[]): void {
  if (options.selection === null) return;
  const box = scene.boxOf(options.selection);
  if (box < 0) {
    for (const reader of scene.readersOf(options.selection)) pushFrame(scene, reader, true, list);
    return;
  }
  const legs = (direction: "into" | "outOf"): Set<number> =>
    options.traced ? scene.wayOf(box, direction).legs : scene.legsOf(box, direction);
  for (const edge of legs("into")) list.push(line(scene, edge, "upstream", 2, true));
  for (const edge of legs("outOf")) list.push(line(scene, edge, "downstream", 2, true));
  pushFrame(scene, box, !sameSelection(scene.selectionOf(box), options.selection), list);
}

/** `dashed`: what is selected is not the box itself, but inside it or read by it. */
function pushFrame(scene: Scene, box: number, dashed: boolean, list: Primitive[]): void {
  const rect = scene.rectOf(box);
  const id = scene.layout.box.id[box];
  const radius = id >= 0 && scene.model.kindOfInput(id) !== null ? rect.h / 2 : 6;
  list.push({ kind: "box", rect, radius, fill: null, stroke: "selection", strokeWidth: 2.5, dashed });
}

function text(
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

/** The text, or as much of its beginning as fits with an ellipsis. */
export function truncated(
  label: string,
  room: number,
  font: TextPrimitive["font"],
  size: number,
  measure: Measure,
): string {
  const width = measure(label, font, size);
  if (width <= room) return label;
  if (room < size) return "";
  let keep = Math.max(1, Math.floor((label.length * room) / width) - 1);
  while (keep > 1 && measure(`${label.slice(0, keep)}…`, font, size) > room) keep--;
  return `${label.slice(0, keep)}…`;
}
