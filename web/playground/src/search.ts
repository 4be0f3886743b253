/**
 * The search box's language. A query is a list of words that must all match:
 *
 *     linear            name, operator or module path contains "linear"
 *     op:conv           the operator's name contains "conv"
 *     module:layers.0   the module path contains "layers.0"
 *     dtype:bf16        dtype by its long or short name
 *     shape:[*,4096]    these sizes exactly; `*` is any one size, `...` any number of them
 *     device:cuda       device
 *     is:error          rows with an error (also: is:unknown, is:view, is:input)
 *
 * A value with blanks may be quoted: shape:"[2, *]". Blanks inside brackets need no quotes.
 */
import { Status, ValueKind } from "./engine.js";
import { dimsText, dtypeShort, sizesOf } from "./format.js";
import type { Model } from "./model.js";

type Field = "text" | "name" | "op" | "module" | "dtype" | "shape" | "device" | "is";

export interface Term {
  readonly field: Field;
  readonly value: string;
}

const kFields = new Set<string>(["name", "op", "module", "dtype", "shape", "device", "is"]);

/** Splits at blanks outside quotes and brackets; an unknown `field:` is plain text, so that `aten::mm` can be typed. */
export function parseQuery(text: string): Term[] {
  const terms: Term[] = [];
  for (const word of splitWords(text)) {
    const colon = word.indexOf(":");
    const field = colon > 0 ? word.slice(0, colon).toLowerCase() : "";
    const value = (kFields.has(field) ? word.slice(colon + 1) : word).replaceAll('"', "").toLowerCase();
    if (value === "") continue;
    terms.push({ field: kFields.has(field) ? (field as Field) : "text", value });
  }
  return terms;
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  let brackets = 0;
  let quoted = false;
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    if (letter === "[") brackets++;
    if (letter === "]") brackets = Math.max(0, brackets - 1);
    if (/\s/.test(letter) && !quoted && brackets === 0) {
      if (word !== "") words.push(word);
      word = "";
    } else {
      word += letter;
    }
  }
  if (word !== "") words.push(word);
  return words;
}

export interface Match {
  /** `>= 0`: a row; `< 0`: the module `~target`. */
  readonly target: number;
  /** Lower is better. */
  readonly rank: number;
}

/** Modules and rows that satisfy all terms, best first (exact name, then prefix, then anywhere), at most `limit`. */
export function search(model: Model, query: string, limit = 200): { matches: Match[]; total: number } {
  const terms = parseQuery(query);
  if (terms.length === 0) return { matches: [], total: 0 };
  const matches: Match[] = [];
  if (terms.every((term) => term.field === "text" || term.field === "module" || term.field === "name")) {
    for (const module of model.info.modules) {
      if (module.id === 0) continue;
      const texts = [module.path.toLowerCase(), module.type.toLowerCase()];
      if (terms.every((term) => texts.some((text) => text.includes(term.value)))) {
        matches.push({ target: ~module.id, rank: rankOf(terms[0].value, module.path.toLowerCase()) });
      }
    }
  }
  const tests = terms.map((term) => rowTest(model, term));
  for (let row = 0; row < model.table.length; row++) {
    if (tests.every((test) => test(row))) {
      matches.push({ target: row, rank: rankOf(terms[0].value, model.table.names[row].toLowerCase()) });
    }
  }
  matches.sort((a, b) => a.rank - b.rank);
  return { matches: matches.slice(0, limit), total: matches.length };
}

function rankOf(value: string, name: string): number {
  return name === value ? 0 : name.startsWith(value) ? 1 : 2;
}

/** The test of one term over rows. What depends on an operator, dtype, device or module only is decided once for each. */
function rowTest(model: Model, term: Term): (row: number) => boolean {
  const { table, info } = model;
  const { value } = term;
  const byOp = (): Uint8Array => Uint8Array.from(table.ops, (op) => Number(op.toLowerCase().includes(value)));
  const byModule = (): Uint8Array =>
    Uint8Array.from(info.modules, (module) => Number(module.path.toLowerCase().includes(value)));
  switch (term.field) {
    case "op": {
      const hit = byOp();
      return (row) => hit[table.op[row]] === 1;
    }
    case "module": {
      const hit = byModule();
      return (row) => hit[table.module[row]] === 1;
    }
    case "name":
      return (row) => table.names[row].toLowerCase().includes(value);
    case "dtype": {
      const hit = Uint8Array.from(table.dtypes, (dtype) =>
        Number(dtype === value || dtypeShort(dtype) === value),
      );
      return (row) => table.kind[row] === ValueKind.tensor && hit[table.dtype[row]] === 1;
    }
    case "device": {
      const hit = Uint8Array.from(table.devices, (device) => Number(device.startsWith(value)));
      return (row) => table.kind[row] === ValueKind.tensor && hit[table.device[row]] === 1;
    }
    case "shape": {
      const pattern = parseShape(value);
      return (row) =>
        table.kind[row] === ValueKind.tensor && matchesShape(pattern, sizesOf(table, row).map(String));
    }
    case "is":
      return stateTest(model, value);
    case "text": {
      const op = byOp();
      const module = byModule();
      return (row) =>
        op[table.op[row]] === 1 ||
        module[table.module[row]] === 1 ||
        table.names[row].toLowerCase().includes(value);
    }
  }
}

function stateTest(model: Model, state: string): (row: number) => boolean {
  const { status } = model.table;
  switch (state) {
    case "error":
      return (row) => status[row] === Status.error;
    case "unknown":
      return (row) => status[row] === Status.unknown;
    case "unreached":
      return (row) => status[row] === Status.notReached;
    case "input":
      return (row) => model.kindOfInput(row) === "user";
    case "view": {
      const { storage } = model.table;
      const owner = new Map<number, number>();
      storage.forEach((id, row) => owner.has(id) || owner.set(id, row));
      return (row) => storage[row] >= 0 && owner.get(storage[row]) !== row;
    }
    default:
      return () => false;
  }
}

/** `[2, *, 4096]` or `2x*x4096` as its entries. */
export function parseShape(text: string): string[] {
  const inner = text.replace(/^\[/, "").replace(/\]$/, "");
  return inner === ""
    ? []
    : inner.split(/[,×]|(?<=[\d*])x(?=[\d*])/).map((entry) => entry.replace(/\s/g, ""));
}

/** Whether sizes fit a pattern: a wildcard match that goes back to the last `...` only, so never more than rank x length. */
export function matchesShape(pattern: readonly string[], sizes: readonly string[]): boolean {
  let at = 0;
  let rest = -1;
  let restSize = 0;
  for (let size = 0; size < sizes.length;) {
    if (at < pattern.length && pattern[at] === "...") {
      rest = at++;
      restSize = size;
    } else if (
      at < pattern.length &&
      (pattern[at] === "*" || pattern[at] === sizes[size].replace(/\s/g, "").toLowerCase())
    ) {
      at++;
      size++;
    } else if (rest >= 0) {
      at = rest + 1;
      size = ++restSize;
    } else {
      return false;
    }
  }
  while (pattern[at] === "...") at++;
  return at === pattern.length;
}

/** The line shown under a match. */
export function describeRow(model: Model, row: number): string {
  const { table } = model;
  const shape =
    table.kind[row] === ValueKind.tensor
      ? `${dtypeShort(table.dtypes[table.dtype[row]])}${dimsText(sizesOf(table, row))}`
      : "";
  const path = model.module(table.module[row]).path;
  return [shape, path].filter((part) => part !== "").join("  ");
}
