/**
 * The engine's instance: Emscripten's glue, instantiated from what our own JavaScript hands it (the glue never
 * fetches), and the coarse functions of wasm/bindings.cpp with their types.
 */
import createModule from "./glue.js";
import { toJson, wrongKind } from "./check.js";
import { EngineFailure, FakeTensorError, abortError, type ErrorData } from "./errors.js";
import { addressOf, instance, type WasmFile, type WasmInput } from "./instance.js";
import { argumentsJson, type Asked } from "./questions.js";
import { parseReply } from "./reply.js";
import { Rest } from "./rest.js";
import type { ByteSource } from "./source.js";
import type { Progressing } from "./types.js";

/** A file as C++ sees it. `read` returns null after a failure, which the JavaScript side then reports itself. */
export interface EngineSource {
  readonly size: number;
  read(offset: number, length: number): Uint8Array | null;
}

/** False asks C++ to stop. */
export type EngineProgress = (done: number, total: number) => boolean;

/** The functions of wasm/bindings.cpp. Strings that are replies are JSON: a result, or `{"error": ErrorData}`. */
export interface EngineExports {
  /** A row of wasm/queries.cpp; `of` is the number of what it is about, 0 for the engine. */
  ask(question: string, of: number, args: string): string;
  columns(question: string, of: number, args: string): Uint8Array<ArrayBuffer> | string;
  /** At most `memoryLimit` bytes are taken to read it; 0 for the default. */
  openProgram(
    source: EngineSource,
    name: string,
    memoryLimit: number,
    keepGoing: boolean,
    sections: boolean,
    bodies: boolean,
  ): string;
  closeProgram(program: number): void;
  propagate(program: number, options: string, progress: EngineProgress): string;
  closeRun(run: number): void;
  runPasses(
    source: EngineSource,
    name: string,
    passes: string,
    functions: readonly ((method: string, args: string) => string | null)[],
  ): string;
  callBase(method: string, args: string): string;
  writeJson(source: EngineSource, name: string): string;
  writeArchive(source: EngineSource, program: string, sink: (piece: Uint8Array) => boolean): string;
  callArea(): Float64Array;
  callPacked(caller: number, op: number): string;
  pushFake(
    caller: number,
    name: string,
    fake: string | ((args: string, numbers: string) => string | null),
  ): string;
  /** The number of a profile, which runs. The clock never throws. */
  openProfile(mode: number, options: string, clock: (() => number) | null): string;
  /** The number of a compiled function or program (0 for none), whose `run` is null; it never throws. */
  compile(
    program: number,
    given: string,
    run: ((stage: number, mode: number, args: string) => string | null) | null,
  ): string;
  release(caller: number, count: number): void;
  closeCaller(caller: number): void;
}

export class Engine {
  #failure: EngineFailure | undefined;

  private constructor(
    private readonly exports: EngineExports,
    private readonly rest: Rest,
  ) {}

  static async instantiate(wasm?: WasmInput, rest?: WasmInput): Promise<Engine> {
    const first = await (wasm ?? new URL("./faketensor.wasm", import.meta.url));
    const second = await Rest.from(await (rest ?? besides(first)));
    return new Engine(await instance<EngineExports>(createModule, first, second), second);
  }

  /** Loads what the engine would otherwise wait for in the middle of a call. */
  async loadRest(): Promise<void> {
    await this.rest.load();
  }

  /** The answer to a question about a program or a run: parsed JSON, or a packed buffer. */
  answer(of: number, question: Asked): unknown {
    const args = argumentsJson(question);
    return question.isPacked
      ? this.buffer((exports) => exports.columns(question.question, of, args))
      : this.json((exports) => exports.ask(question.question, of, args));
  }

  /** Asks any other question: about the engine (`of` is 0), a mode or a session. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- an answer's type is agreed with wasm/queries.cpp
  ask<T>(question: string, of: number, args: object = {}): T {
    const text = toJson(`the arguments of ${question}`, args);
    return this.json<T>((exports) => exports.ask(question, of, text));
  }

  /** Calls a function whose reply is JSON; an error in the reply is thrown, a trap ends the engine. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a reply's type is agreed with C++
  json<T>(call: (exports: EngineExports) => string): T {
    const reply = parseReply(this.raw(call));
    throwReply(reply);
    return reply as T;
  }

  /** Calls a function that returns a packed buffer in wasm memory, which is copied out once. */
  buffer(call: (exports: EngineExports) => Uint8Array<ArrayBuffer> | string): ArrayBuffer {
    const reply = this.raw(call);
    if (typeof reply !== "string") return reply.slice().buffer;
    throwReply(JSON.parse(reply));
    throw new EngineFailure("no buffer");
  }

  /** For destructors: an engine that has failed has nothing left to free. */
  release(call: (exports: EngineExports) => void): void {
    if (!this.#failure) this.raw(call);
  }

  raw<T>(call: (exports: EngineExports) => T): T {
    if (this.#failure) throw this.#failure;
    try {
      return call(this.exports);
    } catch (error) {
      // The engine's own errors are replies, and callbacks are guarded: what else is thrown arose before the engine was
      // entered, from an argument that could not be handed over.
      if (!isTrap(error)) throw error;
      this.#failure = new EngineFailure(this.rest.failure ?? error);
      throw this.#failure;
    }
  }
}

/** Where the second file is unless the caller says: beside the first under its own name, or where a bundler has put it. */
function besides(first: WasmFile): URL | string {
  const address = typeof first === "string" || first instanceof URL ? addressOf(first).href : "";
  const beside = address.replace(/faketensor\.wasm(?=[?#]|$)/, "faketensor-rest.wasm");
  if (beside !== address) return beside;
  try {
    return new URL("./faketensor-rest.wasm", import.meta.url);
  } catch (cause) {
    // A script that was started from memory has nothing beside it.
    throw new FakeTensorError(
      { class: "LoadError", message: "say where faketensor-rest.wasm is: load({ wasm, rest })" },
      { cause },
    );
  }
}

/** What leaves an instance in an undefined state: a trap, a full stack, an exception that nobody caught. */
function isTrap(error: unknown): boolean {
  const isStack = error instanceof RangeError || (error instanceof Error && error.name === "InternalError");
  return error instanceof WebAssembly.RuntimeError || error instanceof WebAssembly.Exception || isStack;
}

function throwReply(reply: unknown): void {
  if (typeof reply === "object" && reply !== null && "error" in reply) {
    throw new FakeTensorError(reply.error as ErrorData);
  }
}

/**
 * Guards the callbacks of one call into C++: what a callback throws never unwinds through wasm frames, it asks C++ to
 * stop and is rethrown when the call has returned.
 */
export class CallGuard {
  #thrown: { readonly error: unknown } | undefined;

  constructor(private readonly options: Progressing) {
    if (options.signal?.aborted) throw abortError(options.signal);
  }

  readonly progress: EngineProgress = (done, total) =>
    this.protect(() => {
      this.options.onProgress?.(done, total);
      if (this.options.signal?.aborted) throw abortError(this.options.signal);
      return true;
    }) ?? false;

  /** Every slice that is read counts as progress through the file. */
  source(from: ByteSource): EngineSource {
    const read = (offset: number, length: number): Uint8Array | null =>
      this.progress(Math.min(offset + length, from.size), from.size)
        ? this.protect(() => bytesOf(from.read(offset, length)))
        : null;
    return { size: from.size, read };
  }

  protect<T>(callback: () => T): T | null {
    if (this.#thrown) return null;
    try {
      return callback();
    } catch (error) {
      this.#thrown = { error };
      return null;
    }
  }

  /** Runs the call; what a callback threw takes precedence over C++'s report that it was stopped. */
  run<T>(call: () => T): T {
    try {
      const result = call();
      this.#rethrow();
      return result;
    } catch (error) {
      this.#rethrow();
      throw error;
    }
  }

  #rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }
}

/** C++ copies what it gets, and would trap over anything else. */
function bytesOf(read: unknown): Uint8Array {
  if (read instanceof Uint8Array) return read;
  throw wrongKind("what a ByteSource reads", "a Uint8Array", read);
}
