/**
 * An instance of one of the two wasm files: Emscripten's glue, instantiated from what our own JavaScript hands it (the
 * glue never fetches).
 */
import type * as FileSystem from "node:fs/promises";
import type { CreateModule } from "./glue.js";
import { FakeTensorError } from "./errors.js";
import { isNode, nodeModule } from "./node.js";

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

/** @internal The functions that the module binds. */
export async function instance<Exports>(create: CreateModule, wasm: WasmInput): Promise<Exports> {
  const input = await wasm;
  const options = {
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      instantiate(input, imports).then((made) => {
        receive(made.instance, made.module);
      }, fail);
      return {};
    },
  };
  let fail: (reason: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  return await Promise.race([create<Exports>(options), failed]);
}

/** An instance of a module, from its bytes, a compiled one, or where to get it. */
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
