/**
 * The strip of memory over time as data: which row each column of pixels shows, and how high its layers stand. Pure, so
 * that what is drawn can be tested.
 */
import type { Layer, MemoryProfile } from "./memory_profile.js";

export interface StripPicture {
  /** Per column, of the rows that fall into it the one with most alive. */
  readonly rows: Int32Array;
  /** Height of what is held all the time, in pixels from below. */
  readonly base: number;
  /** The base is cut: it would leave no room for what changes. */
  readonly isCut: boolean;
  readonly layers: readonly Layer[];
  /** Pixels per byte above the base. */
  readonly perByte: number;
  /** Of the run behind it: per column how high it stands, in pixels from below; empty without one. */
  readonly beside: Float64Array;
}

/** What is held all the time is drawn to scale up to this part of the peak. */
const kMostHeld = 0.6;
const kCutBase = 15;

/** `other`: drawn to the same scale over the same width, each from its own first row to its last. */
export function stripPicture(
  profile: MemoryProfile,
  layers: readonly Layer[],
  width: number,
  height: number,
  other?: MemoryProfile,
): StripPicture {
  const rows = columnsOf(profile, width);
  const both = [profile, other ?? profile];
  const most = (value: (of: MemoryProfile) => number): number => Math.max(1, ...both.map(value));
  const peak = most((of) => of.peak);
  const isCut = both.some((of) => of.held > kMostHeld * peak);
  const base = !isCut ? (profile.held / peak) * height : profile.held === 0 ? 0 : kCutBase;
  const perByte = isCut ? (height - base) / most((of) => of.peak - of.held) : height / peak;
  const beside = Float64Array.from(other === undefined ? [] : columnsOf(other, width), (row) =>
    isCut ? base + (both[1].alive[row] - both[1].held) * perByte : both[1].alive[row] * perByte,
  );
  return { rows, base, isCut, layers, perByte, beside };
}

function columnsOf(profile: MemoryProfile, width: number): Int32Array {
  const count = profile.length - profile.first;
  const rows = new Int32Array(Math.max(0, Math.floor(width)));
  for (let x = 0; x < rows.length; x++) {
    const begin = profile.first + Math.floor((x * count) / rows.length);
    const end = Math.max(begin + 1, profile.first + Math.floor(((x + 1) * count) / rows.length));
    let most = Math.min(begin, profile.length - 1);
    for (let row = begin + 1; row < Math.min(end, profile.length); row++)
      if (profile.alive[row] > profile.alive[most]) most = row;
    rows[x] = most;
  }
  return rows;
}

/** The row at a place of the strip, `part` of its width from the left. */
export function rowAt(profile: MemoryProfile, part: number): number {
  const count = profile.length - profile.first;
  const row = profile.first + Math.floor(part * count);
  return Math.min(profile.length - 1, Math.max(profile.first, row));
}

/** Where the middle of a row is, as a part of the width. */
export function placeOfRow(profile: MemoryProfile, row: number): number {
  const count = Math.max(1, profile.length - profile.first);
  return (row - profile.first + 0.5) / count;
}
