/** Arguments as JSON in which ints and floats differ, as FORMAT.md (tests/conformance) writes values. */

/** A float although it is whole: `float(2)` is Python's `2.0` where `2` is an int. */
export class Float {
  constructor(readonly value: number) {}
}

export function float(value: number): Float {
  return new Float(value);
}

/** `named` gives the JSON of objects that stand for something in the engine, undefined for others. */
export function encode(argument: unknown, named: (object: object) => string | undefined): string {
  if (argument === null || argument === undefined) return "null";
  if (typeof argument === "bigint") return argument.toString();
  if (typeof argument === "number") return encodeNumber(argument);
  if (typeof argument === "function" || typeof argument === "symbol")
    throw new TypeError(`a ${typeof argument} is no argument`);
  if (typeof argument !== "object") return JSON.stringify(argument);
  if (argument instanceof Float) return encodeFloat(argument.value);
  if (Array.isArray(argument))
    return `[${(argument as readonly unknown[]).map((item) => encode(item, named)).join(",")}]`;
  return named(argument) ?? encodeFields(argument, named);
}

function encodeFields(object: object, named: (object: object) => string | undefined): string {
  const fields = Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${encode(value, named)}`);
  return `{${fields.join(",")}}`;
}

/** Whole numbers are Python's ints. */
export function isInt(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

function encodeNumber(value: number): string {
  return isInt(value) ? BigInt(value).toString() : encodeFloat(value);
}

function encodeFloat(value: number): string {
  if (Number.isNaN(value)) return '{"f":"nan"}';
  if (!Number.isFinite(value)) return value > 0 ? '{"f":"inf"}' : '{"f":"-inf"}';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
