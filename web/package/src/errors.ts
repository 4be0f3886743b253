/**
 * Every error of the engine reaches JavaScript as one {@link FakeTensorError}, whose `name` is PyTorch's exception
 * class (or one of the engine's own) and whose fields say where it arose. What a program's nodes raise is no error but a
 * `Problem` of its run, which has the node, its module and its source line.
 */

/** An error as plain data: what crosses from C++ as JSON and between threads as a message. */
export interface ErrorData {
  /** PyTorch's exception class, e.g. `"RuntimeError"`, or `"UnreadableInput"` for an unreadable file. */
  readonly class: string;
  readonly message: string;
  readonly operator?: string;
  /** The argument of the operator that is at fault, by its name in the schema. */
  readonly argument?: string;
}

export class FakeTensorError extends Error implements ErrorData {
  readonly class: string;
  declare readonly operator?: string;
  declare readonly argument?: string;

  constructor(data: ErrorData, options?: ErrorOptions) {
    super(data.message, options);
    this.class = data.class;
    this.name = data.class;
    copyFields(data, this);
  }

  /** The fields without the stack: what can be posted to another thread. */
  toData(): ErrorData {
    const data = { class: this.class, message: this.message };
    copyFields(this, data);
    return data;
  }
}

/** Copies the fields that are there: an absent one stays absent instead of becoming undefined. */
function copyFields(from: ErrorData, to: object): void {
  for (const key of ["operator", "argument"] as const) {
    if (from[key] !== undefined) Object.assign(to, { [key]: from[key] });
  }
}

/**
 * The engine trapped (out of memory, or a defect of its own). Its instance is not to be used any more: load another,
 * or, behind `faketensor/worker`, just go on: the worker has been replaced.
 */
export class EngineFailure extends FakeTensorError {
  constructor(cause: unknown) {
    super({ class: "EngineFailure", message: `the engine stopped: ${describe(cause)}` }, { cause });
  }
}

/** What `fetch` and other platform functions throw for an aborted signal. */
export function abortError(signal?: AbortSignal): unknown {
  return signal?.reason ?? new DOMException("The operation was aborted.", "AbortError");
}

export function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Restores what {@link toErrorData} flattened. */
export function fromErrorData(data: ErrorData): Error {
  if (data.class === "AbortError") return new DOMException(data.message, "AbortError");
  if (data.class === "EngineFailure") return new EngineFailure(new Error(data.message));
  return new FakeTensorError(data);
}

/** Flattens anything thrown to plain data. */
export function toErrorData(thrown: unknown): ErrorData {
  if (thrown instanceof FakeTensorError) return thrown.toData();
  if (thrown instanceof Error) return { class: thrown.name, message: thrown.message };
  return { class: "Error", message: String(thrown) };
}
