/**
 * A session: what a Python process is to its fake tensors. It has modes that are entered and left, real tensors made
 * outside of all modes, constants whose numbers are known, and the dispatch cache's counts.
 *
 * ```ts
 * const session = ft.session();
 * const mode = session.mode({ shapeEnv: true, allowNonFakeInputs: true });
 * const x = mode.fromTensor(session.real([5, 3]), { dynamic: ["DYNAMIC", "STATIC"] });
 * session.within(mode, () => session.call("aten::relu", [x])).size; // ["s77", 3]
 * ```
 * For calls in a loop there is `ft.mode()`, which is many times faster and knows none of this.
 */
import { checkText, toJson } from "./check.js";
import { encode, type Float } from "./encode.js";
import type { Engine } from "./engine.js";
import { FakeTensorError, type ErrorData } from "./errors.js";
import { EngineResource } from "./lifetime.js";
import { shapeEnvJson, type Plain, type ShapeEnvOptions } from "./mode.js";
import { parseDescription, parseReply } from "./reply.js";
import { TensorFields } from "./tensor.js";
import type { Dim, TensorValue, Value } from "./types.js";

export interface SessionOptions {
  /** Which PyTorch answers; default `"cuda"`. */
  target?: string;
}

/** The arguments of `FakeTensorMode(...)`. */
export interface SessionModeOptions {
  /** Whether sizes become symbols, or the options of the ShapeEnv, or the mode whose ShapeEnv this one shares. */
  shapeEnv?: boolean | ShapeEnvOptions | SessionMode;
  /** Whether real tensors among the arguments are converted instead of refused. */
  allowNonFakeInputs?: boolean;
  /** Whether conversion leaves sizes as numbers; default: where there is no ShapeEnv. */
  staticShapes?: boolean;
  /** `torch._functorch.config.fake_tensor_allow_meta`; default true. */
  allowMeta?: boolean;
  /** As torch.export makes it: a tensor of one number does not get a symbol for it. */
  export?: boolean;
  /** Whether each answer of the dispatch cache is held against a fresh one (`fake_tensor_cache_crosscheck_enabled`). */
  cacheCrosscheck?: boolean;
}

/** A context of PyTorch's that a session can be inside of, beside its modes. */
export type Scope =
  | "unsetFakeTemporarily"
  | "inferenceMode"
  | "noGrad"
  | "suppressGuards"
  | "ignoreFreshUnbackedSymbols"
  | "autocastCpuBfloat16"
  | { readonly defaultDtype: string }
  | { readonly device: string };

export interface TensorOptions {
  dtype?: string;
  device?: string;
  requiresGrad?: boolean;
}

export interface RealOptions extends TensorOptions {
  /** Default: contiguous. */
  stride?: readonly number[];
  offset?: number;
  /** Whether it is a `torch.nn.Parameter`. */
  parameter?: boolean;
}

/** The numbers of a tensor, as nested lists. Whole numbers are ints unless they are `float(2)`. */
export type Nested = boolean | number | bigint | Float | readonly Nested[];

export interface ConversionOptions {
  /** The name of the input, which guards and symbols refer to: `"x"` for `L['x']`. */
  source?: string;
  /** Per dimension (`DimDynamic`): what becomes a symbol. */
  dynamic?: readonly ("DYNAMIC" | "DUCK" | "STATIC" | "UNBACKED")[];
  /** Per dimension, the sizes that are allowed. */
  constraints?: readonly (readonly [lower: number, upper: number] | null)[];
  staticShapes?: boolean;
  /**
   * A number other than 0 makes it a `StatefulSymbolicContext`: conversions with the same number give a source the same
   * symbol again. Only with `dynamic`.
   */
  rememberedAs?: number;
}

/** FakeTensorMode.cache_info(). */
export interface CacheInfo {
  readonly hits: number;
  readonly misses: number;
  /** How often the cache was passed by, by reason. */
  readonly bypasses: Readonly<Record<string, number>>;
  readonly size: number;
}

/** What a mode's ShapeEnv knows. */
export interface ShapeEnvDescription {
  readonly symbols: readonly {
    readonly name: string;
    readonly hint: number | null;
    readonly range: readonly [number | string, number | string];
    readonly source?: string;
  }[];
  readonly guards: readonly string[];
  readonly replacements: Readonly<Record<string, Dim>>;
  /** Asserts for run time, by the symbol that they wait for. */
  readonly deferred: Readonly<Record<string, readonly string[]>>;
  readonly frozen: boolean;
}

export type SessionArgument = undefined | Plain | Float | SessionTensor | readonly SessionArgument[];

export type SessionResult = SessionTensor | readonly SessionResult[] | Plain;

type Step = Readonly<Record<string, unknown>>;

type StepReply =
  | { readonly result: Value }
  | { readonly raises: string; readonly message: string }
  | { readonly error: ErrorData };

const scopes = {
  unsetFakeTemporarily: "unset_fake_temporarily",
  inferenceMode: "inference_mode",
  noGrad: "no_grad",
  suppressGuards: "suppress_guards",
  ignoreFreshUnbackedSymbols: "ignore_fresh_unbacked_symbols",
  autocastCpuBfloat16: "autocast_cpu_bfloat16",
} as const;

export class Session extends EngineResource {
  readonly #handle: number;
  readonly #tensors = new Map<number, SessionTensor>();
  readonly #modes = new Map<string, SessionMode>();
  /** Names of symbolic numbers that calls gave. */
  readonly #numbers = new WeakMap<object, string>();
  #names = 0;
  #changes = 0;

  /** @internal */
  constructor(engine: Engine, options: SessionOptions) {
    const given = toJson("the options of session()", options);
    const { session } = engine.json<{ readonly session: number }>((exports) => exports.openSession(given));
    super(engine, (exports) => {
      exports.closeSession(session);
    });
    this.#handle = session;
  }

  /** `FakeTensorMode(...)`. It answers for tensors of its own, and for everything while it is entered. */
  mode(options: SessionModeOptions = {}): SessionMode {
    const { shapeEnv = false } = options;
    const given = {
      allow_non_fake_inputs: options.allowNonFakeInputs,
      static_shapes: options.staticShapes,
      allow_meta: options.allowMeta,
      export: options.export,
      cache_crosscheck: options.cacheCrosscheck,
    };
    const name = this.#newName("m");
    const described = shapeEnv instanceof SessionMode ? { of: shapeEnv.name } : shapeEnvJson(shapeEnv);
    const env = described === true ? {} : described || null;
    this.step({ do: "mode", as: name, options: given, shape_env: env });
    const mode = new SessionMode(this, name);
    this.#modes.set(name, mode);
    return mode;
  }

  /** Enters a mode or a context; `exit()` leaves the innermost one. */
  enter(scope: SessionMode | Scope): void {
    this.step({ do: "enter", ...describeScope(scope) });
  }

  /** Raises `RuntimeError` outside of all. */
  exit(): void {
    this.step({ do: "exit" });
  }

  /** Runs `body`, which must not be asynchronous, inside of a mode or context. */
  within<T>(scope: SessionMode | Scope, body: () => T): T {
    this.enter(scope);
    try {
      return body();
    } finally {
      if (!this.disposed) this.exit();
    }
  }

  /** A real tensor of zeros, made outside of all modes. */
  real(size: readonly number[], options: RealOptions = {}): SessionTensor {
    const { requiresGrad, ...others } = options;
    return this.#make({ do: "real", size, ...others, requires_grad: requiresGrad });
  }

  /** `torch.tensor(data)`: of a mode that is entered it is a fake whose numbers are known, outside a real tensor. */
  tensor(data: Nested, options: TensorOptions = {}): SessionTensor {
    const { requiresGrad, ...others } = options;
    return this.#make({ do: "tensor", data, ...others, requires_grad: requiresGrad });
  }

  /**
   * Calls an operator. What PyTorch raises is thrown as a `FakeTensorError` with the class as its name. TypeScript takes
   * the result for a tensor; where it is none, say what it is: `session.call<number>("aten::item", [x])`.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the operator's schema decides, which the caller knows
  call<Type extends SessionResult = SessionTensor>(
    operator: string,
    args: readonly SessionArgument[] = [],
    kwargs: Readonly<Record<string, SessionArgument>> = {},
  ): Type {
    checkText("the name of an operator", operator);
    return this.ask({ do: "call", op: operator, args, kwargs }) as Type;
  }

  /** Defines a custom operator, for all modes. It has no fake: profiles and fakes are for `ft.mode()`. */
  define(schema: string): void {
    checkText("a schema", schema);
    const open = schema.indexOf("(");
    this.step({ do: "define", name: schema.slice(0, open), schema: schema.slice(open) });
  }

  /** `torch._guards.detect_fake_mode`: throws an `AssertionError` that names both for tensors of two modes. */
  detectFakeMode(...args: readonly SessionArgument[]): SessionMode | null {
    const name = this.step({ do: "detect_fake_mode", args });
    return this.modeNamed(name);
  }

  /** How often the dispatch cache of PyTorch would have hit, missed and been passed by. */
  cacheInfo(): CacheInfo {
    return this.step({ do: "cache_info" }) as unknown as CacheInfo;
  }

  clearCache(): void {
    this.step({ do: "cache_clear" });
  }

  /** @internal How many steps may have changed what tensors are like. */
  get changes(): number {
    return this.#changes;
  }

  /** @internal */
  modeNamed(name: Value): SessionMode | null {
    return typeof name === "string" ? (this.#modes.get(name) ?? null) : null;
  }

  /** @internal One step of a transcript (tests/conformance/SYMBOLIC.md of the project), and what it answers. */
  step(step: Step, parse: (text: string) => unknown = parseReply): Value {
    this.assertAlive();
    const text = encode(step, this.#named);
    const reply = parse(this.engine.raw((exports) => exports.sessionStep(this.#handle, text))) as StepReply;
    if ("error" in reply) throw new FakeTensorError(reply.error);
    if ("raises" in reply) throw new FakeTensorError({ class: reply.raises, message: reply.message });
    return reply.result;
  }

  /** @internal A step whose result is kept under a name. */
  ask(step: Step): SessionResult {
    const name = this.#newName("v");
    const value = this.step({ ...step, as: name });
    this.#changes++;
    return this.#adopt(value, name);
  }

  #make(step: Step): SessionTensor {
    return this.ask(step) as SessionTensor;
  }

  #newName(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  readonly #named = (object: object): string | undefined => {
    const name = object instanceof SessionTensor ? this.#nameOf(object) : this.#numbers.get(object);
    return name === undefined ? undefined : JSON.stringify({ ref: name });
  };

  #nameOf(tensor: SessionTensor): string {
    if (!tensor.belongsTo(this)) throw new TypeError("a tensor argument belongs to another session");
    return tensor.name;
  }

  #adopt(value: Value, name: string): SessionResult {
    if (Array.isArray(value))
      return (value as readonly Value[]).map((item, i) => this.#adopt(item, `${name}[${i}]`));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value as SessionResult;
    if ("sym" in value) this.#numbers.set(value, name);
    if (!("t" in value)) return value;
    let tensor = this.#tensors.get(value.t);
    if (!tensor) {
      tensor = new SessionTensor(this, name, value);
      this.#tensors.set(value.t, tensor);
    }
    tensor.learn(value);
    return tensor;
  }
}

function describeScope(scope: SessionMode | Scope): Step {
  if (scope instanceof SessionMode) return { mode: scope.name };
  if (typeof scope === "string") return { context: scopes[scope] };
  if ("device" in scope) return { context: `device_${scope.device}` };
  return { context: `default_dtype_${scope.defaultDtype}` };
}

/** A `FakeTensorMode` of a session. */
export class SessionMode {
  /** @internal */
  constructor(
    private readonly session: Session,
    readonly name: string,
  ) {}

  /** `mode.from_tensor`: the same tensor always becomes the same fake, and views share the storage of their base's fake. */
  fromTensor(tensor: SessionTensor, options: ConversionOptions = {}): SessionTensor {
    const step = { do: "from_tensor", mode: this.name, arg: tensor.name, ...conversion(options) };
    return this.session.ask(step) as SessionTensor;
  }

  /**
   * Fakes for the tensors that PyTorch's own records describe (`MetaTensorDesc` and `MetaStorageDesc` as JSON, which a
   * structured trace has under `describe_tensor` and `describe_storage`), in their order.
   */
  fromDescriptions(records: readonly object[], options: ConversionOptions = {}): readonly SessionTensor[] {
    const step = { do: "from_descriptions", mode: this.name, records, ...conversion(options) };
    return this.session.ask(step) as readonly SessionTensor[];
  }

  /**
   * The tensors of a module as `copy.deepcopy` makes them in `FakeCopyMode`: fakes that alias as the tensors do, and a
   * clone for each parameter. The same tensor twice is one copy.
   */
  fakeCopy(tensors: readonly SessionTensor[]): readonly SessionTensor[] {
    const args = tensors.map((tensor) => tensor.name);
    return this.session.ask({ do: "fake_copy", mode: this.name, args }) as readonly SessionTensor[];
  }

  /** A fake whose numbers are known (`FakeTensorConverter.from_real_tensor(..., make_constant=True)`). */
  constant(data: Nested, options: { dtype?: string } = {}): SessionTensor {
    return this.session.ask({
      do: "wrap_constant",
      mode: this.name,
      data,
      ...options,
    }) as SessionTensor;
  }

  get epoch(): number {
    return this.#get("epoch") as number;
  }
  /** `mode.epoch += 1`: symbols that stand for data are forgotten. */
  nextEpoch(): void {
    this.session.step({ do: "epoch", mode: this.name });
  }

  get allowNonFakeInputs(): boolean {
    return this.#get("allow_non_fake_inputs") as boolean;
  }
  get allowMeta(): boolean {
    return this.#get("allow_meta") as boolean;
  }
  get staticShapes(): boolean {
    return this.#get("static_shapes") as boolean;
  }
  get export(): boolean {
    return this.#get("export") as boolean;
  }

  /** Symbols, guards and what else the ShapeEnv knows; null where the mode has none. */
  shapeEnv(): ShapeEnvDescription | null {
    const step = { do: "describe", mode: this.name };
    return this.session.step(step, parseDescription) as unknown as ShapeEnvDescription | null;
  }

  #get(name: string): Value {
    return this.session.step({ do: "get", arg: this.name, name });
  }
}

function conversion({ staticShapes, rememberedAs, ...others }: ConversionOptions): Step {
  return { ...others, static_shapes: staticShapes, remembered_as: rememberedAs };
}

/** A tensor of a {@link Session}, real or fake. An operator that returns its argument returns the same object. */
export class SessionTensor extends TensorFields {
  #meta: TensorValue;
  #seen: number;

  /** @internal */
  constructor(
    private readonly session: Session,
    /** @internal */ readonly name: string,
    meta: TensorValue,
  ) {
    super();
    this.#meta = meta;
    this.#seen = session.changes;
  }

  /** @internal */
  learn(meta: TensorValue): void {
    this.#meta = meta;
    this.#seen = this.session.changes;
  }

  /** @internal */
  protected override now(): TensorValue {
    if (this.#seen !== this.session.changes)
      this.learn(this.session.step({ do: "value", arg: this.name }) as TensorValue);
    return this.#meta;
  }

  /** @internal */
  belongsTo(session: Session): boolean {
    return this.session === session;
  }

  override get id(): number {
    return this.#meta.t;
  }
  get requiresGrad(): boolean {
    return this.now().requires_grad ?? false;
  }
  get isLeaf(): boolean {
    return this.#get("is_leaf") as boolean;
  }
  get isFake(): boolean {
    return this.session.step({ do: "is_fake", arg: this.name }) as boolean;
  }
  get isParameter(): boolean {
    return this.session.step({ do: "is_parameter", arg: this.name }) as boolean;
  }
  /** The mode of a fake; null for a real tensor. */
  get mode(): SessionMode | null {
    return this.isFake ? this.session.modeNamed(this.#get("fake_mode")) : null;
  }
  get grad(): SessionTensor | null {
    return this.session.ask({ do: "get", arg: this.name, name: "grad" }) as SessionTensor | null;
  }
  /** The class of the autograd node, `"AddBackward0"`; null for a leaf. */
  get gradFn(): string | null {
    return this.#get("grad_fn") as string | null;
  }

  /** The number in it, if it is known; else a symbol, or an error where there is no ShapeEnv. */
  item(): SessionResult {
    return this.session.ask({ do: "method", arg: this.name, name: "item" });
  }
  tolist(): SessionResult {
    return this.session.ask({ do: "method", arg: this.name, name: "tolist" });
  }
  backward(): void {
    this.session.ask({ do: "backward", arg: this.name });
  }
  /** As Python prints it: `FakeTensor(..., size=(s77, 3))`. */
  repr(): string {
    return this.session.step({ do: "repr", arg: this.name }) as string;
  }

  #get(name: string): Value {
    return this.session.step({ do: "get", arg: this.name, name });
  }
}
