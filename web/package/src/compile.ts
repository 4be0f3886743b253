/**
 * `ft.compile()`: what `torch.compile` shows of itself. A function that calls a mode, or a program, is traced under symbolic
 * shapes once; later calls use what was found while its guards hold.
 *
 * ```ts
 * const relu = ft.compile((mode, { x }) => mode.call("aten::relu", [x]));
 * relu.call(mode, { x: mode.empty([2, 3]) });
 * ```
 */
import type { CallArea } from "./call_area.js";
import { checkInteger, checkText, wrongKind } from "./check.js";
import type { Engine } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import { FakeTensorHandle, Mode, type Argument, type Result } from "./mode.js";
import { Program } from "./program.js";

export interface CompileOptions {
  /**
   * Whether all sizes are symbols (true), none (false), or those that have changed since an earlier call (null, the
   * default).
   */
  readonly dynamic?: boolean | null;
  /** Whether a graph break is an error. */
  readonly fullgraph?: boolean;
  /** `"eager"` unless given. In profiles `"aot_eager"` and `"inductor"` have what composite operators call, not them. */
  readonly backend?: string;
  /** How reasons of recompilations call it; the function's or the program's own name unless given. */
  readonly name?: string;
  /** Called with each mode in which the function is traced, to define its custom operators and fakes there. */
  readonly setup?: (mode: Mode) => void;
}

/**
 * Calls operators of `mode` on `args`, by their names, and gives a tensor, or plain data with tensors in it. While it is
 * traced both are others: what it decides on sizes it asks `mode.decide()`. TypeScript is told by the function what `args`
 * are: `(mode, { x }: { x: Tensor }) => …`.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the calls decide, which the function knows
export type CompilableFunction<Args extends Readonly<Record<string, Result>> = any> = (
  mode: Mode,
  args: Args,
) => Argument | undefined;

/** What was compiled for some inputs. */
export interface CacheEntry {
  /** The frame and how often it had been compiled: `"0/1"`, as in `Torch-Compiled Region: 0/1`. */
  readonly id: string;
  /** `"_TorchCompileWrapper(compiler='eager', dynamic=None)"` */
  readonly backend: string;
  /** What was decided of sizes: `"2 <= x.size()[0]"`. Besides, each input's metadata is compared. */
  readonly sizeGuards: readonly string[];
  /**
   * Whether a call that fits calls nothing. False where tracing failed, changed an input, or showed the function a symbol, on
   * which it may have decided: then it runs in each call.
   */
  readonly isReplayed: boolean;
}

interface Marks {
  dynamic: number[];
  static: number[];
}

/** What all compiled functions of an engine share: frames numbered together, and the log. */
export class Compiler {
  readonly #keys = new WeakMap<object, string>();
  readonly #marks = new WeakMap<FakeTensorHandle, Marks>();
  #lastKey = 0;

  /** @internal */
  constructor(
    /** @internal */ readonly engine: Engine,
    /** @internal */ readonly area: CallArea,
  ) {}

  /**
   * A text for each compilation that was made because no earlier entry fitted, with each one's reason
   * (`TORCH_LOGS="recompiles"`).
   */
  get recompiles(): readonly string[] {
    return this.#state().recompiles;
  }

  /** After so many entries a function is compiled no more (`torch._dynamo.config.recompile_limit`); 8 at first. */
  get recompileLimit(): number {
    return this.#state().recompileLimit;
  }
  set recompileLimit(limit: number) {
    checkInteger("recompileLimit", limit);
    if (limit < 1) throw new TypeError("recompileLimit is to be above 0");
    this.#state({ limit });
  }

  /** Forgets all entries, and numbers frames from 0 (`torch._dynamo.reset`); the log stays. */
  reset(): void {
    this.#state({ reset: true });
  }

  /** Dimensions that are symbols from the first compilation on (`torch._dynamo.mark_dynamic`). */
  markDynamic(tensor: FakeTensorHandle, ...dims: readonly number[]): void {
    this.#mark(tensor, "dynamic", dims);
  }
  /** Dimensions that never are (`torch._dynamo.mark_static`). */
  markStatic(tensor: FakeTensorHandle, ...dims: readonly number[]): void {
    this.#mark(tensor, "static", dims);
  }

  /** @internal */
  marksOf(args: Readonly<Record<string, Argument>>): Record<string, Marks> {
    const marks: Record<string, Marks> = {};
    for (const [name, argument] of Object.entries(args)) {
      const own = argument instanceof FakeTensorHandle && this.#marks.get(argument);
      if (own) marks[name] = own;
    }
    return marks;
  }

  /** @internal Of one function there is one cache, whoever compiles it. */
  keyOf(what: object): string {
    let key = this.#keys.get(what);
    if (key === undefined) this.#keys.set(what, (key = String(++this.#lastKey)));
    return key;
  }

  #mark(tensor: FakeTensorHandle, kind: keyof Marks, dims: readonly number[]): void {
    if (!(tensor instanceof FakeTensorHandle))
      throw wrongKind("what is marked", "a tensor of a mode", tensor);
    const marks = this.#marks.get(tensor) ?? { dynamic: [], static: [] };
    const rank = tensor.size.length;
    for (const dim of dims) {
      checkInteger("a dimension", dim);
      if (dim < -rank || dim >= rank)
        throw new RangeError(`a tensor of ${rank} dimensions has no dimension ${dim}`);
      marks[kind].push(dim < 0 ? dim + rank : dim);
    }
    this.#marks.set(tensor, marks);
  }

  #state(change: object = {}): { readonly recompiles: readonly string[]; readonly recompileLimit: number } {
    return this.engine.ask("compiler.state", 0, change);
  }
}

/** What the engine calls: the stages of a function. It does not hold on to the {@link CompiledFunction}. */
class Stages {
  /** The modes of the calls that run, the innermost last. */
  readonly modes: Mode[] = [];
  /** What a stage threw while it ran: the call throws it again. */
  thrown: { readonly error: unknown } | undefined;

  constructor(
    private readonly compiler: Compiler,
    private readonly functions: readonly CompilableFunction[],
    private readonly setup: ((mode: Mode) => void) | undefined,
  ) {}

  /** `traced`: the number of the mode that traces it; 0: it runs. Null where it fails. */
  readonly run = (stage: number, traced: number, args: string): string | null => {
    const mode =
      traced === 0 ? this.modes.at(-1) : Mode.tracing(this.compiler.engine, this.compiler.area, traced);
    try {
      const body = this.functions[stage];
      if (!mode || !body) throw new Error("the engine runs what was not called");
      if (traced !== 0) this.setup?.(mode);
      const out = mode.runBody((given) => synchronous(body(mode, given)), args);
      return `{"out":${out},"replays":${traced !== 0 && !mode.showedSymbols}}`;
    } catch (error) {
      // A trace ends there, and what is wrong shows when the function runs.
      if (traced === 0) this.thrown = { error };
      return null;
    } finally {
      if (traced !== 0) mode?.dispose();
    }
  };
}

function synchronous(result: Argument | undefined): Argument | undefined {
  if (typeof (result as { then?: unknown } | null | undefined)?.then === "function")
    throw new TypeError("a compiled function must not be asynchronous");
  return result;
}

/** The stages of a function; none of a program. */
function functionsOf(
  what: CompilableFunction | readonly CompilableFunction[] | Program,
): readonly CompilableFunction[] {
  if (what instanceof Program) return [];
  const functions: unknown = typeof what === "function" ? [what] : what;
  if (!Array.isArray(functions) || functions.length === 0)
    throw wrongKind("what compile() is given", "a function, a list of them or a program", what);
  for (const each of functions as readonly unknown[])
    if (typeof each !== "function") throw wrongKind("a stage of compile()", "a function", each);
  return functions as readonly CompilableFunction[];
}

function nameOf(body: CompilableFunction | undefined): string {
  const name = body?.name ?? "";
  return name === "" ? "fn" : name;
}

const optionNames = ["dynamic", "fullgraph", "backend", "name", "setup"];

/** A compiled function or program. Its entries live as long as any that was compiled of the same one. */
export class CompiledFunction extends EngineResource {
  readonly #compiler: Compiler;
  readonly #compiled: number;
  readonly #stages: Stages;

  private constructor(compiler: Compiler, compiled: number, stages: Stages) {
    super(compiler.engine, (exports) => {
      exports.ask("compiled.close", 0, JSON.stringify({ compiled }));
    });
    this.#compiler = compiler;
    this.#compiled = compiled;
    this.#stages = stages;
  }

  /** @internal */
  static of(
    compiler: Compiler,
    what: CompilableFunction | readonly CompilableFunction[] | Program,
    options: CompileOptions,
  ): CompiledFunction {
    for (const name of Object.keys(options))
      if (!optionNames.includes(name)) throw new TypeError(`the options of compile() have no '${name}'`);
    const { dynamic = null, fullgraph = false, backend = "eager", setup } = options;
    if (dynamic !== null && typeof dynamic !== "boolean")
      throw wrongKind("'dynamic'", "true, false or null", dynamic);
    if (typeof fullgraph !== "boolean") throw wrongKind("'fullgraph'", "true or false", fullgraph);
    checkText("'backend'", backend);
    const program = what instanceof Program ? what : undefined;
    const functions = functionsOf(what);
    const { name = program?.info.name ?? nameOf(functions[0]) } = options;
    checkText("'name'", name);
    const stages = new Stages(compiler, functions, setup);
    const text = JSON.stringify({
      ...{ name, key: compiler.keyOf(what), dynamic, fullgraph, backend },
      stages: Math.max(functions.length, 1),
    });
    const compiled = compiler.engine.json<number>((exports) =>
      exports.compile(program?.handle ?? 0, text, program ? null : stages.run),
    );
    return new CompiledFunction(compiler, compiled, stages);
  }

  /**
   * Calls it in a mode. Arguments are given by name, the same ones in every call; a program's are its inputs, and its
   * parameters are made. Where an entry fits and nothing is profiled, its results are made anew for the sizes of `args`.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- what was compiled decides, which the caller knows
  call<Type extends Result = FakeTensorHandle>(mode: Mode, args: Readonly<Record<string, Argument>>): Type {
    this.assertAlive();
    if (!(mode instanceof Mode)) throw wrongKind("the first argument of call()", "a mode", mode);
    if (typeof args !== "object") throw wrongKind("the arguments of call()", "an object", args);
    const stages = this.#stages;
    const outer = stages.thrown;
    stages.thrown = undefined;
    stages.modes.push(mode);
    try {
      return mode.callCompiled(this.#compiled, args, this.#compiler.marksOf(args)) as Type;
    } catch (error) {
      const { thrown } = stages as { thrown?: { readonly error: unknown } };
      throw thrown ? thrown.error : error;
    } finally {
      stages.modes.pop();
      stages.thrown = outer;
    }
  }

  /** What was compiled so far, the one used last first. */
  get entries(): readonly CacheEntry[] {
    this.assertAlive();
    return this.engine.ask<CacheEntry[]>("compiled.entries", 0, { compiled: this.#compiled });
  }
}
