/** Sizes that are asked for: a number, or for a symbol also any of a range. */
import type { ProgramInfo } from "./engine.js";

export type Setting = number | readonly [lower: number, upper: number];

/** Keys as the engine takes them: `batch`, `x.1`, or a symbol's name. */
export type Settings = Readonly<Record<string, Setting>>;

const kEnd = 2 ** 31;

/** `"4"` or `"2..64"`; null for what is neither. A range of one number is that number. */
export function parseSetting(text: string): Setting | null {
  const match = /^(\d{1,10})(?:\.\.(\d{1,10}))?$/.exec(text.replaceAll(" ", ""));
  if (match === null) return null;
  const lower = Number(match[1]);
  const upper = (match[2] as string | undefined) === undefined ? lower : Number(match[2]);
  if (lower > upper || upper >= kEnd) return null;
  return lower === upper ? lower : [lower, upper];
}

/** A range whose end is still to be typed: `"2."`, `"2.."`, and `"20..3"`, which may become `"20..30"`. */
export function isUnfinished(text: string): boolean {
  const match = /^(\d{1,10})\.\.?(\d{0,10})$/.exec(text.replaceAll(" ", ""));
  return match !== null && (match[2] === "" || match[1].length >= match[2].length);
}

export function settingText(setting: Setting): string {
  return typeof setting === "number" ? String(setting) : setting.join("..");
}

export function sameSetting(a: Setting | undefined, b: Setting | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return settingText(a) === settingText(b);
}

/** Symbols of floating-point numbers (`zf3`, and `zuf0` for data): they are no sizes. */
export function isFloatSymbol(name: string): boolean {
  return /^zu?f\d+$/.test(name);
}

/** Symbols of sizes that are data (`u0`): they come up when the program is propagated. */
export function isUnbackedSymbol(name: string): boolean {
  return /^u\d+$/.test(name);
}

/** A symbol of the file's, or one that the program makes. */
export function isSymbol(info: Pick<ProgramInfo, "symbols">, name: string): boolean {
  return isUnbackedSymbol(name) || info.symbols.some((symbol) => symbol.name === name);
}

export interface SplitSettings {
  readonly symbols: Settings;
  /** Sizes that are numbers in the file. */
  readonly dims: Readonly<Record<string, number>>;
}

/** Settings of symbols, which can often be followed without propagating, apart from those of other sizes, which cannot. */
export function splitSettings(info: Pick<ProgramInfo, "symbols">, settings: Settings): SplitSettings {
  const entries = Object.entries(settings);
  const dims = entries.filter((entry): entry is [string, number] => {
    return !isSymbol(info, entry[0]) && typeof entry[1] === "number";
  });
  return {
    symbols: Object.fromEntries(entries.filter(([name]) => isSymbol(info, name))),
    dims: Object.fromEntries(dims),
  };
}
