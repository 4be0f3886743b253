/**
 * What the boxes of the picture are coloured by. A colour never stands alone: the box says in its corner what it is
 * coloured for, so nothing is lost on who cannot tell the colours, or on paper.
 */
import type { Change, Comparison } from "./comparison.js";
import { ValueKind } from "./engine.js";
import type { Paint } from "./primitives.js";
import { bytesText, dtypeGroup, dtypeShort, flopsText, secondsText, signed, typeShort } from "./format.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { Scene } from "./scene.js";
import type { TimeProfile } from "./time_profile.js";

export type ColorMode = "plain" | "dtype" | "bytes" | "flops" | "time" | "module" | "change";
export const kColorModes: readonly ColorMode[] = [
  "plain",
  "dtype",
  "bytes",
  "flops",
  "time",
  "module",
  "change",
];
export const kSeries = 8;

/** How a box is filled; `label`: what its corner says instead of the dtype; null: as ever. */
export interface Tint {
  readonly fill: Paint;
  readonly label: string | null;
}

export type Tints = (box: number) => Tint | null;

/** Null where nothing is to be coloured, or what it takes is not known yet. */
export function tintsOf(
  mode: ColorMode,
  scene: Scene,
  profile: MemoryProfile | null,
  comparison: Comparison | null,
  time: TimeProfile | null,
): Tints | null {
  switch (mode) {
    case "change":
      return comparison === null ? null : changeTints(scene, comparison);
    case "plain":
      return null;
    case "dtype":
      return (box) => dtypeTint(scene, box);
    case "module":
      return moduleTints(scene);
    case "bytes":
      if (profile === null) return null;
      return heat(
        scene,
        (id) => (id >= 0 ? profile.bytesOf(id) : profile.bytesIn(~id)),
        (bytes) => bytesText(bytes),
      );
    case "flops":
      if (profile === null) return null;
      return heat(scene, (id) => (id >= 0 ? profile.flopsOf(id) : profile.flopsIn(~id)), flopsText);
    case "time":
      if (time === null) return null;
      return heat(scene, (id) => (id >= 0 ? time.secondsOf(id) : time.secondsIn(~id)), secondsText);
  }
}

/** What B has more than A is warm, what it has less is cool; the label says how much, or that it is only another shape. */
function changeTints({ layout, open }: Scene, comparison: Comparison): Tints {
  const bytesOf = (id: number): number =>
    id >= 0 ? (comparison.changeOf(id)?.bytes ?? 0) : comparison.bytesIn(~id);
  let largest = 0;
  for (let box = 1; box < layout.box.count; box++)
    if (open[box] === 0) largest = Math.max(largest, bytesOf(layout.box.id[box]));
  return (box) => {
    const id = layout.box.id[box];
    const change = id >= 0 ? comparison.changeOf(id) : null;
    const isChanged = id >= 0 ? change !== null : comparison.changesIn(~id) > 0;
    if (!isChanged) return null;
    const bytes = bytesOf(id);
    if (change?.kind === "added") return { fill: "heat-3", label: "new" };
    if (bytes === 0) return { fill: "tint-4", label: change === null ? "≠" : costChange(change) };
    return { fill: bytes > 0 ? heatOf(bytes, largest) : "tint-2", label: signed(bytes, bytesText) };
  };
}

/** What changed of a box that brings as much as before. */
function costChange({ flops, seconds }: Change): string {
  if (flops !== 0) return signed(flops, flopsText);
  return seconds === 0 ? "≠" : signed(seconds, secondsText);
}

/** By the dtype of what comes out of a box. */
function dtypeTint({ layout, model }: Scene, box: number): Tint | null {
  const id = layout.box.id[box];
  const { table } = model;
  const row = id >= 0 ? id : lastTensorIn(model.module(~id), table.kind);
  if (row < 0 || table.kind[row] !== ValueKind.tensor) return null;
  const dtype = table.dtypes[table.dtype[row]];
  return { fill: `tint-${dtypeGroup(dtype)}`, label: id >= 0 ? null : dtypeShort(dtype) };
}

function lastTensorIn({ first, last }: { first: number; last: number }, kind: Uint8Array): number {
  for (let row = last; row >= first; row--) if (kind[row] === ValueKind.tensor) return row;
  return -1;
}

/** Each type of module has a colour, the most frequent first; the nodes that belong to none have none. */
function moduleTints({ layout, model }: Scene): Tints {
  const { modules } = model.info;
  const counts = new Map<string, number>();
  for (const { type, id } of modules) if (id > 0) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts].sort((a, b) => b[1] - a[1]).map(([type]) => type);
  const place = new Map(types.map((type, i) => [type, i]));
  return (box) => {
    const id = layout.box.id[box];
    const module = id >= 0 ? model.table.module[id] : ~id;
    if (module === 0) return null;
    const { type } = modules[module];
    const fill: Paint = `tint-${((place.get(type) ?? 0) % kSeries) + 1}`;
    return { fill, label: id >= 0 ? typeShort(type) : null };
  };
}

/** Parts of the largest from which on a box is as hot as its place here; anything at all is the coolest. */
const kHeat = [0, 0.02, 0.1, 0.25, 0.5];

function heat(scene: Scene, valueOf: (id: number) => number, textOf: (value: number) => string): Tints {
  const { id, count } = scene.layout.box;
  let largest = 0;
  for (let box = 1; box < count; box++)
    if (scene.open[box] === 0) largest = Math.max(largest, valueOf(id[box]));
  return (box) => {
    const value = valueOf(id[box]);
    if (value <= 0) return { fill: "heat-0", label: "" };
    return { fill: heatOf(value, largest), label: textOf(value) };
  };
}

function heatOf(value: number, largest: number): Paint {
  return `heat-${Math.max(1, kHeat.filter((part) => value > part * largest).length)}` as Paint;
}
