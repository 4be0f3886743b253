/**
 * An instance of one of the wasm modules: Emscripten's glue, instantiated from what our own JavaScript hands it (the
 * glue never fetches).
 */
import type * as FileSystem from "node:fs/promises";
import type { CreateModule } from "./glue.js";
import { FakeTensorError } from "./errors.js";
import { isNode, nodeModule } from "./node.js";
import type { Rest } from "./rest.js";

/** `WebAssembly.Module`, where the platform's types have it: those of Node 20 do not. */
export type WebAssemblyModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : never;

/** What {@link load} takes as `wasm` and `rest`: bytes, a compiled module, or where to get it. */
export type WasmInput =
  | ArrayBuffer
  | Uint8Array
  | WebAssemblyModule
  | Response
  | URL
  | string
  | PromiseLike<ArrayBuffer | Uint8Array | WebAssemblyModule | Response>;

/** @internal The same once it is there. */
export type WasmFile = ArrayBuffer | Uint8Array | WebAssembly.Module | Response | URL | string;

/** @internal The functions that the module binds. `rest`: its second file, where it has one. */
export async function instance<Exports>(create: CreateModule, wasm: WasmFile, rest?: Rest): Promise<Exports> {
  const instantiate = async (
    imports: WebAssembly.Imports,
  ): Promise<WebAssembly.WebAssemblyInstantiatedSource> => {
    const module = await compile(wasm);
    const made = await WebAssembly.instantiate(module, rest?.placeholdersAnd(imports) ?? imports);
    await rest?.follow(made, module);
    return { module, instance: made };
  };
  const options = {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      instantiate(imports).then((made) => {
        receive(made.instance, made.module);
      }, fail);
      return {};
    },
  };
  let fail: (reason: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  return await Promise.race([create<Exports>(options), failed]);
}

/** @internal */
export function addressOf(input: URL | string): URL {
  return new URL(input, isNode ? `file://${process.cwd()}/` : location.href);
}

/** @internal A module, from its bytes, a compiled one, or where to get it. */
export async function compile(input: WasmFile): Promise<WebAssembly.Module> {
  if (input instanceof WebAssembly.Module) return input;
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input))
    return WebAssembly.compile(input as BufferSource);
  if (typeof input === "string" || input instanceof URL) {
    const url = addressOf(input);
    if (isNode && url.protocol === "file:") {
      const fs = await nodeModule<typeof FileSystem>("node:fs/promises");
      return WebAssembly.compile(await fs.readFile(url));
    }
    return compileResponse(await fetch(url));
  }
  return compileResponse(input);
}

/** Compiles while the bytes arrive, where the server names the type that streaming compilation insists on. */
async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw couldNotFetch(response.url, `${response.status} ${response.statusText}`);
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  if (type === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** @internal */
export function couldNotFetch(url: string, why: string): FakeTensorError {
  return new FakeTensorError({ class: "LoadError", message: `could not fetch ${url}: ${why}` });
}
