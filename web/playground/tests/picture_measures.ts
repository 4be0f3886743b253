/**
 * What can be counted of a picture: how much of it is ink, how straight chains of modules stand, how many of the shapes beside
 * lines are run through by one, and whether a name is in sight where the camera begins. e2e/measure/layout.mjs prints it for
 * all models of a folder.
 */
import { buildDisplayList } from "../src/display_list.js";
import { overlaps, visibleRect, type Rect, type Size } from "../src/geometry.js";
import type { Measure, TextPrimitive } from "../src/primitives.js";
import { cameraOn, type Scene } from "../src/scene.js";

/** Without a canvas: about as wide as the page's fonts are. */
export const measure: Measure = (text, font, size) =>
  text.length * size * (font === "mono" ? 0.602 : font === "bold" ? 0.58 : 0.54);

/** Of the stage: beside both panes on a laptop, and on a phone. */
export const kStages: readonly Size[] = [
  { w: 656, h: 560 },
  { w: 1280, h: 820 },
  { w: 390, h: 480 },
];

export interface PictureMeasures {
  readonly boxes: number;
  readonly width: number;
  readonly height: number;
  /** Share of the picture that nodes and closed modules take. */
  readonly ink: number;
  /** Shapes beside lines, and how many of them a line runs through. */
  readonly labels: number;
  readonly crossed: number;
  /** The largest distance between the middles of two equal open modules of which the second reads the first. */
  readonly drift: number;
  /** Stages on which no name is in sight. */
  readonly blank: number;
}

export function measurePicture(scene: Scene): PictureMeasures {
  const { layout } = scene;
  const { width, height, box } = layout;
  return {
    boxes: box.count - 1,
    width,
    height,
    ink: inkOf(scene) / (width * height),
    ...labelsOf(scene),
    drift: driftOf(scene),
    blank: kStages.filter((size) => !showsName(scene, size)).length,
  };
}

function inkOf({ layout: { box }, open }: Scene): number {
  let ink = 0;
  for (let i = 1; i < box.count; i++) if (open[i] === 0) ink += box.w[i] * box.h[i];
  return ink;
}

function driftOf({ layout: { box, edge }, open, model }: Scene): number {
  const reads = new Set<number>();
  for (let i = 0; i < edge.count; i++) reads.add(edge.from[i] * box.count + edge.to[i]);
  const last = new Map<number, number>(); // by parent: the open module before
  let drift = 0;
  for (let i = 1; i < box.count; i++) {
    if (open[i] === 0) continue;
    const before = last.get(box.parent[i]);
    last.set(box.parent[i], i);
    if (before === undefined || model.module(~box.id[before]).hash !== model.module(~box.id[i]).hash)
      continue;
    if (!reads.has(before * box.count + i)) continue;
    drift = Math.max(drift, Math.abs(box.x[i] + box.w[i] / 2 - box.x[before] - box.w[before] / 2));
  }
  return drift;
}

const kShape = /^(scalar|[\w()+*/^-]+(×[\w()+*/^-]+)*)$/;

function labelsOf(scene: Scene): { labels: number; crossed: number } {
  const { bounds } = scene;
  const list = buildDisplayList(scene, {
    scale: 1,
    viewport: bounds,
    selection: null,
    matches: new Set(),
    tints: null,
    vivid: null,
    traced: false,
    measure,
    limit: Infinity,
  });
  const isShape = (item: TextPrimitive): boolean =>
    item.halo !== undefined && item.font === "mono" && kShape.test(item.text);
  const labels = list.filter((item): item is TextPrimitive => item.kind === "text" && isShape(item));
  const lines = linesByRow(scene);
  return { labels: labels.length, crossed: labels.filter((label) => isCrossed(label, lines)).length };
}

const kRow = 256;

function linesByRow({ points, layout: { edge } }: Scene): Map<number, Rect[]> {
  const rows = new Map<number, Rect[]>();
  for (let i = 0; i < edge.count; i++)
    for (let p = edge.pointStart[i]; p + 1 < edge.pointStart[i + 1]; p++) {
      const [x, y, toX, toY] = points.subarray(2 * p, 2 * p + 4);
      const line = { x: Math.min(x, toX), y: Math.min(y, toY), w: Math.abs(x - toX), h: Math.abs(y - toY) };
      for (let row = Math.floor(line.y / kRow); row <= Math.floor((line.y + line.h) / kRow); row++) {
        const known = rows.get(row);
        if (known === undefined) rows.set(row, [line]);
        else known.push(line);
      }
    }
  return rows;
}

function isCrossed({ x, y, text, size }: TextPrimitive, lines: Map<number, Rect[]>): boolean {
  const rect = { x, y: y - size / 2, w: measure(text, "mono", size), h: size };
  return (lines.get(Math.floor(y / kRow)) ?? []).some((line) => overlaps(rect, line));
}

/** A name of a node or a module that is written where the camera begins. */
function showsName(scene: Scene, size: Size): boolean {
  const camera = cameraOn(scene, 0, size);
  const viewport = visibleRect(camera, size);
  const list = buildDisplayList(scene, {
    scale: camera.scale,
    viewport,
    selection: null,
    matches: new Set(),
    tints: null,
    vivid: null,
    traced: false,
    measure,
    limit: 12_000,
  });
  return list.some(
    (item) =>
      item.kind === "text" &&
      item.font !== "mono" &&
      item.text !== "" &&
      overlaps({ x: item.x, y: item.y, w: 0, h: 0 }, viewport),
  );
}
