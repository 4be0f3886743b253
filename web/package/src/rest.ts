/**
 * The engine's second file. faketensor.wasm has what most programs need; a function that it lacks is a placeholder there. The
 * first call of one loads faketensor-rest.wasm, whose instance puts its functions into the table that both share: from then
 * on they call each other without JavaScript. wasm/split.mjs makes the two.
 *
 * A call cannot wait, so the file is then read synchronously: from Node's disk, or by the request that a worker of a browser
 * may make. Where neither is to be had, as on a page's own thread, the second file is loaded with the first.
 */
import type * as FileSystem from "node:fs";
import { FakeTensorError, describe } from "./errors.js";
import { addressOf, compile, couldNotFetch, type WasmFile } from "./instance.js";
import { isNode, nodeModule } from "./node.js";

/** The modules from which the first file imports its placeholders, and the second what the first exports. */
const placeholders = "p";
const firstFile = "e";
/** The section by which the files that belong together are known. */
const buildSection = "faketensor.build";

/** Where a worker of a browser may wait for a request. */
const maySend = !isNode && typeof document === "undefined" && typeof XMLHttpRequest === "function";

/** Gives the second file at once. */
type Take = () => BufferSource | WebAssembly.Module;

export class Rest {
  /** Why the engine was stopped, where that was for want of the second file. */
  failure: FakeTensorError | undefined;
  #first: { readonly instance: WebAssembly.Instance; readonly build: string } | undefined;
  #imports: WebAssembly.Imports = {};
  #filled = false;

  private constructor(
    private readonly input: WasmFile,
    /** Undefined where the file has to be there before the first call. */
    private readonly take: Take | undefined,
  ) {}

  static async from(input: WasmFile): Promise<Rest> {
    return new Rest(input, await takeOf(input));
  }

  /** What the first file imports. Placeholders are named by their places in the table. */
  placeholdersAnd(imports: WebAssembly.Imports): WebAssembly.Imports {
    this.#imports = imports;
    const byPlace = new Proxy<WebAssembly.ModuleImports>(
      {},
      { get: (_, name) => this.#placeholder(Number(name)) },
    );
    return { ...imports, [placeholders]: byPlace };
  }

  /** The first file is there. */
  async follow(instance: WebAssembly.Instance, module: WebAssembly.Module): Promise<void> {
    this.#first = { instance, build: buildOf(module) };
    if (this.take === undefined) await this.load();
  }

  /** Loads the second file while nobody waits for it. */
  async load(): Promise<void> {
    if (this.#filled) return;
    const module = await compile(this.input);
    if (this.take !== undefined) this.#fill(() => module);
    else await WebAssembly.instantiate(module, this.#importsOf(module));
    this.#filled = true;
  }

  #placeholder(place: number): (...given: unknown[]) => unknown {
    return (...given) => {
      try {
        this.#fill(this.take);
      } catch (error) {
        const message = `faketensor-rest.wasm could not be loaded: ${describe(error)}`;
        this.failure = new FakeTensorError({ class: "LoadError", message }, { cause: error });
        trap();
      }
      return this.#inTable(place)(...given);
    };
  }

  #fill(take: Take | undefined): void {
    if (this.#filled || take === undefined) return;
    const taken = take();
    const module = taken instanceof WebAssembly.Module ? taken : new WebAssembly.Module(taken);
    new WebAssembly.Instance(module, this.#importsOf(module));
    this.#filled = true;
  }

  #inTable(place: number): (...given: unknown[]) => unknown {
    const table = this.#first?.instance.exports["__indirect_function_table"] as WebAssembly.Table;
    return table.get(place) as (...given: unknown[]) => unknown;
  }

  /** @throws where the files are not of one build: they would call wrong functions of each other. */
  #importsOf(module: WebAssembly.Module): WebAssembly.Imports {
    const first = this.#first;
    if (first?.build !== buildOf(module)) throw new Error("it is not of one build with faketensor.wasm");
    return { ...this.#imports, [firstFile]: first.instance.exports };
  }
}

async function takeOf(input: WasmFile): Promise<Take | undefined> {
  if (!isNode && !maySend) return undefined;
  if (typeof input === "string" || input instanceof URL) {
    const url = addressOf(input);
    if (maySend) return () => requested(url);
    if (url.protocol !== "file:") return undefined;
    const fs = await nodeModule<typeof FileSystem>("node:fs");
    return () => fs.readFileSync(url);
  }
  if (input instanceof WebAssembly.Module || input instanceof ArrayBuffer || ArrayBuffer.isView(input))
    return () => input;
  return undefined;
}

/** Waits for the bytes, as only a worker may. */
function requested(url: URL): ArrayBuffer {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw couldNotFetch(url.href, `${request.status} ${request.statusText}`);
  return request.response as ArrayBuffer;
}

function buildOf(module: WebAssembly.Module): string {
  const texts = WebAssembly.Module.customSections(module, buildSection);
  return texts.map((bytes) => new Uint8Array(bytes).join()).join();
}

/** Ends the engine. No handler in C++ takes a trap for an exception of its own, as it would take one of JavaScript. */
function trap(): never {
  // (module (func (export "trap") unreachable))
  const text = "0061736d0100000001040160000003020100070801047472617000000a05010300000b";
  const bytes = Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return (exports as { trap(): never }).trap();
}
