/** The edges of a picture: lines in the colour of what runs along them, and its shape beside the first leg with room. */
import { Status, ValueKind } from "./engine.js";
import { compactShape, dtypeGroup, sizesOf } from "./format.js";
import type { Rect } from "./geometry.js";
import {
  kSmallestText,
  text,
  type DrawOptions,
  type LinePrimitive,
  type Paint,
  type Primitive,
} from "./primitives.js";
import type { Scene } from "./scene.js";

const kEdgeLabelSize = 10;
const kLabelLine = 64;
const kRowStride = 2 ** 24;

/** Draws the edges whose ends are drawn, and the shapes beside them. */
export function drawEdges(scene: Scene, options: DrawOptions, shown: Uint8Array, list: Primitive[]): void {
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
    const drawn = edgeLine(scene, i, edgePaint(scene, edge.value[i]), 1, scale * 8 >= 3);
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
export function groundIn(scene: Scene, module: number): Paint {
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
