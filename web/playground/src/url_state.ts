/**
 * The address of what is shown. It lives in the hash, so no server ever receives it, and names things rather than
 * numbers them, so that it survives a re-export of the model:
 *
 *     #example=decoder&set=batch:4,input_ids.1:1024,s31:2..64&dtype=bfloat16&assume=view_3.1:literal&open=layers.0,layers.1&select=linear_3&at=120,88,0.5
 *
 * `dynamic=batch:1..64` makes symbols of sizes that are numbers in the file. `literal=1` and `plumbing=1` are switches. `open` is left out where the page's own choice stands, and is `depth=2` where all modules are open so deep. A program from a local file cannot be named by an address:
 * `file=` then only says which file the rest belongs to, and the rest is applied when a file of that name is opened.
 */
import { kColorModes, type ColorMode } from "./coloring.js";
import { parseSetting, settingText, type DynamicDims, type Setting, type Settings } from "./settings.js";
import type { Camera, Decisions } from "./state.js";

export interface Address {
  readonly example: string | null;
  readonly file: string | null;
  /** The program itself, as text that was typed (source_link.ts). */
  readonly code: string | null;
  readonly dims: Settings;
  readonly dynamic: DynamicDims;
  readonly dtype: string | null;
  readonly device: string | null;
  readonly assume: Decisions;
  readonly literal: boolean;
  /** Module paths; null: the page's own choice, or `depth`. */
  readonly open: readonly string[] | null;
  /** All modules are open to this depth. */
  readonly depth: number | null;
  /** A node's name, or a module's path after `/`. */
  readonly select: string | null;
  readonly camera: Camera | null;
  /** The node whose living bytes the graph is faded to. */
  readonly alive: string | null;
  readonly color: ColorMode;
  readonly plumbing: boolean;
  /** Parts whose values are none that such a part can have, as they were written. */
  readonly unread: readonly string[];
}

export const kEmptyAddress: Address = {
  example: null,
  file: null,
  code: null,
  dims: {},
  dynamic: {},
  dtype: null,
  device: null,
  assume: {},
  literal: false,
  open: null,
  depth: null,
  select: null,
  camera: null,
  alive: null,
  color: "plain",
  plumbing: false,
  unread: [],
};

/** Never throws: what cannot be read is told in `unread`. */
export function parseHash(hash: string): Address {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const open = parameters.get("open");
  const unread: string[] = [];
  return {
    example: nonEmpty(parameters.get("example")),
    file: nonEmpty(parameters.get("file")),
    code: nonEmpty(parameters.get("code")),
    dims: parseDims("set", parameters.get("set"), unread),
    dynamic: parseDynamic(parameters.get("dynamic"), unread),
    dtype: nonEmpty(parameters.get("dtype")),
    device: nonEmpty(parameters.get("device")),
    assume: parseDecisions(parameters.get("assume"), unread),
    literal: parseSwitch("literal", parameters.get("literal"), unread),
    open: open === null ? null : open.split(",").filter((path) => path !== ""),
    depth: parseDepth(parameters.get("depth"), unread),
    select: nonEmpty(parameters.get("select")),
    camera: parseCamera(parameters.get("at"), unread),
    alive: nonEmpty(parameters.get("alive")),
    color: parseColor(parameters.get("color"), unread),
    plumbing: parseSwitch("plumbing", parameters.get("plumbing"), unread),
    unread,
  };
}

function nonEmpty(text: string | null): string | null {
  return text === "" ? null : text;
}

function parseDynamic(text: string | null, unread: string[]): DynamicDims {
  const dims = Object.entries(parseDims("dynamic", text, unread));
  for (const [name, setting] of dims)
    if (typeof setting === "number") unread.push(`dynamic=${name}:${setting}`);
  return Object.fromEntries(dims.filter(([, setting]) => typeof setting !== "number")) as DynamicDims;
}

function parseDims(key: string, text: string | null, unread: string[]): Settings {
  const dims: [string, Setting][] = [];
  for (const part of (text ?? "").split(",")) {
    if (part === "") continue;
    const colon = part.lastIndexOf(":");
    const setting = parseSetting(part.slice(colon + 1));
    if (colon > 0 && setting !== null) dims.push([part.slice(0, colon), setting]);
    else unread.push(`${key}=${part}`);
  }
  return Object.fromEntries(dims);
}

function parseDecisions(text: string | null, unread: string[]): Decisions {
  const decisions: [string, string][] = [];
  for (const part of (text ?? "").split(",")) {
    if (part === "") continue;
    const match = /^(.+):(literal|follows|\d{1,17})$/.exec(part);
    if (match !== null) decisions.push([match[1], match[2]]);
    else unread.push(`assume=${part}`);
  }
  return Object.fromEntries(decisions);
}

function parseSwitch(name: string, text: string | null, unread: string[]): boolean {
  if (text !== null && text !== "" && text !== "0" && text !== "1") unread.push(`${name}=${text}`);
  return text === "1";
}

function parseDepth(text: string | null, unread: string[]): number | null {
  if (nonEmpty(text) === null) return null;
  if (/^\d{1,3}$/.test(text ?? "")) return Number(text);
  unread.push(`depth=${text ?? ""}`);
  return null;
}

function parseColor(text: string | null, unread: string[]): ColorMode {
  const found = kColorModes.find((mode) => mode === text);
  if (found === undefined && nonEmpty(text) !== null) unread.push(`color=${text}`);
  return found ?? "plain";
}

function parseCamera(text: string | null, unread: string[]): Camera | null {
  if (text === null || text === "") return null;
  const [x, y, scale] = text.split(",").map(Number);
  const usable = [x, y, scale].every((value) => Number.isFinite(value)) && scale > 0;
  if (usable) return { x, y, scale };
  unread.push(`at=${text}`);
  return null;
}

export function formatHash(address: Address): string {
  const parts: string[] = [];
  const add = (key: string, value: string | null): void => {
    if (value !== null) parts.push(`${key}=${readable(value)}`);
  };
  add("example", address.example);
  add("file", address.file);
  add("code", address.code);
  for (const [key, settings] of [
    ["dynamic", address.dynamic],
    ["set", address.dims],
  ] as const) {
    const texts = Object.entries(settings).map(([name, setting]) => `${name}:${settingText(setting)}`);
    if (texts.length > 0) add(key, texts.join(","));
  }
  add("dtype", address.dtype);
  add("device", address.device);
  const decisions = Object.entries(address.assume);
  if (decisions.length > 0) add("assume", decisions.map((decision) => decision.join(":")).join(","));
  if (address.literal) add("literal", "1");
  if (address.open !== null) add("open", address.open.join(","));
  if (address.depth !== null) add("depth", String(address.depth));
  add("select", address.select);
  add("alive", address.alive);
  if (address.color !== "plain") add("color", address.color);
  if (address.plumbing) add("plumbing", "1");
  if (address.camera !== null) {
    const { x, y, scale } = address.camera;
    add("at", `${x.toFixed(0)},${y.toFixed(0)},${Number(scale.toPrecision(3))}`);
  }
  return `#${parts.join("&")}`;
}

/** Percent-encoding that leaves `:` `,` `/` alone, which the hash allows and a reader prefers. */
function readable(value: string): string {
  return encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
}
