/**
 * A fake tensor mode: operators called one at a time on tensors without data.
 *
 * ```ts
 * const mode = ft.mode({ target: "cuda" });
 * const y = mode.call("aten::mm", [mode.empty([2, 3]), mode.empty([3, 4])]);
 * y.size; // [2, 4]
 * ```
 */
import type { CallArea } from "./call_area.js";
import {
  Caller,
  shapeEnvJson,
  type ArgumentOf,
  type FakeFunctionOf,
  type ResultOf,
  type ShapeEnvOptions,
} from "./caller.js";
import { checkText, toJson } from "./check.js";
import type { Engine } from "./engine.js";
import { disposedByUsing } from "./lifetime.js";
import { Profiler, type ProfileOptions } from "./profiler.js";
import { TensorFields } from "./tensor.js";
import type { TensorValue, Value } from "./types.js";

export interface ModeOptions {
  /** Which PyTorch answers; default `"cuda"`. */
  target?: string;
  /**
   * Whether sizes may be symbols (`FakeTensorMode(shape_env=ShapeEnv())`), or the options of the ShapeEnv: operators
   * whose output size is data make one.
   */
  shapeEnv?: boolean | ShapeEnvOptions;
}

/** An argument of a mode's call. */
export type Argument = ArgumentOf<FakeTensorHandle>;

/** What a mode's call returns: a tensor, or plain data with tensors in it. */
export type Result = ResultOf<FakeTensorHandle>;

/** The fake of an operator: from its arguments, by their names in the schema, to its result. */
export type FakeFunction = FakeFunctionOf<FakeTensorHandle>;

/**
 * Tensors that are forgotten together: to watch each one for the garbage collector would cost more than its call. Each holds
 * its group, and the numbers are told of when the last has gone.
 */
class Group {
  readonly ids: number[] = [];
  get isFull(): boolean {
    return this.ids.length >= 64;
  }
}

/** Stands for a number that the engine has been told already. */
const disposedOf = -1;

/**
 * A tensor of a {@link Mode}. An operator that returns its argument returns the same object; tensors are the same where
 * their `id` is. The fields show the metadata as it is now.
 */
export class FakeTensorHandle extends TensorFields {
  /** Where the platform has `Symbol.dispose`: {@link dispose}, called at the end of a block by `using`. */
  declare readonly [Symbol.dispose]: () => void;
  readonly #mode: Mode;
  #meta: TensorValue;
  /** How many changes to tensors `#meta` has seen. */
  #seen: number;
  readonly #group: Group;
  readonly #place: number;
  #disposed = false;

  /** @internal */
  constructor(mode: Mode, meta: TensorValue, seen: number, group: Group) {
    super();
    this.#mode = mode;
    this.#meta = meta;
    this.#seen = seen;
    this.#group = group;
    this.#place = group.ids.push(meta.t) - 1;
  }

  /** @internal */
  protected override now(): TensorValue {
    if (this.#seen !== this.#mode.changes && !this.#disposed) {
      this.#meta = this.#mode.describe(this.#meta.t);
      this.#seen = this.#mode.changes;
    }
    this.#mode.show(this.#meta);
    return this.#meta;
  }

  /** @internal */
  belongsTo(mode: Mode): boolean {
    return this.#mode === mode;
  }

  get disposed(): boolean {
    return this.#disposed;
  }
  /** Ends the use of the tensor as an argument, and gives its memory back to the mode. What it was like stays. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#group.ids[this.#place] = disposedOf;
    this.#mode.drop(this.#meta.t);
  }

  override get id(): number {
    return this.#meta.t;
  }
}

disposedByUsing(FakeTensorHandle.prototype);

/** Tensors that are not used any more are told of in groups of so many. */
const droppedAtOnce = 512;

function openMode(engine: Engine, options: ModeOptions): number {
  const { shapeEnv, ...others } = options;
  const given = { ...others, ...(shapeEnv !== undefined && { shapeEnv: shapeEnvJson(shapeEnv) }) };
  toJson("the options of mode()", given); // refuses what is none
  return engine.ask<number>("engine.openMode", 0, { options: given });
}

function hasSymbol(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return (value as readonly Value[]).some(hasSymbol);
  if ("sym" in value) return true;
  if (!("t" in value)) return false;
  const { size, stride = [], offset, nbytes } = value;
  return [...size, ...stride, offset, nbytes].some((dim) => typeof dim === "string");
}

export class Mode extends Caller<FakeTensorHandle> {
  /** Numbers of tensors that were disposed of or forgotten, once for each time that the engine told of them. */
  readonly #dropped: number[] = [];
  readonly #forgotten: FinalizationRegistry<number[]>;
  /** The group that new tensors join. */
  #group: Group | undefined;

  /** Of a compiled function, whether it has seen a symbol. */
  readonly #isTraced: boolean;
  #showedSymbols = false;

  /** @internal `options`, or the number of a mode that is there. */
  constructor(engine: Engine, area: CallArea, options: ModeOptions | number) {
    super(engine, area, typeof options === "number" ? options : openMode(engine, options));
    this.#isTraced = typeof options === "number";
    const dropped = this.#dropped;
    this.#forgotten = new FinalizationRegistry((ids) => {
      for (const id of ids) if (id !== disposedOf) dropped.push(id);
    });
  }

  /** @internal The mode in which a compiled function is traced. */
  static tracing(engine: Engine, area: CallArea, mode: number): Mode {
    return new Mode(engine, area, mode);
  }

  /**
   * Decides a condition over sizes as Python's `if` does: where they have symbols, a guard is recorded.
   *
   * ```ts
   * if (mode.decide(`${x.size[0]} > 4`)) { … }
   * ```
   */
  decide(condition: string): boolean {
    checkText("a condition", condition);
    return this.ask<boolean>("mode.decide", { condition });
  }

  /** Guards and deferred runtime asserts so far, as PyTorch prints them. */
  guards(): string[] {
    return this.ask<string[]>("mode.guards");
  }

  /**
   * Profiles the calls that `body` makes, as `torch.profiler.profile` does around a block: operators, those that they call,
   * and spans of `prof.recordFunction()`. Gives `prof`, which has them when `body` has returned. Not asynchronous.
   *
   * ```ts
   * const prof = mode.profile({ recordShapes: true }, () => mode.call("aten::relu", [x]));
   * prof.keyAverages().table({ sortBy: "self_cpu_time_total", rowLimit: 10 });
   * ```
   */
  profile(options: ProfileOptions, body: (prof: Profiler) => unknown): Profiler {
    this.assertAlive();
    return Profiler.run(this.engine, this.handle, options, body);
  }

  /** @internal Calls a compiled function. */
  callCompiled(compiled: number, args: Readonly<Record<string, Argument>>, marks: object): Result {
    const names = Object.keys(args);
    return this.askInCall("compiled.call", {
      ...{ compiled, mode: this.handle, names, args: Object.values(args), marks },
    });
  }

  /** @internal Notes whether what is shown has a symbol. */
  override show(value: Value): void {
    if (this.#isTraced) this.#showedSymbols ||= hasSymbol(value);
  }
  /** @internal */
  get showedSymbols(): boolean {
    return this.#showedSymbols;
  }

  /** @internal */
  protected override tensorAmong(argument: object): FakeTensorHandle | undefined {
    if (!(argument instanceof FakeTensorHandle)) return undefined;
    if (argument.disposed) throw new TypeError("a tensor argument has been disposed");
    if (!argument.belongsTo(this)) throw new TypeError("a tensor argument belongs to another mode");
    return argument;
  }

  /** @internal */
  protected override adoptTensor(meta: TensorValue): FakeTensorHandle {
    let group = this.#group;
    if (!group || group.isFull) {
      this.#group = group = new Group();
      this.#forgotten.register(group, group.ids);
    }
    return new FakeTensorHandle(this, meta, this.changes, group);
  }

  /** @internal */
  protected override isDisposed(tensor: FakeTensorHandle): boolean {
    return tensor.disposed;
  }

  /** @internal */
  protected override toldAgain(id: number): void {
    this.#dropped.push(id);
  }

  /** @internal Symbolic numbers are told by their texts: there is one ShapeEnv. */
  protected override numberOf(): undefined {
    return undefined;
  }

  /** @internal */
  protected override adoptNumber(): void {
    // The text says it all.
  }

  /** @internal A tensor is not used any more. */
  drop(id: number): void {
    if (!this.disposed) this.#dropped.push(id);
  }

  /** @internal Tells the engine of tensors that are not used any more. */
  protected override beforeCall(): void {
    if (this.#dropped.length < droppedAtOnce) return;
    while (this.#dropped.length > 0) {
      const ids = this.#dropped.splice(-droppedAtOnce);
      this.area.numbers(ids);
      this.releaseInArea(ids.length);
    }
  }
}
