/** The edges of a picture: lines in the colour of what runs along them, and its shape beside the first leg with room. */
import { Status, ValueKind } from "./engine.js";
import { compactShape, dtypeGroup, sizesOf } from "./format.js";
import { overlaps, type Rect } from "./geometry.js";
import { LabelRoom } from "./label_room.js";
import {
  kLeastDetail,
  seen,
  text,
  type DrawOptions,
  type LinePrimitive,
  type Paint,
  type Primitive,
} from "./primitives.js";
import type { Scene } from "./scene.js";

const kEdgeLabelSize = 10;
const kLabelCell = 64;
/** From a line to the shape beside it. */
const kBesideLine = 5;
/** Smaller pictures have no room for shapes beside lines. */
const kLabelsFrom = 0.6;
const kRowStride = 2 ** 24;

/** Draws the edges whose ends are drawn, and the shapes beside them. */
export function drawEdges(scene: Scene, options: DrawOptions, shown: Uint8Array, list: Primitive[]): void {
  const { edge, box } = scene.layout;
  const { viewport, scale } = options;
  const bounds = scene.edgeBounds;
  const right = viewport.x + viewport.w;
  const bottom = viewport.y + viewport.h;
  const dot = 3 / scale;
  const room = new LabelRoom(kLabelCell);
  const labelled: number[] = [];
  const labels: Primitive[] = [];
  const withLabels = scale >= kLabelsFrom;
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
    const drawn = edgeLine(scene, i, edgePaint(scene, edge.value[i]), 1, scale * 8 >= 3);
    list.push(fades ? { ...drawn, faded: true } : drawn);
    if (!withLabels) continue;
    addLines(scene, i, viewport, room);
    if (!fades) labelled.push(i);
  }
  if (!withLabels) return;
  addBoxes(scene, shown, viewport, room);
  const written = new Set<number>();
  for (const i of labelled) pushEdgeLabel(scene, options, i, room, written, labels);
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

export function edgeLine(
  scene: Scene,
  edge: number,
  paint: Paint,
  width: number,
  arrow: boolean,
): LinePrimitive {
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
 * The shape beside the first vertical leg that has room for it, once per value and box, never where a line runs. A leg that
 * begins at the border of an open module goes unlabelled: the shape stands where the value comes from.
 */
function pushEdgeLabel(
  scene: Scene,
  options: DrawOptions,
  edge: number,
  room: LabelRoom,
  written: Set<number>,
  labels: Primitive[],
): void {
  const { table } = scene.model;
  const { points, pointStart, value, from } = scene.layout.edge;
  const row = itemOf(scene, value[edge]);
  const key = from[edge] * kRowStride + row;
  if (
    table.kind[row] !== ValueKind.tensor ||
    table.status[row] !== Status.ok ||
    scene.open[from[edge]] ||
    written.has(key)
  )
    return;
  const size = seen(kEdgeLabelSize, kLeastDetail, options.scale);
  const label = compactShape(sizesOf(table, row));
  const w = options.measure(label, "mono", size);
  const h = size + 2;
  for (let i = pointStart[edge]; i + 1 < pointStart[edge + 1]; i++) {
    const x = points[2 * i];
    const top = points[2 * i + 1];
    const height = points[2 * i + 3] - top;
    if (points[2 * i + 2] !== x || height < h + 2) continue;
    const highest = top + h / 2 + 1;
    const lowest = top + height - h / 2 - 1;
    for (const middle of [Math.min(highest + 4, lowest), (highest + lowest) / 2, lowest]) {
      for (const isRight of [true, false]) {
        const left = isRight ? x + kBesideLine : x - kBesideLine - w;
        if (!room.claim({ x: left, y: middle - h / 2, w, h })) continue;
        written.add(key);
        const made = text(left, middle, label, size, "mono", "left", "textQuiet");
        labels.push({ ...made, halo: groundIn(scene, scene.layout.box.parent[from[edge]]) });
        return;
      }
    }
  }
}

/** Boxes keep labels away, and the borders of open modules. */
function addBoxes(scene: Scene, shown: Uint8Array, viewport: Rect, room: LabelRoom): void {
  const { count } = scene.layout.box;
  for (let box = 1; box < count;) {
    const rect = scene.rectOf(box);
    if (!overlaps(rect, viewport)) {
      box = scene.subtreeEnd[box];
      continue;
    }
    const { x, y, w, h } = rect;
    if (shown[box] === 1 && scene.open[box] === 1) {
      for (const side of [
        { x, y, w, h: 0 },
        { x, y: y + h, w, h: 0 },
        { x, y, w: 0, h },
        { x: x + w, y, w: 0, h },
      ])
        room.add(side, viewport);
    } else {
      room.add(rect, viewport);
    }
    box = shown[box] === 1 ? box + 1 : scene.subtreeEnd[box];
  }
}

/** The lines of an edge keep labels away. */
function addLines(scene: Scene, edge: number, viewport: Rect, room: LabelRoom): void {
  const { points } = scene;
  const { pointStart } = scene.layout.edge;
  for (let i = pointStart[edge]; i + 1 < pointStart[edge + 1]; i++) {
    const x = Math.min(points[2 * i], points[2 * i + 2]);
    const y = Math.min(points[2 * i + 1], points[2 * i + 3]);
    const w = Math.abs(points[2 * i] - points[2 * i + 2]);
    const h = Math.abs(points[2 * i + 1] - points[2 * i + 3]);
    room.add({ x, y, w, h }, viewport);
  }
}

/** What is drawn of a list that only one item is taken out of is that item. */
function itemOf({ model }: Scene, row: number): number {
  if (model.table.kind[row] !== ValueKind.list) return row;
  const readers = model.readersOf(row);
  return readers.length === 1 && model.op(readers[0]) === "getitem" ? readers[0] : row;
}

/** The colour of the space inside an open module. */
export function groundIn(scene: Scene, module: number): Paint {
  const depth = module < 0 ? 0 : scene.layout.box.depth[module];
  return depth === 0 ? "canvas" : depth % 2 === 0 ? "moduleOpenAlternate" : "moduleOpen";
}
