/**
 * A fake tensor mode: operators called one at a time on tensors without data.
 *
 * ```ts
 * const mode = ft.mode({ target: "cuda" });
 * const y = mode.call("aten::mm", [mode.empty([2, 3]), mode.empty([3, 4])]);
 * y.size; // [2, 4]
 * ```
 */
import type { Engine } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import type { Dim, TensorValue, Value } from "./types.js";

export interface ModeOptions {
  /** Which PyTorch answers; default `"cuda"`. */
  target?: string;
}

export interface EmptyOptions {
  dtype?: string;
  device?: string;
  /** Default: contiguous. */
  stride?: readonly number[];
}

/** A float although it is whole: `float(2)` is Python's `2.0` where `2` is an int. */
export class Float {
  constructor(readonly value: number) {}
}

export function float(value: number): Float {
  return new Float(value);
}

/** An argument: tensors of the same mode, numbers (whole ones are ints), and the tagged objects of {@link Value}. */
export type Argument =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | Float
  | FakeTensorHandle
  | readonly Argument[]
  | { readonly dtype: string }
  | { readonly device: string }
  | { readonly layout: string }
  | { readonly memory_format: string }
  | { readonly generator: string };

/** What a call returns: a tensor, or plain data with tensors in it. */
export type Result = FakeTensorHandle | readonly Result[] | Exclude<Value, TensorValue | readonly Value[]>;

interface CallReply {
  readonly out: Value;
  /** Tensors whose metadata the call changed. */
  readonly after: readonly TensorValue[];
}

/**
 * A tensor of a {@link Mode}. The same tensor is always the same object, also when an operator returns its argument;
 * its fields show the metadata as it is now.
 */
export class FakeTensorHandle extends EngineResource {
  #meta: TensorValue;

  /** @internal */
  constructor(meta: TensorValue, release: () => void) {
    super(release);
    this.#meta = meta;
  }

  /** @internal */
  update(meta: TensorValue): void {
    this.#meta = meta;
  }

  /** Number of the tensor in its mode. */
  get id(): number {
    return this.#meta.t;
  }
  get size(): readonly Dim[] {
    return this.#meta.size;
  }
  /** In elements; empty for sparse tensors. */
  get stride(): readonly Dim[] {
    return this.#meta.stride ?? [];
  }
  get offset(): Dim {
    return this.#meta.offset ?? 0;
  }
  get dtype(): string {
    return this.#meta.dtype;
  }
  get device(): string {
    return this.#meta.device;
  }
  get layout(): string {
    return this.#meta.layout ?? "strided";
  }
  /** Tensors that alias have the same number; -1 for sparse tensors. */
  get storage(): number {
    return this.#meta.storage ?? -1;
  }
  /** Bytes of the whole storage. */
  get nbytes(): Dim {
    return this.#meta.nbytes ?? 0;
  }

  /** Everything as plain data. */
  toJSON(): TensorValue {
    return this.#meta;
  }
}

export class Mode extends EngineResource {
  readonly #tensors = new Map<number, WeakRef<FakeTensorHandle>>();
  readonly #handle: number;

  /** @internal */
  constructor(
    private readonly engine: Engine,
    options: ModeOptions,
  ) {
    const { mode } = engine.json<{ readonly mode: number }>((exports) =>
      exports.openMode(JSON.stringify(options)),
    );
    super(() => {
      engine.release((exports) => {
        exports.closeMode(mode);
      });
    });
    this.#handle = mode;
  }

  /** A new tensor on a storage of its own. */
  empty(size: readonly number[], options: EmptyOptions = {}): FakeTensorHandle {
    this.assertAlive();
    const tensor = JSON.stringify({ size, ...options });
    const reply = this.engine.json<CallReply>((exports) => exports.modeEmpty(this.#handle, tensor));
    return this.#adopt(reply.out) as FakeTensorHandle;
  }

  /**
   * Calls an operator, `"aten::add.Tensor"` or, for the overload without a name, `"aten::mm"`. What PyTorch raises is
   * thrown as a `FakeTensorError` with the class as its name.
   */
  call(
    operator: string,
    args: readonly Argument[] = [],
    kwargs: Readonly<Record<string, Argument>> = {},
  ): Result {
    const named = Object.entries(kwargs).map(
      ([name, value]) => `${JSON.stringify(name)}:${encode(value, this.#encodeTensor)}`,
    );
    return this.#request(operator, encode(args, this.#encodeTensor), `{${named.join(",")}}`);
  }

  readonly #encodeTensor = (tensor: FakeTensorHandle): string => {
    if (tensor.disposed) throw new TypeError("a tensor argument has been disposed");
    if (this.#tensors.get(tensor.id)?.deref() !== tensor) {
      throw new TypeError("a tensor argument belongs to another mode");
    }
    return `{"t":${tensor.id}}`;
  };

  #request(operator: string, args: string, kwargs: string): Result {
    this.assertAlive();
    const request = `{"op":${JSON.stringify(operator)},"args":${args},"kwargs":${kwargs}}`;
    const reply = this.engine.json<CallReply>((exports) => exports.modeCall(this.#handle, request));
    for (const meta of reply.after) this.#tensors.get(meta.t)?.deref()?.update(meta);
    return this.#adopt(reply.out);
  }

  #adopt(value: Value): Result {
    if (Array.isArray(value)) return (value as readonly Value[]).map((item) => this.#adopt(item));
    return isTensor(value) ? this.#tensor(value) : value;
  }

  #tensor(meta: TensorValue): FakeTensorHandle {
    const known = this.#tensors.get(meta.t)?.deref();
    if (known && !known.disposed) {
      known.update(meta);
      return known;
    }
    const { engine } = this;
    const mode = this.#handle;
    const tensors = this.#tensors;
    const handle = new FakeTensorHandle(meta, () => {
      // A collected handle may have been followed by another for the same tensor, which then owns it.
      if (tensors.get(meta.t) !== reference) return;
      tensors.delete(meta.t);
      engine.release((exports) => {
        exports.releaseTensor(mode, meta.t);
      });
    });
    const reference = new WeakRef(handle);
    tensors.set(meta.t, reference);
    return handle;
  }
}

function isTensor(value: Value): value is TensorValue {
  return typeof value === "object" && value !== null && "t" in value;
}

/** JSON in which ints and floats differ, as FORMAT.md of the conformance data writes values. */
function encode(argument: Argument, encodeTensor: (tensor: FakeTensorHandle) => string): string {
  if (argument === null || argument === undefined) return "null";
  if (typeof argument === "bigint") return argument.toString();
  if (typeof argument === "number") return encodeNumber(argument);
  if (argument instanceof Float) return encodeFloat(argument.value);
  if (argument instanceof FakeTensorHandle) return encodeTensor(argument);
  if (Array.isArray(argument))
    return `[${(argument as readonly Argument[]).map((item) => encode(item, encodeTensor)).join(",")}]`;
  return JSON.stringify(argument);
}

function encodeNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : encodeFloat(value);
}

function encodeFloat(value: number): string {
  if (Number.isNaN(value)) return '{"f":"nan"}';
  if (!Number.isFinite(value)) return value > 0 ? '{"f":"inf"}' : '{"f":"-inf"}';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
