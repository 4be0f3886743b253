/**
 * What is drawn, as data: a list of boxes, lines and texts in world units, back to front. The canvas, the exported SVG
 * and PNG and the tests read the same list. Colours are names ({@link Paint}) that a theme resolves.
 *
 * Note [Levels of detail]
 * The list holds only what can be seen at the camera's scale: a subtree outside the viewport is skipped; a module
 * smaller than kModuleAsBox on screen is one box; an edge that would be a dot is left out; a name below kLeastName
 * pixels is written in as many, or not at all. So the list's length depends on the screen, not on the graph.
 */
import type { Tint } from "./coloring.js";
import { drawEdges, edgeLine, groundIn } from "./display_edges.js";
import { Status, ValueKind } from "./engine.js";
import {
  bytesText,
  countText,
  dtypeGroup,
  dtypeShort,
  moduleShort,
  nodeShort,
  opShort,
  typeShort,
} from "./format.js";
import { interfaceText, parametersText } from "./module_facts.js";
import { sameSelection } from "./model.js";
import { LabelRoom } from "./label_room.js";
import {
  kLeastDetail,
  kLeastName,
  seen,
  text,
  truncated,
  type DrawOptions,
  type Paint,
  type Primitive,
} from "./primitives.js";
import { kNameIndent, kTitleHeight, type Scene } from "./scene.js";

export const kModuleAsBox = 40;
const kFontSize = 12;
const kBadgeSize = 9.5;
/** From this height on a closed module has a second line, */
const kTwoLines = 44;
/** where that are as many pixels. */
const kLeastTwoLines = 29;
/** Pixels that a name takes at least. */
const kLeastLine = 12.5;
const kLeastWidth = 40;
const kTitleCell = 80;

/** Names of open modules, and where they stand. */
interface Titles {
  readonly list: Primitive[];
  readonly room: LabelRoom;
}

export function buildDisplayList(scene: Scene, options: DrawOptions): Primitive[] {
  const list: Primitive[] = [];
  // Lines run through the titles of open modules, which are written over them.
  const titles: Titles = { list: [], room: new LabelRoom(kTitleCell / options.scale) };
  const shown = drawBoxes(scene, options, list, titles);
  drawEdges(scene, options, shown, list);
  list.push(...titles.list);
  drawSelection(scene, options, list);
  return list;
}

/** Draws boxes and returns, per box, 1 where it is on the list with its content (edges inside others are left out). */
function drawBoxes(scene: Scene, options: DrawOptions, list: Primitive[], titles: Titles): Uint8Array {
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
  titles: Titles,
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
  const isInput = model.op(row) === "placeholder";
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
  if (rect.h * options.scale < kLeastLine) return;
  const middle = rect.y + rect.h / 2;
  const badgeEnd = rect.x + rect.w - 8;
  const label = isInput ? nodeShort(table.names[row]) : opShort(model.op(row));
  const size = seen(kFontSize, kLeastName, options.scale);
  let room = badgeEnd - rect.x - kNameIndent;
  if (status === Status.error || status === Status.unknown) {
    const isError = status === Status.error;
    const mark = text(
      badgeEnd,
      middle,
      isError ? "!" : "?",
      size,
      "bold",
      "right",
      isError ? "error" : "unknown",
    );
    list.push(mark);
    room -= 14;
  } else {
    // The name comes first: a badge that would shorten it is left out.
    const free = room - options.measure(label, "plain", size) - 6;
    if (tint !== null && tint.label !== null) pushLabel(options, badgeEnd, middle, tint.label, free, list);
    else if (table.kind[row] === ValueKind.tensor)
      pushBadge(options, badgeEnd, middle, table.dtypes[table.dtype[row]], free, list);
  }
  const fitting = truncated(label, room, "plain", size, options.measure);
  const paint = status === Status.notReached ? "textQuiet" : "text";
  list.push(text(rect.x + kNameIndent, middle, fitting, size, "plain", "left", paint));
}

/** What a box is coloured for, ending at `right`, where there is room. */
function pushLabel(
  options: DrawOptions,
  right: number,
  middle: number,
  label: string,
  room: number,
  list: Primitive[],
): void {
  const size = seen(kBadgeSize, kLeastDetail, options.scale);
  if (options.measure(label, "mono", size) <= room)
    list.push(text(right, middle, label, size, "mono", "right", "text"));
}

/** The dtype's letters in its colour. */
function pushBadge(
  options: DrawOptions,
  right: number,
  middle: number,
  dtype: string,
  room: number,
  list: Primitive[],
): void {
  const size = seen(kBadgeSize, kLeastDetail, options.scale);
  const letters = dtypeShort(dtype);
  if (options.measure(letters, "mono", size) <= room)
    list.push(text(right, middle, letters, size, "mono", "right", `dtype-${dtypeGroup(dtype)}`));
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
  if (rect.h * options.scale < kLeastLine || rect.w * options.scale < kLeastWidth) return;
  const isTall = rect.h >= kTwoLines && rect.h * options.scale >= kLeastTwoLines;
  const middle = isTall ? rect.y + rect.h * 0.34 : rect.y + rect.h / 2;
  const paint = worst === Status.notReached ? "textQuiet" : "text";
  const quiet = tint === null ? "textQuiet" : "text";
  if (isTall) pushSecondLine(scene, options, box, id, quiet, list);
  const module = model.module(id);
  const times = repeat > 1 ? `×${countText(repeat)}` : null;
  const counts =
    tint?.label == null ? (times ?? countText(module.nodes)) : `${tint.label} ${times ?? ""}`.trim();
  const label = { name: moduleShort(module.path), type: typeShort(module.type), counts };
  pushNames(
    options,
    { x: rect.x + kNameIndent, middle, w: rect.w - 2 * kNameIndent },
    label,
    { paint, quiet },
    list,
  );
}

/** A line with a name, beside it quietly a type, and at its end a count: as much of it as there is room for. */
function pushNames(
  options: DrawOptions,
  line: { x: number; middle: number; w: number },
  label: { name: string; type: string; counts: string },
  paints: { paint: Paint; quiet: Paint },
  list: Primitive[],
): void {
  const { measure, scale } = options;
  const size = seen(kFontSize, kLeastName, scale);
  const small = seen(kBadgeSize + 1, kLeastDetail, scale);
  const { x, middle } = line;
  const right = x + line.w;
  const counted = label.counts === "" ? 0 : measure(label.counts, "bold", small) + 8;
  const wanted = measure(label.name, "bold", size);
  const withCounts = counted > 0 && wanted + counted <= line.w;
  let room = line.w;
  if (withCounts) {
    list.push(text(right, middle, label.counts, small, "bold", "right", paints.quiet));
    room -= counted;
  }
  list.push(
    text(x, middle, truncated(label.name, room, "bold", size, measure), size, "bold", "left", paints.paint),
  );
  const used = wanted + 8;
  if (used < room && room - used >= measure(label.type, "plain", small))
    list.push(text(x + used, middle + 0.5, label.type, small, "plain", "left", paints.quiet));
}

/** What goes in and comes out of a closed module, how much it has learned, and the bytes of that where there is room. */
function pushSecondLine(
  scene: Scene,
  options: DrawOptions,
  box: number,
  id: number,
  paint: Paint,
  list: Primitive[],
): void {
  const { measure, scale } = options;
  const rect = scene.rectOf(box);
  const y = rect.y + rect.h * 0.72;
  const size = seen(kBadgeSize, kLeastDetail, scale);
  const count = scene.parameters.countOf(id);
  let room = rect.w - 2 * kNameIndent;
  const shapes = interfaceText(scene, box);
  if (count > 0) {
    const free = room - measure(shapes, "mono", size) - 8;
    const parameters = parametersText(count);
    const more = `${parameters} ${bytesText(scene.parameters.bytesOf(id))}`;
    const learned = measure(more, "mono", size) <= free ? more : parameters;
    list.push(text(rect.x + rect.w - kNameIndent, y, learned, size, "mono", "right", paint));
    room -= measure(learned, "mono", size) + 8;
  }
  const fitting = truncated(shapes, room, "mono", size, measure);
  list.push(text(rect.x + kNameIndent, y, fitting, size, "mono", "left", paint));
}

function drawOpenModule(
  scene: Scene,
  options: DrawOptions,
  box: number,
  id: number,
  list: Primitive[],
  titles: Titles,
): void {
  const rect = scene.rectOf(box);
  const halo = groundIn(scene, box);
  const module = scene.model.module(id);
  list.push({
    kind: "box",
    rect,
    radius: 8,
    fill: halo,
    stroke: options.matches.has(box) ? "match" : "moduleBorder",
    strokeWidth: options.matches.has(box) ? 2 : 1,
    dashed: false,
  });
  const { scale, measure } = options;
  if (rect.h * scale < kLeastLine || rect.w * scale < kLeastWidth) return;
  const isInBar = kTitleHeight * scale >= kLeastLine;
  const size = seen(kFontSize, kLeastName, scale);
  const x = rect.x + Math.min(12, 6 / scale);
  const middle = isInBar ? rect.y + kTitleHeight / 2 + 1 : rect.y + (0.75 * kLeastLine) / scale;
  const room = rect.x + rect.w - x - 6 / scale;
  const name = truncated(moduleShort(module.path), room, "bold", size, measure);
  const used = measure(name, "bold", size);
  // Where bars are too low for their names, the names of outer modules come first.
  const needs = { x, y: middle - size / 2, w: used, h: size };
  if (name === "" || (!isInBar && !titles.room.claim(needs))) return;
  titles.list.push({ ...text(x, middle, name, size, "bold", "left", "text"), halo });
  if (!isInBar) return;
  const small = seen(kBadgeSize + 1, kLeastDetail, scale);
  const type = truncated(typeShort(module.type), room - used - 8, "plain", small, measure);
  const quiet = text(x + used + 8, middle + 0.5, type, small, "plain", "left", "textQuiet");
  titles.list.push({ ...quiet, halo });
}

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
  for (const edge of legs("into")) list.push(edgeLine(scene, edge, "upstream", 2, true));
  for (const edge of legs("outOf")) list.push(edgeLine(scene, edge, "downstream", 2, true));
  pushFrame(scene, box, !sameSelection(scene.selectionOf(box), options.selection), list);
}

/** `dashed`: what is selected is not the box itself, but inside it or read by it. */
function pushFrame(scene: Scene, box: number, dashed: boolean, list: Primitive[]): void {
  const rect = scene.rectOf(box);
  const id = scene.layout.box.id[box];
  const radius = id >= 0 && scene.model.kindOfInput(id) !== null ? rect.h / 2 : 6;
  list.push({ kind: "box", rect, radius, fill: null, stroke: "selection", strokeWidth: 2.5, dashed });
}
