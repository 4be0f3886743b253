/**
 * What calls operators one at a time: a mode (`ft.mode()`) or a session (`ft.session()`). Arguments and answers cross as
 * numbers where they fit (call_area.ts), as JSON else; custom operators, their fakes and profiles are the same for both.
 */
import type { AnswerReader, CallArea } from "./call_area.js";
import { checkInteger, checkText, toJson, wrongKind } from "./check.js";
import { Float, encode, isInt } from "./encode.js";
import type { Engine, EngineExports } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import { parseValue } from "./reply.js";
import type { TensorFields } from "./tensor.js";
import type { Dim, OpProfiles, Plain, SymbolicNumber, TensorValue, Value } from "./types.js";

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

/**
 * An argument: tensors of the same mode or session, numbers (whole ones are ints), and the tagged objects of
 * {@link Value}. Whatever a call returns may be an argument of the next.
 */
export type ArgumentOf<Tensor> = undefined | Plain | Float | Tensor | readonly ArgumentOf<Tensor>[];

/** What a call returns: a tensor, or plain data with tensors in it. */
export type ResultOf<Tensor> = Tensor | readonly ResultOf<Tensor>[] | Plain;

/** What the fake of a custom operator may ask for. */
export interface FakeContext {
  /** A size that only data tells, in a range (`ctx.new_dynamic_size`). The mode needs a `shapeEnv`. */
  newDynamicSize(range?: { readonly min?: number; readonly max?: number }): SymbolicNumber;
}

/** The fake of an operator: from its arguments, by their names in the schema, to its result. */
export type FakeFunctionOf<Tensor> = (
  args: Readonly<Record<string, ResultOf<Tensor>>>,
  context: FakeContext,
) => ArgumentOf<Tensor> | undefined;

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

/** The reply of a call. */
export interface CallReply {
  readonly out: Value;
  /** Whether the call changed what tensors are like. */
  readonly changed: boolean;
  /** Of a session: the number of each symbolic number in `out`, in their order. */
  readonly numbers?: readonly number[];
}

/** How a call by numbers names an operator. */
interface KnownOperator {
  readonly op: number;
  readonly positions: ReadonlyMap<string, number>;
}

/** The engine keeps at most as many for a mode. */
const maxConstants = 4096;

/** Stands for an argument that was not given, before one by keyword. */
const unset = Symbol("unset");

export abstract class Caller<Tensor extends TensorFields> extends EngineResource {
  readonly #operators = new Map<string, KnownOperator>();
  /** Numbers of arguments that are given again and again, by their JSON; null where the engine takes no more. */
  readonly #constants = new Map<string, number | null>();
  readonly #handle: number;
  /** The tensors among the arguments of the call that runs. */
  #arguments: Tensor[] = [];
  /** What fakes have returned in the call that runs. */
  #returned: Tensor[] | undefined;
  #changes = 0;
  /** What a fake threw: the call that ran it throws it again. */
  #thrown: { readonly error: unknown } | undefined;

  /** @internal */
  protected constructor(
    engine: Engine,
    /** @internal */ protected readonly area: CallArea,
    handle: number,
  ) {
    super(engine, (exports) => {
      exports.closeCaller(handle);
    });
    this.#handle = handle;
  }

  /** @internal The tensor that an argument is; undefined for any other argument. Throws for one that cannot be used here. */
  protected abstract tensorAmong(argument: object): Tensor | undefined;
  /** @internal The tensor that a reply of the engine has. */
  protected abstract adoptTensor(meta: TensorValue): Tensor;
  /** @internal */
  protected abstract isDisposed(tensor: Tensor): boolean;
  /** @internal A reply of the engine has a known tensor once more. */
  protected abstract toldAgain(id: number): void;
  /** @internal What names a symbolic number, if its text does not. */
  protected abstract numberOf(object: object): number | undefined;
  /** @internal The symbolic number that the engine named by a number. */
  protected abstract adoptNumber(value: object, number: number): void;
  /** @internal */
  protected abstract beforeCall(): void;
  /** @internal A value is shown that is no tensor, or what a tensor is like. */
  abstract show(value: Value): void;

  /** A new tensor on a storage of its own. */
  empty(size: readonly Size[], options: EmptyOptions = {}): Tensor {
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
  call<Type extends ResultOf<Tensor> = Tensor>(
    operator: string,
    args: readonly ArgumentOf<Tensor>[] = [],
    kwargs: Readonly<Record<string, ArgumentOf<Tensor>>> = {},
  ): Type {
    this.assertAlive();
    checkText("the name of an operator", operator);
    if (!Array.isArray(args)) throw wrongKind("the second argument of call()", "a list of arguments", args);
    this.beforeCall();
    return this.#rethrowing(() => this.#call(operator, args, kwargs)) as Type;
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
  define(schema: string, fake?: FakeFunctionOf<Tensor> | FakeText): void {
    this.assertAlive();
    checkText("a schema", schema);
    this.ask("caller.define", { schema });
    this.#operators.clear();
    if (fake) this.registerFake(schema.slice(0, schema.indexOf("(")), fake);
  }

  /** Registers a fake above the one that the operator has; a built-in operator's rule is overridden. */
  registerFake(operator: string, fake: FakeFunctionOf<Tensor> | FakeText): FakeRegistration {
    this.assertAlive();
    checkText("the name of an operator", operator);
    const run =
      typeof fake === "function"
        ? (args: string, numbers: string) => this.#runFake(fake, args, numbers)
        : toJson("a fake", fake);
    const registered = this.engine.json<{ readonly fake: number }>((exports) =>
      exports.pushFake(this.#handle, operator, run),
    );
    this.#operators.clear();
    return {
      dispose: () => {
        this.#operators.clear();
        if (!this.disposed) this.#askFinally("caller.popFake", registered);
      },
    };
  }

  /**
   * Runs `body` with fakes made from profiles, or from their YAML, in place of those that the operators have
   * (`unsafe_generate_fake_kernels`). `body` must not be asynchronous.
   */
  withProfiles<T>(profiles: OpProfiles | string, body: (warnings: readonly string[]) => T): T {
    this.assertAlive();
    toJson("profiles", profiles); // refuses what is none
    const { scope, warnings } = this.ask<{ readonly scope: number; readonly warnings: readonly string[] }>(
      "caller.pushProfiles",
      { profiles },
    );
    this.#operators.clear();
    try {
      return body(warnings);
    } finally {
      this.#operators.clear();
      if (!this.disposed) this.#askFinally("caller.popProfiles", { scope });
    }
  }

  /** @internal Its number. */
  protected get handle(): number {
    return this.#handle;
  }

  /** @internal A question about this mode or session. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- an answer's type is agreed with wasm/queries.cpp
  ask<T>(question: string, args: object = {}): T {
    this.assertAlive();
    return this.engine.ask<T>(question, this.#handle, args);
  }

  /** @internal The same with arguments that are JSON already. */
  protected askText(question: string, args: string): unknown {
    this.assertAlive();
    return this.engine.json<unknown>((exports) => exports.ask(question, this.#handle, args));
  }

  /** For giving back: an engine that has failed holds nothing. */
  #askFinally(question: string, args: object): void {
    const text = toJson(question, args);
    this.engine.release((exports) => {
      exports.ask(question, this.#handle, text);
    });
  }

  /** @internal Tells the engine of numbers in the call area: tensors that are not used any more. */
  protected releaseInArea(count: number): void {
    this.engine.raw((exports) => {
      exports.release(this.#handle, count);
    });
  }

  /** @internal Asks a question whose arguments have tensors, and whose answer is the reply of a call. */
  protected askInCall(question: string, args: object): ResultOf<Tensor> {
    this.assertAlive();
    this.beforeCall();
    return this.#rethrowing(() => {
      this.#arguments = [];
      const text = this.encode(args);
      return this.#answer((exports) => exports.ask(question, this.#handle, text));
    });
  }

  /** What a fake threw is thrown by the call that ran it. */
  #rethrowing<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      const thrown = this.#thrown;
      this.#thrown = undefined;
      throw thrown ? thrown.error : error;
    }
  }

  #call(
    operator: string,
    args: readonly ArgumentOf<Tensor>[],
    kwargs: Readonly<Record<string, ArgumentOf<Tensor>>>,
  ): ResultOf<Tensor> {
    const known = this.#operator(operator);
    this.#arguments = [];
    const inOrder = inSchemaOrder(known, args, kwargs);
    if (inOrder && this.#pack(inOrder))
      return this.#answer((exports) => exports.callPacked(this.#handle, known.op));
    const named = Object.entries(kwargs).map(
      ([name, value]) => `${JSON.stringify(name)}:${this.encode(value)}`,
    );
    const request = `{"op":${JSON.stringify(operator)},"args":${this.encode(args)},"kwargs":{${named.join(",")}}}`;
    return this.#answer((exports) => exports.ask("caller.call", this.#handle, request));
  }

  /** The JSON of what a fake returns; null where it throws. */
  #runFake(fake: FakeFunctionOf<Tensor>, args: string, numbers: string): string | null {
    try {
      return this.runBody((given) => fake(given, this.#fakeContext), args, numbers);
    } catch (error) {
      this.#thrown = { error };
      return null;
    }
  }

  /** @internal The JSON of what a function gives that the engine calls in the middle of a call. */
  runBody(
    body: (args: Readonly<Record<string, ResultOf<Tensor>>>) => ArgumentOf<Tensor> | undefined,
    args: string,
    numbers = "null",
  ): string {
    const given = this.#arguments;
    try {
      const result = body(this.#fakeArguments(args, numbers));
      this.#arguments = [];
      const text = this.encode(result);
      this.#returned = [...(this.#returned ?? []), ...this.#arguments];
      return text;
    } finally {
      this.#arguments = given;
    }
  }

  #fakeArguments(text: string, numbers: string): Record<string, ResultOf<Tensor>> {
    const given = parseValue(text) as Record<string, Value>;
    const told = (JSON.parse(numbers) as readonly number[] | null)?.values();
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, this.#adopt(value, told)]));
  }

  readonly #fakeContext: FakeContext = {
    newDynamicSize: (range = {}) => {
      for (const end of ["min", "max"] as const) {
        if (range[end] !== undefined) checkInteger(`${end} of newDynamicSize()`, range[end]);
      }
      return this.receive(this.ask<CallReply>("caller.newSize", range)) as SymbolicNumber;
    },
  };

  /** @internal How many calls have changed what tensors are like. */
  get changes(): number {
    return this.#changes;
  }

  /** @internal A tensor as it is now. */
  describe(id: number): TensorValue {
    return this.ask<TensorValue>("caller.tensor", { tensor: id });
  }

  readonly #reader: AnswerReader<Tensor> = {
    argument: (id) => {
      const found = this.#arguments.find((argument) => argument.id === id);
      if (!found) throw new Error(`the engine took tensor ${id} for an argument`);
      return found;
    },
    tensor: (meta) => this.#tensor(meta),
  };

  /** A result that a fake returned is the very object that it returned. */
  #tensor(meta: TensorValue): Tensor {
    const returned = this.#returned?.find((tensor) => tensor.id === meta.t && !this.isDisposed(tensor));
    if (!returned) return this.adoptTensor(meta);
    this.toldAgain(meta.t);
    return returned;
  }

  #operator(name: string): KnownOperator {
    let known = this.#operators.get(name);
    if (!known) {
      const found = this.ask<{ readonly op: number; readonly arguments: readonly string[] }>(
        "caller.operator",
        { name },
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
  #pack(args: readonly (ArgumentOf<Tensor> | typeof unset)[]): boolean {
    this.area.start(args.length);
    return args.every((argument) => this.#packOne(argument)) && this.area.fits;
  }

  #packOne(argument: ArgumentOf<Tensor> | typeof unset): boolean {
    const { area } = this;
    if (typeof argument === "number") {
      if (isInt(argument)) area.int(argument);
      else area.float(argument);
    } else if (argument === null || argument === undefined) {
      area.none();
    } else if (typeof argument === "boolean") {
      area.boolean(argument);
    } else if (argument === unset) {
      area.unset();
    } else if (typeof argument === "bigint") {
      area.int(Number(argument));
      return Number.isSafeInteger(Number(argument));
    } else if (typeof argument === "object") {
      return this.#packObject(argument);
    } else {
      return this.#packConstant(toJson("an argument", argument));
    }
    return true;
  }

  #packObject(argument: object): boolean {
    const { area } = this;
    const tensor = this.tensorAmong(argument);
    if (tensor) {
      this.#arguments.push(tensor);
      area.tensor(tensor.id);
    } else if (Array.isArray(argument)) {
      const list = argument as readonly ArgumentOf<Tensor>[];
      area.list(list.length);
      return list.every((item) => this.#packOne(item));
    } else if (argument instanceof Float) {
      area.float(argument.value);
    } else if (this.numberOf(argument) !== undefined) {
      return false;
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
      const added = this.engine.json<number | null>((exports) =>
        exports.ask("caller.constant", this.#handle, json),
      );
      this.#constants.set(json, added);
    }
    return false;
  }

  /** Makes a call, in which fakes may make calls of their own. Its answer is a reply, or "" where it lies in the call area. */
  #answer(call: (exports: EngineExports) => string): ResultOf<Tensor> {
    const given = this.#arguments;
    const outer = this.#returned;
    this.#returned = undefined;
    try {
      const text = this.engine.raw(call);
      this.#arguments = given;
      if (text !== "") return this.receive(this.engine.json<CallReply>(() => text));
      const result = this.area.answer(this.#reader);
      if (this.area.changed) this.#changes++;
      return result;
    } finally {
      this.#returned = outer;
    }
  }

  /** @internal An argument as JSON. */
  protected encode(argument: unknown): string {
    return encode(argument, this.#encodeObject);
  }

  readonly #encodeObject = (object: object): string | undefined => {
    const tensor = this.tensorAmong(object);
    if (tensor) {
      this.#arguments.push(tensor);
      return `{"t":${tensor.id}}`;
    }
    const number = this.numberOf(object);
    return number === undefined ? undefined : `{"number":${number}}`;
  };

  /** @internal */
  protected receive(reply: CallReply): ResultOf<Tensor> {
    if (reply.changed) this.#changes++;
    return this.#adopt(reply.out, reply.numbers?.values());
  }

  #adopt(value: Value, numbers: Iterator<number> | undefined): ResultOf<Tensor> {
    if (Array.isArray(value)) return (value as readonly Value[]).map((item) => this.#adopt(item, numbers));
    if (!isTensor(value)) {
      const isNumber = numbers && typeof value === "object" && value !== null && "sym" in value;
      if (isNumber) this.adoptNumber(value, numbers.next().value as number);
      this.show(value);
      return value;
    }
    const argument = this.#arguments.find(({ id }) => id === value.t);
    if (argument) this.toldAgain(value.t);
    return argument ?? this.#tensor(value);
  }
}

/** Positional and keyword arguments as one row; undefined for a keyword that the operator does not have. */
function inSchemaOrder<Tensor>(
  operator: KnownOperator,
  args: readonly ArgumentOf<Tensor>[],
  kwargs: Readonly<Record<string, ArgumentOf<Tensor>>>,
): readonly (ArgumentOf<Tensor> | typeof unset)[] | undefined {
  let row: (ArgumentOf<Tensor> | typeof unset)[] | undefined;
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
function sizeArgument(size: Size): Plain {
  if (typeof size !== "string") return size;
  return /^-?\d+$/.test(size) ? BigInt(size) : { sym: size };
}

function isTensor(value: Value): value is TensorValue {
  return typeof value === "object" && value !== null && "t" in value;
}
