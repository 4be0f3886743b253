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
 * Operators are called as in `ft.mode()`, which is faster and knows none of this; custom operators, fakes and profiles
 * are those of the whole session.
 */
import type { CallArea } from "./call_area.js";
import {
  Caller,
  shapeEnvJson,
  type ArgumentOf,
  type CallReply,
  type EmptyOptions,
  type FakeFunctionOf,
  type FakeRegistration,
  type FakeText,
  type ResultOf,
  type ShapeEnvOptions,
  type Size,
} from "./caller.js";
import { toJson } from "./check.js";
import type { Float } from "./encode.js";
import type { Engine } from "./engine.js";
import { TensorFields } from "./tensor.js";
import type { Dim, OpProfiles, TensorValue } from "./types.js";

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

export type SessionArgument = ArgumentOf<SessionTensor>;

export type SessionResult = ResultOf<SessionTensor>;

const scopes = {
  unsetFakeTemporarily: "unset_fake_temporarily",
  inferenceMode: "inference_mode",
  noGrad: "no_grad",
  suppressGuards: "suppress_guards",
  ignoreFreshUnbackedSymbols: "ignore_fresh_unbacked_symbols",
  autocastCpuBfloat16: "autocast_cpu_bfloat16",
} as const;

export class Session extends Caller<SessionTensor> {
  readonly #tensors = new Map<number, SessionTensor>();
  readonly #modes: SessionMode[] = [];
  /** Numbers of the symbolic numbers that calls gave. */
  readonly #numbers = new WeakMap<object, number>();
  readonly #entered: (SessionMode | Scope)[] = [];
  #changes = 0;

  /** @internal */
  constructor(engine: Engine, area: CallArea, options: SessionOptions) {
    toJson("the options of session()", options); // refuses what is none
    super(engine, area, engine.ask<number>("engine.openSession", 0, { options }));
  }

  /** `FakeTensorMode(...)`. It answers for tensors of its own, and for everything while it is entered. */
  mode(options: SessionModeOptions = {}): SessionMode {
    const { shapeEnv = false } = options;
    const { mode } = this.ask<{ readonly mode: number }>("session.mode", {
      allow_non_fake_inputs: options.allowNonFakeInputs,
      static_shapes: options.staticShapes,
      allow_meta: options.allowMeta,
      export: options.export,
      cache_crosscheck: options.cacheCrosscheck,
      shape_env: shapeEnv instanceof SessionMode ? { of: shapeEnv.number } : shapeEnvJson(shapeEnv),
    });
    return (this.#modes[mode] = new SessionMode(this, mode));
  }

  /** Enters a mode or a context; `exit()` leaves the innermost one. */
  enter(scope: SessionMode | Scope): void {
    this.ask("session.enter", describeScope(scope));
    this.#entered.push(scope);
  }

  /** Raises `RuntimeError` outside of all. */
  exit(): void {
    this.ask("session.exit");
    this.#entered.pop();
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
    return this.make("session.real", { size, ...others, requires_grad: requiresGrad }) as SessionTensor;
  }

  /** `torch.tensor(data)`: of a mode that is entered it is a fake whose numbers are known, outside a real tensor. */
  tensor(data: Nested, options: TensorOptions = {}): SessionTensor {
    const { requiresGrad, ...others } = options;
    return this.make("session.tensor", { data, ...others, requires_grad: requiresGrad }) as SessionTensor;
  }

  /** `torch._guards.detect_fake_mode`: throws an `AssertionError` that names both for tensors of two modes. */
  detectFakeMode(...args: readonly SessionArgument[]): SessionMode | null {
    const text = `{"args":${this.encode(args)}}`;
    return this.modeAt(this.askText("session.detectFakeMode", text) as number | null);
  }

  /** How often the dispatch cache of PyTorch would have hit, missed and been passed by. */
  cacheInfo(): CacheInfo {
    return this.ask<CacheInfo>("session.cacheInfo");
  }

  clearCache(): void {
    this.ask("session.clearCache");
  }

  /** @internal */
  modeAt(number: number | null): SessionMode | null {
    return number === null ? null : (this.#modes[number] ?? null);
  }

  /** @internal The number of a tensor of this session. */
  idOf(tensor: SessionTensor): number {
    return this.tensorAmong(tensor)?.id ?? -1;
  }

  /** @internal The metadata of tensors may have changed. */
  changed(): void {
    this.#changes++;
  }

  /** @internal Whether a mode is the innermost scope. */
  isInnermost(mode: SessionMode): boolean {
    return this.#entered.at(-1) === mode;
  }

  /** @internal The answer of a question that makes tensors, or may change them. */
  make(question: string, args: object): SessionResult {
    return this.receive(this.askText(question, this.encode(args)) as CallReply);
  }

  /** @internal Autograd changes more than what an operator writes to, so each call counts. */
  override get changes(): number {
    return this.#changes;
  }

  /** @internal */
  protected override beforeCall(): void {
    this.#changes++;
  }

  /** @internal */
  override show(): void {
    // Who sees a symbol is noted by a mode that is traced.
  }

  /** @internal */
  protected override receive(reply: CallReply): SessionResult {
    this.#changes++;
    return super.receive(reply);
  }

  /** @internal */
  protected override tensorAmong(argument: object): SessionTensor | undefined {
    if (!(argument instanceof SessionTensor)) return undefined;
    if (!argument.belongsTo(this)) throw new TypeError("a tensor argument belongs to another session");
    return argument;
  }

  /** @internal An operator that returns its argument, or what it returned before, returns the same object. */
  protected override adoptTensor(meta: TensorValue): SessionTensor {
    let tensor = this.#tensors.get(meta.t);
    if (!tensor) {
      tensor = new SessionTensor(this, meta);
      this.#tensors.set(meta.t, tensor);
    }
    tensor.learn(meta);
    return tensor;
  }

  /** @internal Tensors live as long as the session. */
  protected override toldAgain(): void {
    // Nothing is given back.
  }

  /** @internal */
  protected override isDisposed(): boolean {
    return false;
  }

  /** @internal */
  protected override numberOf(object: object): number | undefined {
    return this.#numbers.get(object);
  }

  /** @internal */
  protected override adoptNumber(value: object, number: number): void {
    this.#numbers.set(value, number);
  }
}

function describeScope(scope: SessionMode | Scope): object {
  if (scope instanceof SessionMode) return { mode: scope.number };
  if (typeof scope === "string") return { scope: scopes[scope] };
  return "device" in scope ? scope : { default_dtype: scope.defaultDtype };
}

/** A `FakeTensorMode` of a session. Its calls are the session's inside of it. */
export class SessionMode {
  /** @internal */
  constructor(
    private readonly session: Session,
    /** @internal */ readonly number: number,
  ) {}

  /** As `Mode.empty`. */
  empty(size: readonly Size[], options: EmptyOptions = {}): SessionTensor {
    return this.#within(() => this.session.empty(size, options));
  }

  /** As `Mode.call`. A loop of calls is quicker inside of `session.within(mode, ...)`. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the operator's schema decides, which the caller knows
  call<Type extends SessionResult = SessionTensor>(
    operator: string,
    args: readonly SessionArgument[] = [],
    kwargs: Readonly<Record<string, SessionArgument>> = {},
  ): Type {
    return this.#within(() => this.session.call<Type>(operator, args, kwargs));
  }

  /** As `Mode.define`: operators and fakes are the whole session's. */
  define(schema: string, fake?: FakeFunctionOf<SessionTensor> | FakeText): void {
    this.session.define(schema, fake);
  }
  registerFake(operator: string, fake: FakeFunctionOf<SessionTensor> | FakeText): FakeRegistration {
    return this.session.registerFake(operator, fake);
  }
  withProfiles<T>(profiles: OpProfiles | string, body: (warnings: readonly string[]) => T): T {
    return this.session.withProfiles(profiles, body);
  }

  /** `mode.from_tensor`: the same tensor always becomes the same fake, and views share the storage of their base's fake. */
  fromTensor(tensor: SessionTensor, options: ConversionOptions = {}): SessionTensor {
    const args = { tensor: this.session.idOf(tensor), ...conversion(options) };
    return this.#make("session.fromTensor", args) as SessionTensor;
  }

  /**
   * Fakes for the tensors that PyTorch's own records describe (`MetaTensorDesc` and `MetaStorageDesc` as JSON, which a
   * structured trace has under `describe_tensor` and `describe_storage`), in their order.
   */
  fromDescriptions(records: readonly object[], options: ConversionOptions = {}): readonly SessionTensor[] {
    const args = { records, ...conversion(options) };
    return this.#make("session.fromDescriptions", args) as readonly SessionTensor[];
  }

  /**
   * The tensors of a module as `copy.deepcopy` makes them in `FakeCopyMode`: fakes that alias as the tensors do, and a
   * clone for each parameter. The same tensor twice is one copy.
   */
  fakeCopy(tensors: readonly SessionTensor[]): readonly SessionTensor[] {
    const args = { tensors: tensors.map((tensor) => this.session.idOf(tensor)) };
    return this.#make("session.fakeCopy", args) as readonly SessionTensor[];
  }

  /** A fake whose numbers are known (`FakeTensorConverter.from_real_tensor(..., make_constant=True)`). */
  constant(data: Nested, options: { dtype?: string } = {}): SessionTensor {
    return this.#make("session.constant", { data, ...options }) as SessionTensor;
  }

  get epoch(): number {
    return this.#facts().epoch;
  }
  /** `mode.epoch += 1`: symbols that stand for data are forgotten. */
  nextEpoch(): void {
    this.session.ask("session.nextEpoch", { mode: this.number });
  }

  get allowNonFakeInputs(): boolean {
    return this.#facts().allowNonFakeInputs;
  }
  get allowMeta(): boolean {
    return this.#facts().allowMeta;
  }
  get staticShapes(): boolean {
    return this.#facts().staticShapes;
  }
  get export(): boolean {
    return this.#facts().export;
  }

  /** Guards and deferred runtime asserts so far, as PyTorch prints them. */
  guards(): string[] {
    return this.session.ask<string[]>("session.guards", { mode: this.number });
  }

  /** Symbols, guards and what else the ShapeEnv knows; null where the mode has none. */
  shapeEnv(): ShapeEnvDescription | null {
    return this.session.ask<ShapeEnvDescription | null>("session.shapeEnv", { mode: this.number });
  }

  #facts(): ModeFacts {
    return this.session.ask<ModeFacts>("session.modeFacts", { mode: this.number });
  }

  #make(question: string, args: object): SessionResult {
    return this.session.make(question, { mode: this.number, ...args });
  }

  #within<T>(body: () => T): T {
    return this.session.isInnermost(this) ? body() : this.session.within(this, body);
  }
}

interface ModeFacts {
  readonly epoch: number;
  readonly allowNonFakeInputs: boolean;
  readonly allowMeta: boolean;
  readonly staticShapes: boolean;
  readonly export: boolean;
}

interface TensorFacts {
  readonly isLeaf: boolean;
  readonly isFake: boolean;
  readonly isParameter: boolean;
  readonly mode: number | null;
  readonly gradFn: string | null;
}

function conversion({ staticShapes, rememberedAs, ...others }: ConversionOptions): object {
  return { ...others, static_shapes: staticShapes, remembered_as: rememberedAs };
}

/** A tensor of a {@link Session}, real or fake. An operator that returns its argument returns the same object. */
export class SessionTensor extends TensorFields {
  #meta: TensorValue;
  #seen: number;

  /** @internal */
  constructor(
    private readonly session: Session,
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
    if (this.#seen !== this.session.changes) this.learn(this.session.describe(this.id));
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
    return this.#facts().isLeaf;
  }
  get isFake(): boolean {
    return this.#facts().isFake;
  }
  get isParameter(): boolean {
    return this.#facts().isParameter;
  }
  /** The mode of a fake; null for a real tensor. */
  get mode(): SessionMode | null {
    return this.session.modeAt(this.#facts().mode);
  }
  get grad(): SessionTensor | null {
    return this.#make("session.grad") as SessionTensor | null;
  }
  /** The class of the autograd node, `"AddBackward0"`; null for a leaf. */
  get gradFn(): string | null {
    return this.#facts().gradFn;
  }

  /** The number in it, if it is known; else a symbol, or an error where there is no ShapeEnv. */
  item(): SessionResult {
    return this.#make("session.item");
  }
  tolist(): SessionResult {
    return this.#make("session.tolist");
  }
  backward(): void {
    this.session.ask("session.backward", { tensor: this.id });
    this.session.changed();
  }
  /** As Python prints it: `FakeTensor(..., size=(s77, 3))`. */
  repr(): string {
    return this.session.ask<string>("session.repr", { tensor: this.id });
  }

  #facts(): TensorFacts {
    return this.session.ask<TensorFacts>("session.facts", { tensor: this.id });
  }

  #make(question: string): SessionResult {
    return this.session.make(question, { tensor: this.id });
  }
}
