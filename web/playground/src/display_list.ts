/**
 * What is drawn, as data: a list of boxes, lines and texts in world units, back to front. The canvas, the exported SVG
 * and PNG and the tests read the same list. Colours are names ({@link Paint}) that a theme resolves.
 *
 * Note [Levels of detail]
 * The list holds only what can be seen at the camera's scale: a subtree outside the viewport is skipped; a module
 * smaller than kModuleAsBox on screen is one box; an edge that would be a dot is left out; a text below kSmallestText
 * pixels is not written. So the list's length depends on the screen, not on the graph.
 */
import type { Tint } from "./coloring.js";
import { drawEdges, edgeLine, groundIn } from "./display_edges.js";
import { Status, ValueKind } from "./engine.js";
import { countText, dtypeGroup, dtypeShort, moduleShort, opShort, typeShort } from "./format.js";
import { interfaceText, parametersText } from "./module_facts.js";
import { sameSelection } from "./model.js";
import { type DrawOptions, kSmallestText, type Primitive, text, truncated } from "./primitives.js";
import { kNameIndent, kTitleHeight, type Scene } from "./scene.js";

export const kModuleAsBox = 40;
const kFontSize = 12;
const kBadgeSize = 9.5;
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
