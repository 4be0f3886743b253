/**
 * Checks arguments before anything crosses to the engine, for callers in plain JavaScript: a value of another kind would
 * stop halfway through the glue, in words that name none of our functions.
 */

/** How a message calls a value: `undefined`, `a number`, `an object`. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") {
    const { name } = (value as { constructor?: { name?: string } }).constructor ?? {};
    return name && name !== "Object" ? `a ${name}` : "an object";
  }
  return `a ${typeof value}`;
}

export function wrongKind(what: string, wanted: string, value: unknown): TypeError {
  return new TypeError(`${what} is to be ${wanted}, not ${kindOf(value)}`);
}

/** @throws TypeError unless `value` is a string. */
export function checkText(what: string, value: unknown): void {
  if (typeof value !== "string") throw wrongKind(what, "a string", value);
}

/** @throws TypeError unless `value` is a whole number, which a double holds exactly. */
export function checkInteger(what: string, value: unknown): void {
  if (typeof value !== "number") throw wrongKind(what, "a whole number", value);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${what} is to be a whole number, not ${value}`);
}

/** @throws TypeError unless `value` is a whole number above 0. */
export function checkPositive(what: string, value: unknown): void {
  checkInteger(what, value);
  if ((value as number) <= 0) throw new TypeError(`${what} is to be above 0, not ${String(value)}`);
}

/** @throws TypeError for what JSON cannot say: a bigint, a circle. */
export function toJson(what: string, value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    throw new TypeError(`${what} cannot be handed over: ${(error as Error).message}`, { cause: error });
  }
  throw wrongKind(what, "plain data", value);
}
