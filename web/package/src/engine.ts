/**
 * The engine's instance: Emscripten's glue, instantiated from what our own JavaScript hands it (the glue never
 * fetches), and the coarse functions of wasm/bindings.cpp with their types.
 */
import type * as FileSystem from "node:fs/promises";
import createModule from "./glue.js";
import { wrongKind } from "./check.js";
import { EngineFailure, FakeTensorError, abortError, type ErrorData } from "./errors.js";
import { isNode, nodeModule } from "./node.js";
import { parseReply } from "./reply.js";
import type { ByteSource } from "./source.js";
import type { Progressing } from "./types.js";

/** `WebAssembly.Module`, where the platform's types have it: those of Node 20 do not. */
export type WebAssemblyModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : never;

/** What {@link load} takes as `wasm`: bytes, a compiled module, or where to get it. */
export type WasmInput =
  | ArrayBuffer
  | Uint8Array
  | WebAssemblyModule
  | Response
  | URL
  | string
  | PromiseLike<ArrayBuffer | Uint8Array | WebAssemblyModule | Response>;

/** A file as C++ sees it. `read` returns null after a failure, which the JavaScript side then reports itself. */
export interface EngineSource {
  readonly size: number;
  read(offset: number, length: number): Uint8Array | null;
}

/** False asks C++ to stop. */
export type EngineProgress = (done: number, total: number) => boolean;

/** What the command in C++ asks of its host. */
export interface EngineHost {
  /** A file to read from, or the reason why there is none: `cannot open: No such file or directory`. */
  open(path: string): EngineSource | string;
  /**
   * Writes all bytes, or says why it cannot; "" where it could. Stream 1 is standard output, 2 the diagnostics. The bytes
   * are wasm memory, good during the call.
   */
  write(stream: number, bytes: Uint8Array): string;
  readonly outIsTerminal: boolean;
  readonly errorIsTerminal: boolean;
  /** Of the terminal; 0 where there is none. */
  readonly columns: number;
}

/** The functions of wasm/bindings.cpp. Strings that are replies are JSON: a result, or `{"error": ErrorData}`. */
export interface EngineExports {
  engineInfo(): string;
  /** At most `memoryLimit` bytes are taken to read it; 0 for the default. */
  openProgram(source: EngineSource, name: string, memoryLimit: number): string;
  closeProgram(program: number): void;
  propagate(program: number, options: string, progress: EngineProgress): string;
  layout(program: number, expanded: string): Uint8Array<ArrayBuffer> | string;
  recordProfiles(program: number): string;
  parseProfiles(yaml: string): string;
  formatProfiles(profiles: string): string;
  closeRun(run: number): void;
  runTable(run: number, symbols: string): Uint8Array<ArrayBuffer> | string;
  runValue(run: number, name: string): string;
  runNode(run: number, index: number): string;
  runSymbols(run: number): string;
  runGuards(run: number): string;
  runWhy(run: number, node: string, dim: number): string;
  runWhatIf(run: number, settings: string): string;
  operators(pattern: string): string;
  openMode(options: string): string;
  modeCall(mode: number, request: string): string;
  modeOperator(mode: number, name: string): string;
  modeConstant(mode: number, value: string): string;
  callArea(): Float64Array;
  modeCallPacked(mode: number, op: number): string;
  modeDefine(mode: number, schema: string): string;
  modePushFake(mode: number, name: string, fake: string | ((args: string) => string | null)): string;
  modePopFake(mode: number, fake: number): void;
  modePushProfiles(mode: number, profiles: string): string;
  modePopProfiles(mode: number, scope: number): void;
  modeNewSize(mode: number, range: string): string;
  modeGuards(mode: number): string;
  modeTensor(mode: number, tensor: number): string;
  modeRelease(mode: number, count: number): void;
  closeMode(mode: number): void;
  openSession(options: string): string;
  sessionStep(session: number, step: string): string;
  closeSession(session: number): void;
  runCommand(argv: string, host: EngineHost): number;
}

export class Engine {
  #failure: EngineFailure | undefined;

  private constructor(private readonly exports: EngineExports) {}

  static async instantiate(wasm?: WasmInput): Promise<Engine> {
    const input = await (wasm ?? defaultWasm());
    const options = {
      instantiateWasm(
        imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
      ) {
        instantiate(input, imports).then(({ instance, module }) => {
          receive(instance, module);
        }, fail);
        return {};
      },
    };
    let fail: (reason: unknown) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    return new Engine(await Promise.race([createModule<EngineExports>(options), failed]));
  }

  /** Calls a function whose reply is JSON; an error in the reply is thrown, a trap ends the engine. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a reply's type is agreed with wasm/session.cpp
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
      this.#failure = new EngineFailure(error);
      throw this.#failure;
    }
  }
}

/** What leaves an instance in the middle of something: a trap, a stack that is full, an exception that nobody caught. */
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

function defaultWasm(): URL {
  return new URL("./faketensor.wasm", import.meta.url);
}

async function instantiate(
  input: ArrayBuffer | Uint8Array | WebAssembly.Module | Response | URL | string,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
  if (input instanceof WebAssembly.Module) {
    return { module: input, instance: await WebAssembly.instantiate(input, imports) };
  }
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) {
    return WebAssembly.instantiate(input as BufferSource, imports);
  }
  if (typeof input === "string" || input instanceof URL) {
    const url = new URL(input, isNode ? `file://${process.cwd()}/` : location.href);
    if (isNode && url.protocol === "file:") {
      const fs = await nodeModule<typeof FileSystem>("node:fs/promises");
      return WebAssembly.instantiate(await fs.readFile(url), imports);
    }
    return instantiateResponse(await fetch(url), imports);
  }
  return instantiateResponse(input, imports);
}

/** Compiles while the bytes arrive, where the server names the type that streaming compilation insists on. */
async function instantiateResponse(
  response: Response,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
  if (!response.ok) {
    throw new FakeTensorError({
      class: "LoadError",
      message: `could not fetch ${response.url}: ${response.status} ${response.statusText}`,
    });
  }
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  if (type === "application/wasm") return WebAssembly.instantiateStreaming(response, imports);
  return WebAssembly.instantiate(await response.arrayBuffer(), imports);
}
