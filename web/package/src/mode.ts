/**
 * A fake tensor mode: operators called one at a time on tensors without data.
 *
 * ```ts
 * const mode = ft.mode({ target: "cuda" });
 * const y = mode.call("aten::mm", [mode.empty([2, 3]), mode.empty([3, 4])]);
 * y.size; // [2, 4]
 * ```
 */
import type { AnswerReader, CallArea } from "./call_area.js";
import { checkInteger, checkText, toJson, wrongKind } from "./check.js";
import { Float, encode, isInt } from "./encode.js";
import type { Engine, EngineExports } from "./engine.js";
import { EngineResource, disposedByUsing } from "./lifetime.js";
import { parseValue } from "./reply.js";
import { TensorFields } from "./tensor.js";
import type { Dim, FloatValue, OpProfiles, TensorValue, Value } from "./types.js";

export interface ModeOptions {
  /** Which PyTorch answers; default `"cuda"`. */
  target?: string;
  /**
   * Whether sizes may be symbols (`FakeTensorMode(shape_env=ShapeEnv())`), or the options of the ShapeEnv: operators
   * whose output size is data make one.
   */
  shapeEnv?: boolean | ShapeEnvOptions;
}

/** `ShapeEnv(**options)`. */
export interface ShapeEnvOptions {
  /** Whether `item` of what is not known makes a symbol; default true. */
  allowScalarOutputs?: boolean;
  /** Whether operators like `nonzero` make one for the size; default true. */
  allowDynamicOutputShapeOps?: boolean;
  assumeStaticByDefault?: boolean;
  /** Whether sizes 0 and 1 stay numbers; default true. */
  specializeZeroOne?: boolean;
  /** Whether equal sizes share a symbol; default true. */
  duckShape?: boolean;
  /** Asserts about inputs are deferred to run time instead of becoming guards. */
  preferDeferredRuntimeAssertsOverGuards?: boolean;
}

/** @internal The options by PyTorch's names. */
export function shapeEnvJson(given: boolean | ShapeEnvOptions): boolean | Record<string, boolean> {
  if (typeof given === "boolean") return given;
  const inPython = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [inPython(name), Boolean(value)]));
}

export interface EmptyOptions {
  dtype?: string;
  device?: string;
  /** Default: contiguous. */
  stride?: readonly Size[];
}

/** A size to be given: a number, or one that a tensor has (text is an expression of the mode's symbols). */
export type Size = Dim | bigint | SymbolicNumber;

/** What is no tensor, in arguments and in results. */
export type Plain =
  | null
  | boolean
  | number
  | bigint
  | string
  | { readonly f: "inf" | "-inf" | "nan" }
  | { readonly c: readonly [FloatValue, FloatValue] }
  | { readonly dtype: string }
  | { readonly device: string }
  | { readonly layout: string }
  | { readonly memory_format: string }
  | { readonly generator: string }
  | SymbolicNumber;

/**
 * An argument: tensors of the same mode, numbers (whole ones are ints), and the tagged objects of {@link Value}. Whatever a
 * call returns may be an argument of the next.
 */
export type Argument = undefined | Plain | Float | FakeTensorHandle | readonly Argument[];

/** A number that is an expression of symbols, in PyTorch's printing. */
export interface SymbolicNumber {
  readonly sym: string;
  readonly kind?: "int" | "float" | "bool";
}

/** What the fake of a custom operator may ask for. */
export interface FakeContext {
  /** A size that only data tells, in a range (`ctx.new_dynamic_size`). The mode needs a `shapeEnv`. */
  newDynamicSize(range?: { readonly min?: number; readonly max?: number }): SymbolicNumber;
}

/** The fake of an operator: from its arguments, by their names in the schema, to its result. */
export type FakeFunction = (
  args: Readonly<Record<string, Result>>,
  context: FakeContext,
) => Argument | undefined;

/** A tensor that a fake gives: sizes and strides are numbers or expressions over `x<argument>_<dimension>`. */
export interface ShapeRule {
  readonly size: readonly (number | string)[];
  /** Default: contiguous. */
  readonly stride?: readonly (number | string)[];
  /** Default: as the first tensor among the arguments. */
  readonly dtype?: string;
  readonly device?: string;
}

/** A fake without code: what its results are like, or a body of other operators as `torch.fx` prints it. */
export type FakeText = { readonly shapes: readonly ShapeRule[] } | { readonly body: string };

/** A fake that answers until it is disposed of; then the one before it does again. */
export interface FakeRegistration {
  dispose(): void;
}

/** What a call returns: a tensor, or plain data with tensors in it. */
export type Result = FakeTensorHandle | readonly Result[] | Plain;

interface CallReply {
  readonly out: Value;
  /** Whether the call changed what tensors are like. */
  readonly changed: boolean;
}

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

/** In the place of a number that was told of already. */
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

/** An operator as calls by numbers name it. */
interface KnownOperator {
  readonly op: number;
  readonly positions: ReadonlyMap<string, number>;
}

/** As many as the engine keeps for a mode. */
const maxConstants = 4096;

/** Tensors that are not used any more are told of in groups of so many. */
const droppedAtOnce = 512;

/** Stands before a keyword argument for what was not given. */
const unset = Symbol("unset");

export class Mode extends EngineResource {
  readonly #operators = new Map<string, KnownOperator>();
  /** Numbers of arguments that are given again and again, by their JSON; null where the engine takes no more. */
  readonly #constants = new Map<string, number | null>();
  readonly #handle: number;
  /** The tensors among the arguments of the call that runs. */
  #arguments: FakeTensorHandle[] = [];
  /** What fakes have returned in the call that runs. */
  #returned: FakeTensorHandle[] | undefined;
  /** Numbers of tensors that were disposed of or forgotten, once for each time that the engine told of them. */
  readonly #dropped: number[] = [];
  readonly #forgotten: FinalizationRegistry<number[]>;
  /** The group that new tensors join. */
  #group: Group | undefined;
  #changes = 0;
  /** What a fake threw, until the call that ran it passes it on. */
  #thrown: { readonly error: unknown } | undefined;

  /** @internal */
  constructor(
    engine: Engine,
    private readonly area: CallArea,
    options: ModeOptions,
  ) {
    const { shapeEnv, ...others } = options;
    const given = toJson("the options of mode()", {
      ...others,
      ...(shapeEnv !== undefined && { shapeEnv: shapeEnvJson(shapeEnv) }),
    });
    const { mode } = engine.json<{ readonly mode: number }>((exports) => exports.openMode(given));
    super(engine, (exports) => {
      exports.closeMode(mode);
    });
    this.#handle = mode;
    const dropped = this.#dropped;
    this.#forgotten = new FinalizationRegistry((ids) => {
      for (const id of ids) if (id !== disposedOf) dropped.push(id);
    });
  }

  /** A new tensor on a storage of its own. */
  empty(size: readonly Size[], options: EmptyOptions = {}): FakeTensorHandle {
    const { dtype, device, stride } = options;
    const kwargs = { ...(dtype && { dtype: { dtype } }), ...(device && { device: { device } }) };
    return stride
      ? this.call("aten::empty_strided", [size.map(sizeArgument), stride.map(sizeArgument)], kwargs)
      : this.call("aten::empty.memory_format", [size.map(sizeArgument)], kwargs);
  }

  /**
   * Calls an operator, `"aten::add.Tensor"` or, for the overload without a name, `"aten::mm"`. What PyTorch raises is
   * thrown as a `FakeTensorError` with the class as its name.
   *
   * TypeScript takes the result for a tensor, as that of most operators is. Of others say what it is:
   * `mode.call<[Tensor, Tensor]>("aten::max.dim", [x, 0])`, `mode.call<number>("aten::sym_size.int", [x, 0])`.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the operator's schema decides, which the caller knows
  call<Type extends Result = FakeTensorHandle>(
    operator: string,
    args: readonly Argument[] = [],
    kwargs: Readonly<Record<string, Argument>> = {},
  ): Type {
    this.assertAlive();
    checkText("the name of an operator", operator);
    if (!Array.isArray(args)) throw wrongKind("the second argument of call()", "a list of arguments", args);
    if (this.#dropped.length >= droppedAtOnce) this.#release();
    try {
      return this.#call(operator, args, kwargs) as Type;
    } catch (error) {
      const thrown = this.#thrown;
      this.#thrown = undefined;
      throw thrown ? thrown.error : error;
    }
  }

  /**
   * Defines a custom operator and, if given, its fake:
   *
   * ```ts
   * mode.define("mylib::nonzeros(Tensor x) -> Tensor", ({ x }, context) =>
   *   mode.call("aten::new_empty", [x, [context.newDynamicSize(), 2]]),
   * );
   * mode.define("mylib::pad(Tensor x) -> Tensor", { shapes: [{ size: ["x0_0 + 4"] }] });
   * ```
   */
  define(schema: string, fake?: FakeFunction | FakeText): void {
    this.assertAlive();
    checkText("a schema", schema);
    this.engine.json((exports) => exports.modeDefine(this.#handle, schema));
    this.#operators.clear();
    if (fake) this.registerFake(schema.slice(0, schema.indexOf("(")), fake);
  }

  /** Registers a fake above the one that the operator has; a built-in operator's rule is overridden. */
  registerFake(operator: string, fake: FakeFunction | FakeText): FakeRegistration {
    this.assertAlive();
    checkText("the name of an operator", operator);
    const run =
      typeof fake === "function" ? (args: string) => this.#runFake(fake, args) : toJson("a fake", fake);
    const registered = this.engine.json<{ readonly fake: number }>((exports) =>
      exports.modePushFake(this.#handle, operator, run),
    );
    this.#operators.clear();
    return {
      dispose: () => {
        this.#operators.clear();
        if (this.disposed) return;
        this.engine.release((exports) => {
          exports.modePopFake(this.#handle, registered.fake);
        });
      },
    };
  }

  /**
   * Runs `body` with fakes made from profiles, or from their YAML, in place of those that the operators have
   * (`unsafe_generate_fake_kernels`). `body` must not be asynchronous.
   */
  withProfiles<T>(profiles: OpProfiles | string, body: (warnings: readonly string[]) => T): T {
    this.assertAlive();
    const text = toJson("profiles", profiles);
    const { scope, warnings } = this.engine.json<{
      readonly scope: number;
      readonly warnings: readonly string[];
    }>((exports) => exports.modePushProfiles(this.#handle, text));
    this.#operators.clear();
    try {
      return body(warnings);
    } finally {
      this.#operators.clear();
      if (!this.disposed) {
        this.engine.release((exports) => {
          exports.modePopProfiles(this.#handle, scope);
        });
      }
    }
  }

  /** Guards and deferred runtime asserts so far, as PyTorch prints them. */
  guards(): string[] {
    this.assertAlive();
    return this.engine.json<string[]>((exports) => exports.modeGuards(this.#handle));
  }

  #call(operator: string, args: readonly Argument[], kwargs: Readonly<Record<string, Argument>>): Result {
    const known = this.#operator(operator);
    this.#arguments = [];
    const inOrder = inSchemaOrder(known, args, kwargs);
    if (inOrder && this.#pack(inOrder))
      return this.#answer((exports) => exports.modeCallPacked(this.#handle, known.op));
    const named = Object.entries(kwargs).map(
      ([name, value]) => `${JSON.stringify(name)}:${encode(value, this.#encodeTensor)}`,
    );
    const request = `{"op":${JSON.stringify(operator)},"args":${encode(args, this.#encodeTensor)},"kwargs":{${named.join(",")}}}`;
    return this.#answer((exports) => exports.modeCall(this.#handle, request));
  }

  /** The JSON of what a fake returns; null where it throws. */
  #runFake(fake: FakeFunction, args: string): string | null {
    const given = this.#arguments;
    try {
      const result = fake(this.#fakeArguments(args), this.#fakeContext);
      this.#arguments = [];
      const text = encode(result, this.#encodeTensor);
      this.#returned = [...(this.#returned ?? []), ...this.#arguments];
      return text;
    } catch (error) {
      this.#thrown = { error };
      return null;
    } finally {
      this.#arguments = given;
    }
  }

  #fakeArguments(text: string): Record<string, Result> {
    const given = parseValue(text) as Record<string, Value>;
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, this.#adopt(value)]));
  }

  readonly #fakeContext: FakeContext = {
    newDynamicSize: (range = {}) => {
      for (const end of ["min", "max"] as const) {
        if (range[end] !== undefined) checkInteger(`${end} of newDynamicSize()`, range[end]);
      }
      const text = toJson("the range of newDynamicSize()", range);
      return this.engine.json<SymbolicNumber>((exports) => exports.modeNewSize(this.#handle, text));
    },
  };

  /** @internal How many calls have changed what tensors are like. */
  get changes(): number {
    return this.#changes;
  }

  /** @internal A tensor as it is now. */
  describe(id: number): TensorValue {
    this.assertAlive();
    return this.engine.json<TensorValue>((exports) => exports.modeTensor(this.#handle, id));
  }

  readonly #reader: AnswerReader<FakeTensorHandle> = {
    argument: (id) => {
      const found = this.#arguments.find((argument) => argument.id === id);
      if (!found) throw new Error(`the engine took tensor ${id} for an argument`);
      return found;
    },
    tensor: (meta) => this.#tensor(meta),
  };

  /** A tensor that the engine has told of: what a fake returned is the object that it returned. */
  #tensor(meta: TensorValue): FakeTensorHandle {
    const returned = this.#returned?.find((tensor) => tensor.id === meta.t && !tensor.disposed);
    if (returned) {
      this.#dropped.push(meta.t);
      return returned;
    }
    let group = this.#group;
    if (!group || group.isFull) {
      this.#group = group = new Group();
      this.#forgotten.register(group, group.ids);
    }
    return new FakeTensorHandle(this, meta, this.#changes, group);
  }

  /** @internal A tensor is not used any more. */
  drop(id: number): void {
    if (!this.disposed) this.#dropped.push(id);
  }

  /** Tells the engine of tensors that are not used any more. */
  #release(): void {
    while (this.#dropped.length > 0) {
      const ids = this.#dropped.splice(-droppedAtOnce);
      this.area.numbers(ids);
      this.engine.raw((exports) => {
        exports.modeRelease(this.#handle, ids.length);
      });
    }
  }

  #operator(name: string): KnownOperator {
    let known = this.#operators.get(name);
    if (!known) {
      const found = this.engine.json<{ readonly op: number; readonly arguments: readonly string[] }>(
        (exports) => exports.modeOperator(this.#handle, name),
      );
      known = {
        op: found.op,
        positions: new Map(found.arguments.map((argument, i) => [argument, i])),
      };
      this.#operators.set(name, known);
    }
    return known;
  }

  /** Lays the arguments out in the call area; false where they do not fit there. */
  #pack(args: readonly (Argument | typeof unset)[]): boolean {
    this.area.start(args.length);
    return args.every((argument) => this.#packOne(argument)) && this.area.fits;
  }

  #packOne(argument: Argument | typeof unset): boolean {
    const { area } = this;
    if (typeof argument === "number") {
      if (isInt(argument)) area.int(argument);
      else area.float(argument);
    } else if (argument instanceof FakeTensorHandle) {
      area.tensor(this.#idOf(argument));
    } else if (argument === null || argument === undefined) {
      area.none();
    } else if (typeof argument === "boolean") {
      area.boolean(argument);
    } else if (Array.isArray(argument)) {
      const list = argument as readonly Argument[];
      area.list(list.length);
      return list.every((item) => this.#packOne(item));
    } else if (argument === unset) {
      area.unset();
    } else if (argument instanceof Float) {
      area.float(argument.value);
    } else if (typeof argument === "bigint") {
      area.int(Number(argument));
      return Number.isSafeInteger(Number(argument));
    } else {
      return this.#packConstant(toJson("an argument", argument));
    }
    return true;
  }

  /** The first time a value is met it goes as JSON, because telling it to the engine may move the call area. */
  #packConstant(json: string): boolean {
    const number = this.#constants.get(json);
    if (typeof number === "number") {
      this.area.constant(number);
      return true;
    }
    if (number === undefined && this.#constants.size < maxConstants) {
      const added = this.engine.json<number | null>((exports) => exports.modeConstant(this.#handle, json));
      this.#constants.set(json, added);
    }
    return false;
  }

  /** Makes a call, in which fakes may make calls of their own. Its answer is a reply, or "" where it lies in the call area. */
  #answer(call: (exports: EngineExports) => string): Result {
    const given = this.#arguments;
    const outer = this.#returned;
    this.#returned = undefined;
    try {
      const text = this.engine.raw(call);
      this.#arguments = given;
      if (text !== "") return this.#receive(this.engine.json<CallReply>(() => text));
      const result = this.area.answer(this.#reader);
      if (this.area.changed) this.#changes++;
      return result;
    } finally {
      this.#returned = outer;
    }
  }

  #idOf(tensor: FakeTensorHandle): number {
    if (tensor.disposed) throw new TypeError("a tensor argument has been disposed");
    if (!tensor.belongsTo(this)) throw new TypeError("a tensor argument belongs to another mode");
    this.#arguments.push(tensor);
    return tensor.id;
  }

  readonly #encodeTensor = (object: object): string | undefined =>
    object instanceof FakeTensorHandle ? `{"t":${this.#idOf(object)}}` : undefined;

  #receive(reply: CallReply): Result {
    if (reply.changed) this.#changes++;
    return this.#adopt(reply.out);
  }

  #adopt(value: Value): Result {
    if (Array.isArray(value)) return (value as readonly Value[]).map((item) => this.#adopt(item));
    if (!isTensor(value)) return value;
    const argument = this.#arguments.find(({ id }) => id === value.t);
    if (argument) this.#dropped.push(value.t);
    return argument ?? this.#tensor(value);
  }
}

/** Positional and keyword arguments as one row; undefined for a keyword that the operator does not have. */
function inSchemaOrder(
  operator: KnownOperator,
  args: readonly Argument[],
  kwargs: Readonly<Record<string, Argument>>,
): readonly (Argument | typeof unset)[] | undefined {
  let row: (Argument | typeof unset)[] | undefined;
  for (const name in kwargs) {
    const position = operator.positions.get(name);
    if (position === undefined) return undefined;
    row ??= [...args];
    while (row.length < position) row.push(unset);
    row[position] = kwargs[name];
  }
  return row ?? args;
}

/** Text that a tensor's size is: an expression, or digits. */
function sizeArgument(size: Size): Argument {
  if (typeof size !== "string") return size;
  return /^-?\d+$/.test(size) ? BigInt(size) : { sym: size };
}

function isTensor(value: Value): value is TensorValue {
  return typeof value === "object" && value !== null && "t" in value;
}
