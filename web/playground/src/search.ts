/**
 * The search box's language. A query is a list of words that must all match:
 *
 *     linear            name, parameter's name, operator or module path contains "linear" (aten.mm is aten::mm)
 *     op:conv           the operator's name contains "conv"
 *     op:mm->add        an add that reads what an mm gives
 *     module:layers.0   the module path contains "layers.0"
 *     dtype:bf16        dtype by its long or short name
 *     shape:[*,4096]    these sizes exactly; `*` is any one size, `...` any number of them
 *     bytes>1e9         of its storage; also < <= >= =, and 1GiB, 16k
 *     device:cuda       device
 *     is:error          rows with an error (also: is:unknown, is:unreached, is:view, is:input)
 *     /proj\.\d/        a regular expression for the name, operator or module path
 *     -is:view          not so
 *
 * A value with blanks may be quoted: shape:"[2, *]". Blanks inside brackets need no quotes.
 */
import { Status, ValueKind } from "./engine.js";
import { dimsText, dtypeShort, sizesOf } from "./format.js";
import type { Model } from "./model.js";

const kFields = ["name", "op", "module", "dtype", "shape", "bytes", "device", "is"] as const;
const kStates = ["error", "unknown", "unreached", "view", "input"];

type Field = "text" | "regex" | (typeof kFields)[number];

export interface Term {
  readonly field: Field;
  readonly value: string;
  readonly negated: boolean;
}

export interface Query {
  readonly terms: readonly Term[];
  /** What cannot be searched for, in a sentence. */
  readonly error: string | null;
}

/** Splits at blanks outside quotes, brackets and regular expressions. `aten::mm` is a text, not a filter. */
export function parseQuery(text: string): Query {
  const terms: Term[] = [];
  let error: string | null = null;
  for (const word of splitWords(text)) {
    const negated = word.startsWith("-") && word.length > 1;
    const term = { ...termOf(negated ? word.slice(1) : word), negated };
    error ??= errorIn(term);
    if (term.value !== "") terms.push(term);
  }
  return { terms, error };
}

function termOf(word: string): { field: Field; value: string } {
  const regex = /^\/(.+?)\/?$/.exec(word);
  if (regex !== null) return { field: "regex", value: regex[1] };
  const bytes = /^bytes:?([<>]=?|=)(.*)$/i.exec(word);
  if (bytes !== null) return { field: "bytes", value: bytes[1] + bytes[2].toLowerCase() };
  const filter = /^([a-z]+):(?!:)(.*)$/is.exec(word);
  const value = (filter?.[2] ?? word).replaceAll('"', "").toLowerCase();
  return { field: filter === null ? "text" : (filter[1].toLowerCase() as Field), value };
}

function errorIn({ field, value }: { field: Field; value: string }): string | null {
  if (field === "text") return null;
  if (field === "regex") return regexOf(value) === null ? `/${value}/ is no regular expression` : null;
  if (!kFields.includes(field)) return `There is no filter ${field}: (there are ${kFields.join(", ")})`;
  if (field === "is" && value !== "" && !kStates.some((state) => state.startsWith(value)))
    return `There is no is:${value} (there are ${kStates.join(", ")})`;
  if (field === "bytes" && parseBytes(value) === null && !/^[<>=]+$/.test(value))
    return "Bytes are compared: bytes>1e9, bytes<=16MiB";
  return null;
}

function regexOf(source: string): RegExp | null {
  try {
    return new RegExp(source, "i");
  } catch {
    return null;
  }
}

/** `">1e9"`, `"<=16mib"`. */
export function parseBytes(text: string): { relation: string; bytes: number } | null {
  const match = /^([<>]=?|=)(\d+(?:\.\d+)?(?:e\d{1,2})?)([kmgt]?)(?:i?b)?$/.exec(text);
  if (match === null) return null;
  const scale = 1024 ** " kmgt".indexOf(match[3] === "" ? " " : match[3]);
  return { relation: match[1], bytes: Number(match[2]) * scale };
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  let brackets = 0;
  let quoted = false;
  let regex = false;
  for (const letter of text) {
    if (letter === "/" && /^-?$/.test(word)) regex = true;
    else if (letter === "/" && regex && !word.endsWith("\\")) regex = false;
    if (letter === '"' && !regex) quoted = !quoted;
    if (letter === "[" && !regex) brackets++;
    if (letter === "]" && !regex) brackets = Math.max(0, brackets - 1);
    if (/\s/.test(letter) && !quoted && brackets === 0 && !regex) {
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

export interface Found {
  readonly matches: Match[];
  readonly total: number;
  readonly error: string | null;
}

/** Modules and rows that satisfy all terms, best first (exact name, then prefix, then anywhere), at most `limit`. */
export function search(model: Model, query: string, limit = 200): Found {
  const { terms, error } = parseQuery(query);
  if (terms.length === 0 || error !== null) return { matches: [], total: 0, error };
  const matches = modulesThatMatch(model, terms);
  const targets = targetsOf(model);
  const tests = terms.map((term) => {
    const test = rowTest(model, term, targets);
    return term.negated ? (row: number): boolean => !test(row) : test;
  });
  for (let row = 0; row < model.table.length; row++) {
    if (!tests.every((test) => test(row))) continue;
    const rank = rankOf(terms[0].value, targets.get(row) ?? model.table.names[row].toLowerCase());
    matches.push({ target: row, rank });
  }
  matches.sort((a, b) => a.rank - b.rank);
  return { matches: matches.slice(0, limit), total: matches.length, error: null };
}

/** Only what is asked of names is asked of modules. */
function modulesThatMatch(model: Model, terms: readonly Term[]): Match[] {
  if (!terms.every(({ field }) => ["text", "regex", "module", "name"].includes(field))) return [];
  const regexes = terms.map(({ field, value }) => (field === "regex" ? regexOf(value) : null));
  const matches: Match[] = [];
  for (const module of model.info.modules) {
    if (module.id === 0) continue;
    const texts = [module.path.toLowerCase(), module.type.toLowerCase()];
    const holds = terms.every(({ value, negated }, i) => {
      const found = texts.some((text) => regexes[i]?.test(text) ?? text.includes(value));
      return found !== negated;
    });
    if (holds) matches.push({ target: ~module.id, rank: rankOf(terms[0].value, texts[0]) });
  }
  return matches;
}

/** What parameters and buffers are called in the model. */
function targetsOf({ info }: Model): Map<number, string> {
  return new Map(
    info.inputs.flatMap(({ node, target }) => (target === null ? [] : [[node, target.toLowerCase()]])),
  );
}

/** `aten::linear.default` and `aten.linear.default` are one. */
function dotted(op: string): string {
  return op.toLowerCase().replace("::", ".");
}

function rankOf(value: string, name: string): number {
  return name === value ? 0 : name.startsWith(value) ? 1 : 2;
}

/** The test of one term over rows. What depends on an operator, dtype, device or module only is decided once for each. */
function rowTest(
  model: Model,
  { field, value }: Term,
  targets: ReadonlyMap<number, string>,
): (row: number) => boolean {
  const { table, info } = model;
  const isNamed = (row: number, holds: (name: string) => boolean): boolean =>
    holds(table.names[row].toLowerCase()) || holds(targets.get(row) ?? "");
  const byModule = (holds: (path: string) => boolean): Uint8Array =>
    Uint8Array.from(info.modules, (module) => Number(holds(module.path.toLowerCase())));
  const contains = (text: string): boolean => text.includes(value);
  switch (field) {
    case "op":
      return opTest(model, value);
    case "bytes":
      return bytesTest(model, value);
    case "module": {
      const hit = byModule(contains);
      return (row) => hit[table.module[row]] === 1;
    }
    case "name":
      return (row) => isNamed(row, contains);
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
    case "text":
    case "regex": {
      const regex = field === "regex" ? regexOf(value) : null;
      const holds = (text: string): boolean => regex?.test(text) ?? contains(text);
      const op = opsThat(
        (name) => holds(name) || holds(dotted(name)) || dotted(name).includes(dotted(value)),
        model,
      );
      const module = byModule(holds);
      return (row) => op[table.op[row]] === 1 || module[table.module[row]] === 1 || isNamed(row, holds);
    }
  }
}

function opsThat(holds: (op: string) => boolean, { table }: Model): Uint8Array {
  return Uint8Array.from(table.ops, (op) => Number(holds(op.toLowerCase())));
}

/** `mm`, or `mm->add`: an add that reads an mm. */
function opTest(model: Model, value: string): (row: number) => boolean {
  const { table } = model;
  const hits = value
    .split("->")
    .map((part) => opsThat((op) => dotted(op).includes(dotted(part.trim())), model));
  const holds = (row: number, at: number): boolean =>
    hits[at][table.op[row]] === 1 && (at === 0 || model.inputsOf(row).some((input) => holds(input, at - 1)));
  return (row) => holds(row, hits.length - 1);
}

/** Sizes that are symbolic are neither more nor less. */
function bytesTest({ table }: Model, value: string): (row: number) => boolean {
  const asked = parseBytes(value);
  if (asked === null) return () => false;
  const { relation, bytes } = asked;
  return (row) => {
    const has = table.nbytes[row];
    if (has < 0 || table.kind[row] !== ValueKind.tensor) return false;
    if (has === bytes) return relation.endsWith("=");
    return relation.startsWith(has < bytes ? "<" : ">");
  };
}

function stateTest(model: Model, state: string): (row: number) => boolean {
  const { status } = model.table;
  // While it is typed, its beginning stands for it.
  switch (kStates.find((name) => name.startsWith(state))) {
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
