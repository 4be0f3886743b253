/**
 * Reads the engine's JSON. Its integers have 64 bits, JavaScript's numbers are exact up to 2^53 only: what lies beyond
 * keeps its digits, as text where a size is meant (as `Dim` has expressions, too), as a bigint where it is a value. Other
 * numbers, bounds of ranges for one, are rounded.
 */

/** What an integer beyond 2^53 becomes. */
type Beyond = "rounded" | "bigint" | "text";

/** The members of replies that are values, and those that are sizes. */
const members: ReadonlyMap<string, Beyond> = new Map([
  ["val", "bigint"],
  ["value", "bigint"],
  ["out", "bigint"],
  ["outputs", "text"],
  ["nodes", "text"],
]);

/** The members of a tensor that are sizes. */
const sizes: ReadonlySet<string> = new Set(["size", "stride", "offset", "nbytes"]);

const mayBeBeyond = /\d{16}/;
/** Strings and numbers, each as a whole. A loop over single characters is kept out of strings: it takes stack for each. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** A reply: what each member is follows from its name. */
export function parseReply(text: string): unknown {
  return parse(text, (reply, restore) =>
    Array.isArray(reply) || hasSizes(reply)
      ? restore(reply, "rounded")
      : mapFields(reply, (name, field) => restore(field, members.get(name) ?? "rounded")),
  );
}

/** A value, or values by name: every integer in it is one of Python's. */
export function parseValue(text: string): unknown {
  return parse(text, (value, restore) => restore(value, "bigint"));
}

type Restore = (value: unknown, beyond: Beyond) => unknown;

/** Marks the integers that JSON.parse would round, and has `read` put something in their place. */
function parse(text: string, read: (value: unknown, restore: Restore) => unknown): unknown {
  if (!mayBeBeyond.test(text)) return JSON.parse(text);
  let mark = "int:";
  while (text.includes(mark)) mark += ":";
  const marked = text.replace(tokens, (token) => {
    const isBeyond = token.length >= 16 && /^-?\d+$/.test(token) && isInexact(BigInt(token));
    return isBeyond ? `"${mark}${token}"` : token;
  });
  if (marked === text) return JSON.parse(text);
  const restore: Restore = (value, beyond) => {
    if (typeof value === "string")
      return value.startsWith(mark) ? integer(value.slice(mark.length), beyond) : value;
    if (Array.isArray(value)) return value.map((item) => restore(item, beyond));
    const isTensor = hasSizes(value);
    return mapFields(value, (name, field) => restore(field, isTensor && sizes.has(name) ? "text" : beyond));
  };
  return read(JSON.parse(marked), restore);
}

/** As the columns of a table have it (wasm/run_view.cpp): 2^53 itself is a number. */
function isInexact(value: bigint): boolean {
  return value > 2n ** 53n || value < -(2n ** 53n);
}

/** A tensor, or an input as it is described. */
function hasSizes(value: unknown): boolean {
  const { size, dtype } = (value ?? {}) as { size?: unknown; dtype?: unknown };
  return Array.isArray(size) && typeof dtype === "string";
}

function mapFields(value: unknown, field: (name: string, value: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, field(name, inner)]));
}

function integer(digits: string, beyond: Beyond): string | bigint | number {
  if (beyond === "text") return digits;
  return beyond === "bigint" ? BigInt(digits) : Number(digits);
}
