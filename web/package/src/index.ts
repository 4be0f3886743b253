/**
 * `faketensor`: what PyTorch would answer about every tensor of a program.
 *
 * ```ts
 * import { load } from "faketensor";
 * const ft = await load();
 * const program = ft.open(bytes, { name: "model.pt2" });
 * const run = program.propagate({ dims: { batch: 4 } });
 * run.value("linear_1"); // { size: [4, 10], stride: [10, 1], dtype: "float32", ... }
 * ```
 */
import { checkText } from "./check.js";
import { CallArea } from "./call_area.js";
import { Engine } from "./engine.js";
import { CompiledFunction, Compiler, type CompilableFunction, type CompileOptions } from "./compile.js";
import type { WasmInput } from "./instance.js";
import { Mode, type ModeOptions } from "./mode.js";
import { packedVersion } from "./packed.js";
import { exportPass, type ExportPass, type ExportPassFunctions } from "./passes.js";
import { Profiles } from "./profiles.js";
import { Program, type Run } from "./program.js";
import { defineMethods, type engineQuestions, type Methods } from "./questions.js";
import { Session, type SessionOptions } from "./session.js";
import { fileSource, toByteSource, type Openable } from "./source.js";
import { FakeTensorError } from "./errors.js";
import type { DiffReport, EngineInfo, OpenOptions } from "./types.js";

export { EngineFailure, FakeTensorError, type ErrorData } from "./errors.js";
export type {
  EmptyOptions,
  FakeContext,
  FakeRegistration,
  FakeText,
  ShapeEnvOptions,
  ShapeRule,
  Size,
} from "./caller.js";
export {
  Mode,
  FakeTensorHandle as Tensor,
  type Argument,
  type FakeFunction,
  type ModeOptions,
  type Result,
} from "./mode.js";
export {
  CompiledFunction,
  Compiler,
  type CacheEntry,
  type CompilableFunction,
  type CompileOptions,
} from "./compile.js";
export { Float, float } from "./encode.js";
export { dimOf, dimsOf } from "./packed.js";
export {
  ExportPass,
  ProxyValue,
  type ExportPassFunctions,
  type Pass,
  type PassArgument,
  type PassMetadata,
} from "./passes.js";
export type { PatternPass } from "./pattern.js";
export {
  Profiler,
  type ProfileAverages,
  type ProfileEvent,
  type ProfileOptions,
  type ProfileSchedule,
  type TableOptions,
} from "./profiler.js";
export { Profiles } from "./profiles.js";
export { Program, Run, type PassResult } from "./program.js";
export {
  Session,
  SessionMode,
  SessionTensor,
  type CacheInfo,
  type ConversionOptions,
  type Nested,
  type RealOptions,
  type Scope,
  type SessionArgument,
  type SessionModeOptions,
  type SessionOptions,
  type SessionResult,
  type ShapeEnvDescription,
  type TensorOptions,
} from "./session.js";
export { blobSource, fileSource, type ByteSource, type Openable } from "./source.js";
export type { WasmInput } from "./instance.js";
export * from "./types.js";

export interface LoadOptions {
  /** Where the engine's wasm comes from; default: `faketensor.wasm` beside this module. */
  wasm?: WasmInput;
  /**
   * Where the engine's second file comes from; default: `faketensor-rest.wasm` beside the first. It has what few programs need,
   * and where a call may wait for it (Node, workers) it is read when that is first needed.
   */
  rest?: WasmInput;
}

/** Loads an engine of its own. Each has its own memory; most programs need one. */
export async function load(options: LoadOptions = {}): Promise<FakeTensor> {
  const engine = await Engine.instantiate(options.wasm, options.rest);
  const info = engine.ask<EngineInfo>("engine.info", 0);
  if (info.packedVersion !== packedVersion) {
    throw new FakeTensorError({
      class: "LoadError",
      message: `faketensor.wasm has layout version ${info.packedVersion}, this JavaScript ${packedVersion}`,
    });
  }
  return new FakeTensor(engine, info);
}

/** One loaded engine. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class FakeTensor {
  readonly #area: CallArea;
  /** Op profiles and their YAML. */
  readonly profiles: Profiles;
  /** What all functions of {@link compile} share: the log of recompilations, marks of dimensions, `reset()`. */
  readonly compiler: Compiler;

  /** @internal */
  constructor(
    /** @internal */ readonly engine: Engine,
    readonly info: EngineInfo,
  ) {
    this.#area = new CallArea(engine, info);
    this.profiles = new Profiles(engine);
    this.compiler = new Compiler(engine, this.#area);
  }

  /** Reads a program: a `.pt2` archive or ExportedProgram JSON, gzipped or not; which of them is found out. */
  open(from: Openable, options: OpenOptions = {}): Program {
    const source = toByteSource(from);
    try {
      return Program.open(this.engine, source, options);
    } finally {
      source.close?.();
    }
  }

  /** The same for a file by its path, of which only what is needed is read; Node only. */
  async openFile(path: string | URL, options: OpenOptions = {}): Promise<Program> {
    return this.open(await fileSource(path), { name: String(path), ...options });
  }

  /**
   * What differs between two runs, of one program or of two, in values, memory and FLOPs, and where a target is named, in
   * time on it.
   */
  diff(a: Run, b: Run, options: { readonly target?: string } = {}): DiffReport {
    const { target = null } = options;
    if (target !== null) checkText("the target of diff()", target);
    return this.engine.ask<DiffReport>("run.diff", a.handle, { other: b.handle, target });
  }

  /**
   * A pass for `program.runPass()`: the object itself, whose functions take the place of {@link ExportPass}'s methods and
   * call those as `super.callOperator(…)`. Deriving a class does the same.
   */
  exportPass<Functions extends ExportPassFunctions & ThisType<ExportPass>>(
    functions: Functions,
  ): Functions & ExportPass {
    return exportPass(functions);
  }

  /** A mode to call single operators in. */
  mode(options: ModeOptions = {}): Mode {
    return new Mode(this.engine, this.#area, options);
  }

  /**
   * What `torch.compile` shows of itself: traces a function or a program under symbolic shapes, and uses what was found for
   * as long as its guards hold. A list are the stages of a function that breaks its graph: each is given what the one before
   * it returned, as `t0`, `t1`, …
   */
  compile(
    what: CompilableFunction | readonly CompilableFunction[] | Program,
    options: CompileOptions = {},
  ): CompiledFunction {
    return CompiledFunction.of(this.compiler, what, options);
  }

  /** What a Python process is to its fake tensors: several modes, real tensors, constants, scopes. */
  session(options: SessionOptions = {}): Session {
    return new Session(this.engine, this.#area, options);
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface FakeTensor extends Methods<typeof engineQuestions> {}

defineMethods(FakeTensor.prototype, "engine", ({ engine }, asked, read) => read(engine.answer(0, asked())));
