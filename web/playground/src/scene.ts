/**
 * The picture's geometry: a layout of the engine with what drawing, culling and picking need beside it. Boxes come in
 * pre-order (an open module, then its children, each followed by its own), so the boxes inside a module are the run up
 * to `subtreeEnd`; a module outside the viewport, or too small on screen, is skipped with all of them in one step.
 */
import type { Layout } from "./engine.js";
import { Parameters } from "./module_facts.js";
import { beginning, fitted, kReadableScale, overlaps, type Rect, type Size } from "./geometry.js";
import type { Model, Selection } from "./model.js";
import type { Camera } from "./state.js";

/** What the layout reserves room for; mirrors `layout::metrics` of core/layout/graph_layout.h. */
export const kTitleHeight = 24;
/** From a box's left border to its name. */
export const kNameIndent = 10;

/** Where an edge's shape may be written: the longest leg that is long enough, and its direction. */
export interface EdgeLabelSpot {
  readonly x: number;
  readonly y: number;
}

export class Scene {
  readonly model: Model;
  readonly layout: Layout;
  readonly bounds: Rect;
  /** Per box: index after its last descendant. */
  readonly subtreeEnd: Uint32Array;
  /** Per box: 1 where it is an open module. */
  readonly open: Uint8Array;
  /** Of the edges, as they are drawn. */
  readonly points: Float32Array;
  /** Per edge: left, top, right, bottom. */
  readonly edgeBounds: Float32Array;
  private readonly boxOfRow: Int32Array;
  private readonly boxesOfModule = new Map<number, number[]>();
  private knownParameters: Parameters | null = null;
  private edgesByBox: { start: Uint32Array; edges: Uint32Array } | null = null;

  constructor(model: Model, layout: Layout, expanded: Iterable<number>) {
    this.model = model;
    this.layout = layout;
    this.bounds = { x: 0, y: 0, w: layout.width, h: layout.height };
    const { count, id, depth } = layout.box;
    const openIds = new Set(expanded).add(0);
    this.subtreeEnd = new Uint32Array(count);
    this.open = new Uint8Array(count);
    this.boxOfRow = new Int32Array(model.table.length).fill(-1);
    const ancestors: number[] = [];
    for (let box = 0; box < count; box++) {
      while (ancestors.length > 0 && depth[ancestors[ancestors.length - 1]] >= depth[box]) {
        this.subtreeEnd[ancestors.pop() ?? 0] = box;
      }
      ancestors.push(box);
      if (id[box] >= 0) {
        this.boxOfRow[id[box]] = box;
      } else {
        const module = ~id[box];
        this.open[box] = openIds.has(module) ? 1 : 0;
        const known = this.boxesOfModule.get(module);
        if (known === undefined) this.boxesOfModule.set(module, [box]);
        else known.push(box);
      }
    }
    for (const box of ancestors) this.subtreeEnd[box] = count;
    this.points = this.pointsThroughTitles();
    this.edgeBounds = boundsOfEdges(layout, this.points);
  }

  /**
   * The engine's legs into an open module begin below its title. Drawn from its border on, where the leg outside ends, the
   * line of a value is seen to go on.
   */
  private pointsThroughTitles(): Float32Array {
    const { box, edge } = this.layout;
    const points = edge.points.slice();
    for (let i = 0; i < edge.count; i++) {
      const first = 2 * edge.pointStart[i];
      const goesDown = points[first] === points[first + 2];
      if (goesDown && box.parent[edge.to[i]] === edge.from[i] && box.parent[edge.from[i]] >= 0)
        points[first + 1] = Math.min(points[first + 1], box.y[edge.from[i]]);
    }
    return points;
  }

  /** What modules have learned. */
  get parameters(): Parameters {
    return (this.knownParameters ??= new Parameters(this.model));
  }

  rectOf(box: number): Rect {
    const { x, y, w, h } = this.layout.box;
    return { x: x[box], y: y[box], w: w[box], h: h[box] };
  }

  selectionOf(box: number): Selection {
    const id = this.layout.box.id[box];
    return id >= 0 ? { kind: "node", row: id } : { kind: "module", id: ~id };
  }

  /** The box that shows a selection: its own, else that of the closed module around it; -1 if nothing drawn holds it. */
  boxOf(selection: Selection): number {
    if (selection.kind === "node") {
      const own = this.boxOfRow[selection.row];
      return own >= 0 ? own : this.boxOfModule(this.model.table.module[selection.row], selection.row);
    }
    return this.boxOfModule(selection.id, -1);
  }

  /**
   * The boxes of what reads a value that has none of its own: a parameter is folded into its readers. Of plumbing that
   * nothing drawn reads those of what it reads itself.
   */
  readersOf(selection: Selection): Set<number> {
    if (selection.kind === "module") return new Set();
    const readers = this.boxesOf(this.model.readersOf(selection.row));
    const isInput = this.model.kindOfInput(selection.row) !== null;
    return readers.size > 0 || isInput ? readers : this.boxesOf(this.model.inputsOf(selection.row));
  }

  /** Where to look for a selection: its box, else that of its first reader; -1 if nothing drawn has to do with it. */
  placeOf(selection: Selection): number {
    const box = this.boxOf(selection);
    return box >= 0 ? box : ([...this.readersOf(selection)].at(0) ?? -1);
  }

  /** The boxes that show these targets: `>= 0` rows, `< 0` modules `~target`. */
  boxesOf(targets: Iterable<number>): Set<number> {
    const boxes = new Set<number>();
    for (const target of targets) {
      const box = this.boxOf(target < 0 ? { kind: "module", id: ~target } : { kind: "node", row: target });
      if (box >= 0) boxes.add(box);
    }
    return boxes;
  }

  /** `row`: the row that is looked for, where a module that is called several times has several boxes. */
  private boxOfModule(id: number, row: number): number {
    for (let at = id; at > 0; at = this.model.module(at).parent) {
      const boxes = this.boxesOfModule.get(at) ?? this.boxesOfModule.get(this.representative(at));
      if (boxes === undefined) continue;
      const closed = boxes.filter((box) => !this.open[box]);
      // A placeholder folded into its reader belongs to no box of its own, and to none of the open modules around it.
      if (at === id || closed.length > 0)
        return row < 0 || at !== id || closed.length > 0 ? (closed[0] ?? boxes[0]) : -1;
    }
    return -1;
  }

  /** Of equal neighbours drawn as one box with "×n", the first stands for all. */
  private representative(id: number): number {
    const { parent, hash } = this.model.module(id);
    if (parent < 0) return id;
    let first = id;
    for (const child of this.model.childrenOf(parent)) {
      if (child >= 0) continue;
      const sibling = ~child;
      const boxes = this.boxesOfModule.get(sibling);
      if (boxes?.some((box) => this.layout.box.repeat[box] > 1) && this.model.module(sibling).hash === hash)
        first = sibling;
      if (sibling === id) break;
    }
    return first;
  }

  /** The boxes that are drawn with nothing in them: nodes and closed modules. */
  private isLeaf(box: number): boolean {
    return this.open[box] === 0;
  }

  /**
   * What is read first of a box: of the topmost nodes and closed modules inside it an input of the user's, else the
   * leftmost. The box itself where nothing is inside.
   */
  firstIn(box: number): number {
    const { y, h } = this.layout.box;
    const leaves: number[] = [];
    for (let i = box + 1; i < this.subtreeEnd[box]; i++) if (this.isLeaf(i)) leaves.push(i);
    const top = leaves.reduce((best, i) => (y[i] < y[best] ? i : best), leaves.at(0) ?? box);
    const row = leaves.filter((i) => y[i] < y[top] + h[top]);
    const inputs = row.filter((i) => this.isUserInput(i));
    const { x } = this.layout.box;
    return (inputs.length > 0 ? inputs : row).reduce(
      (best, i) => (x[i] < x[best] ? i : best),
      row.at(0) ?? box,
    );
  }

  private isUserInput(box: number): boolean {
    const id = this.layout.box.id[box];
    return id >= 0 && this.model.kindOfInput(id) === "user";
  }

  /** Whether some node or closed module is at least partly inside. */
  showsBox(view: Rect): boolean {
    return this.someLeaf((rect) => overlaps(rect, view));
  }

  /** Whether the name of some node or closed module begins inside. */
  showsName(view: Rect): boolean {
    return this.someLeaf(({ x, y, w, h }) =>
      overlaps({ x: x + kNameIndent, y: y + h / 2, w: Math.min(kNameIndent, w / 2), h: 0 }, view),
    );
  }

  private someLeaf(holds: (rect: Rect) => boolean): boolean {
    for (let box = 0; box < this.layout.box.count; box++)
      if (this.isLeaf(box) && holds(this.rectOf(box))) return true;
    return false;
  }

  /** The innermost box at a world point, -1 outside the root. */
  boxAt(x: number, y: number): number {
    const { box } = this.layout;
    let hit = -1;
    for (let i = 0; i < box.count;) {
      const inside = x >= box.x[i] && x <= box.x[i] + box.w[i] && y >= box.y[i] && y <= box.y[i] + box.h[i];
      if (inside) hit = i;
      i = inside ? i + 1 : this.subtreeEnd[i];
    }
    return hit;
  }

  /** Edges that begin or end at a box. */
  edgesOf(box: number): Uint32Array {
    this.edgesByBox ??= this.indexEdges();
    return this.edgesByBox.edges.subarray(this.edgesByBox.start[box], this.edgesByBox.start[box + 1]);
  }

  private indexEdges(): { start: Uint32Array; edges: Uint32Array } {
    const { from, to, count } = this.layout.edge;
    const start = new Uint32Array(this.layout.box.count + 1);
    for (let edge = 0; edge < count; edge++) {
      start[from[edge] + 1]++;
      start[to[edge] + 1]++;
    }
    for (let box = 0; box < this.layout.box.count; box++) start[box + 1] += start[box];
    const next = start.slice();
    const edges = new Uint32Array(2 * count);
    for (let edge = 0; edge < count; edge++) {
      edges[next[from[edge]]++] = edge;
      edges[next[to[edge]]++] = edge;
    }
    return { start, edges };
  }

  /**
   * All that a box depends on, or all that depends on it: the legs of its values, those of the boxes that these come from or
   * go to, and so on. With the boxes on the way.
   */
  wayOf(box: number, direction: "into" | "outOf"): { legs: Set<number>; boxes: Set<number> } {
    const { from, to } = this.layout.edge;
    const far = direction === "into" ? from : to;
    const legs = new Set<number>();
    const boxes = new Set([box]);
    const waiting = [box];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const leg of this.legsOf(at, direction)) {
        legs.add(leg);
        const next = far[leg];
        if (boxes.has(next) || this.open[next] === 1) continue;
        boxes.add(next);
        waiting.push(next);
      }
    }
    return { legs, boxes };
  }

  /**
   * The legs of values that a box reads (`into`) or produces (`outOf`), followed through the borders of open modules: a
   * leg that ends at such a border continues with the leg of the same value on its other side.
   */
  legsOf(box: number, direction: "into" | "outOf"): Set<number> {
    const { from, to, value } = this.layout.edge;
    const near = direction === "into" ? to : from;
    const far = direction === "into" ? from : to;
    const legs = new Set<number>();
    const waiting: number[] = [...this.edgesOf(box)].filter((edge) => near[edge] === box);
    if (this.open[box]) return legs;
    for (let edge = waiting.pop(); edge !== undefined; edge = waiting.pop()) {
      if (legs.has(edge)) continue;
      legs.add(edge);
      const border = far[edge];
      if (!this.open[border]) continue;
      for (const next of this.edgesOf(border)) {
        if (near[next] === border && value[next] === value[edge]) waiting.push(next);
      }
    }
    return legs;
  }
}

/** The camera on a box and what is in it, or on the beginning of that where all of it could not be read. */
export function cameraOn(scene: Scene, box: number, size: Size): Camera {
  const rect = scene.rectOf(box);
  const whole = fitted(rect, size, 1.25);
  if (whole.scale >= kReadableScale) return whole;
  return beginning(rect, scene.rectOf(scene.firstIn(box)), size);
}

function boundsOfEdges(layout: Layout, points: Float32Array): Float32Array {
  const { count, pointStart } = layout.edge;
  const bounds = new Float32Array(4 * count);
  for (let edge = 0; edge < count; edge++) {
    let left = Infinity;
    let top = Infinity;
    let right = -Infinity;
    let bottom = -Infinity;
    for (let i = 2 * pointStart[edge]; i < 2 * pointStart[edge + 1]; i += 2) {
      left = Math.min(left, points[i]);
      right = Math.max(right, points[i]);
      top = Math.min(top, points[i + 1]);
      bottom = Math.max(bottom, points[i + 1]);
    }
    bounds.set([left, top, right, bottom], 4 * edge);
  }
  return bounds;
}
