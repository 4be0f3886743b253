/** Sizes that are asked for: a number, or any of a range. */
import type { ProgramInfo } from "./engine.js";

export type Range = readonly [lower: number, upper: number];
export type Setting = number | Range;

/** Keys as the engine takes them: `batch`, `x.1`, or a symbol's name. */
export type Settings = Readonly<Record<string, Setting>>;

/** Dimensions that are numbers in the file and become symbols of the run. */
export type DynamicDims = Readonly<Record<string, Range>>;

/** A text that asks for no size, and why. */
export interface Refused {
  readonly refused: string;
}

const kEnd = 2 ** 31;
const kForms = "Write 4, 8k, 1e3, 4_096, or a range as 1..64";

/** `"4"`, `"4_096"`, `"4,096"`, `"1e3"`, and as the command takes them `"8k"` (8192) and `"2m"`; null for what is none. */
function parseNumber(text: string): number | null {
  const match = /^(\d[\d_]*|\d{1,3}(?:,\d{3})+)(\.\d+)?(k|m|e\d{1,2})?$/i.exec(text);
  if (match === null) return null;
  const [, whole, fraction = "", unit = ""] = match;
  const scale = { "": 1, k: 1024, m: 1024 ** 2 }[unit.toLowerCase()] ?? 10 ** Number(unit.slice(1));
  const size = Number(whole.replace(/[_,]/g, "") + fraction) * scale;
  return Number.isInteger(size) && size < kEnd ? size : null;
}

/** A number or `"2..64"`; null for what is neither. A range of one number is that number. */
export function parseSetting(text: string): Setting | null {
  const parts = text.replaceAll(" ", "").split("..");
  const [lower, upper = lower] = parts.map(parseNumber);
  if (lower === null || upper === null || parts.length > 2 || lower > upper) return null;
  return lower === upper ? lower : [lower, upper];
}

/** Why a text is no size, in a sentence for whoever typed it. */
export function refusalOf(text: string): string {
  const parts = text.replaceAll(" ", "").split("..");
  if (parts[0] === "") return `No size. ${kForms}.`;
  if (parts.some((part) => part.startsWith("-"))) return "A size is not negative.";
  if (parts.some((part) => /^\d[\d_,]*\.\d+$/.test(part))) return "A size is a whole number.";
  if (parts.some((part) => Number(part.replace(/[_,]/g, "")) >= kEnd))
    return "Sizes of 2147483648 and more are not taken.";
  const [lower, upper] = parts.map(parseNumber);
  if (parts.length === 2 && lower !== null && upper !== null && lower > upper)
    return `The range ends before it begins: ${upper} is less than ${lower}.`;
  return `“${text.trim()}” is no size. ${kForms}.`;
}

/** What is still to be typed: `"2."`, `"2.."`, `"1e"`, `"4_"`, and `"20..3"`, which may become `"20..30"`. */
export function isUnfinished(text: string): boolean {
  const spaceless = text.replaceAll(" ", "");
  if (/(^|\.\.)\d[\d_]*e$/i.test(spaceless)) return true;
  const match = /^(\d{1,10})\.\.?(\d{0,10})$/.exec(spaceless);
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

/** The engine's name for the symbol of a dimension that was made dynamic. */
export function symbolOfDim(dim: string): string {
  return dim.replaceAll(".", "_");
}

/** A symbol of the file's, one that the program makes, or that of a dimension which was made dynamic. */
export function isSymbol(
  info: Pick<ProgramInfo, "symbols">,
  name: string,
  dynamic: DynamicDims = {},
): boolean {
  return (
    isUnbackedSymbol(name) ||
    info.symbols.some((symbol) => symbol.name === name) ||
    Object.keys(dynamic).some((dim) => symbolOfDim(dim) === name)
  );
}

/**
 * The dynamic dimensions that one symbol stands for: equal sizes in one place of several inputs are one, named after the
 * first.
 */
export function dimsOfSymbol(
  info: Pick<ProgramInfo, "inputs">,
  dynamic: DynamicDims,
  symbol: string,
): string[] {
  const place = (key: string): string => {
    const dot = key.lastIndexOf(".");
    const input = info.inputs.find(({ name }) => name === key.slice(0, dot));
    const dim = Number(key.slice(dot + 1));
    return input === undefined ? key : `${dim} ${input.size[dim]}`;
  };
  const keys = Object.keys(dynamic);
  const first = keys.find((key) => symbolOfDim(key) === symbol);
  return first === undefined ? [] : keys.filter((key) => place(key) === place(first));
}

export interface SplitSettings {
  readonly symbols: Settings;
  /** Sizes that are numbers in the file. */
  readonly dims: Readonly<Record<string, number>>;
}

/** Settings of symbols, which can often be followed without propagating, apart from those of other sizes, which cannot. */
export function splitSettings(
  info: Pick<ProgramInfo, "symbols">,
  settings: Settings,
  dynamic: DynamicDims = {},
): SplitSettings {
  const entries = Object.entries(settings);
  const dims = entries.filter((entry): entry is [string, number] => {
    return !isSymbol(info, entry[0], dynamic) && typeof entry[1] === "number";
  });
  return {
    symbols: Object.fromEntries(entries.filter(([name]) => isSymbol(info, name, dynamic))),
    dims: Object.fromEntries(dims),
  };
}
