/**
 * The page's only door to the engine: the package `faketensor` in a module worker. Everything else sees the interfaces
 * below, so that tests can put another engine in its place. Ending the worker is how a call is cancelled and how the page
 * survives an engine that died; programs and runs are made again in the next worker when they are next used.
 */
import type { Layout, OpenOptions, ProgramInfo, PropagateOptions } from "faketensor";
import { connect, type RemoteFakeTensor, type RemoteProgram, type RemoteRun } from "faketensor/worker";

export type * from "faketensor";
export { Status, ValueKind } from "faketensor/worker";

export interface Engine {
  /** Reads a file in slices: it is never copied whole into memory, and it never leaves the machine. */
  open(file: Blob, options: OpenOptions): Promise<Program>;
}

/** And what the source pane asks it. */
export type FullEngine = Engine & Pick<RemoteFakeTensor, "operators" | "passes">;

/** What the source pane asks a program. */
type Written = Pick<RemoteProgram, "textProblems" | "source" | "runPass" | "toJson" | "toPt2">;

export interface Program extends Written {
  readonly info: ProgramInfo;
  propagate(options?: PropagateOptions): Promise<Run>;
  /** `expanded`: ids of the modules drawn open. `plumbing`: whether sizes, assertions and aliases are drawn. */
  layout(options: { expanded: readonly number[]; plumbing: boolean }): Promise<Layout>;
  dispose(): Promise<void>;
}

/** Whatever a run can be asked (questions.ts of the package). */
export type Run = Pick<RemoteRun, keyof RemoteRun>;

/** A file of the page's own that could not be fetched: a network may be there again. */
export class Unreachable extends Error {}

/** The engine's first file, before compression: set by the build. */
declare const kEngineBytes: number;

/**
 * Loads the engine once, and again at the next use where that failed. `loading` hears how many bytes are there of how many,
 * and null at the end, good or bad.
 */
export class EngineLoader {
  private engine: Promise<FullEngine> | null = null;

  constructor(private readonly loading: (done: number | null, total: number) => void) {}

  get(): Promise<FullEngine> {
    this.engine ??= startEngine((done) => {
      this.loading(done, kEngineBytes);
    })
      .catch((error: unknown) => {
        this.engine = null;
        throw error;
      })
      .finally(() => {
        this.loading(null, kEngineBytes);
      });
    return this.engine;
  }
}

/**
 * Starts the worker from a copy of its script in memory: such a worker is under the content security policy of the page,
 * where one that is started from an address is under what its host sends with it, on many hosts nothing. It holds the
 * user's bytes. The policy lets the page start no other.
 */
async function startEngine(received: (bytes: number) => void): Promise<FullEngine> {
  const [script, wasm] = await Promise.all([fetchOwn("engine.js"), fetchModule("faketensor.wasm", received)]);
  const copy = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const rest = new URL("faketensor-rest.wasm", document.baseURI);
  const engine = await connect(() => new Worker(copy, { type: "module" }), { wasm, rest });
  performance.mark("engine-ready");
  return engine;
}

/** Compiles while the bytes arrive, and counts them. */
async function fetchModule(path: string, received: (bytes: number) => void): Promise<WebAssembly.Module> {
  const response = await fetchGood(path);
  // What comes from the browser's own store is there at once, and keeps what was compiled of it before.
  if (response.body === null || isKeptOffline()) return compiled(path, response);
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        received((bytes += chunk.byteLength));
        controller.enqueue(chunk);
      },
    }),
  );
  return compiled(path, new Response(counted, { headers: { "Content-Type": "application/wasm" } }));
}

function isKeptOffline(): boolean {
  // Typed as always there; not so where a page is not secure.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  return (workers?.controller ?? null) !== null;
}

/** Streaming compilation insists on the type that not every host sends. */
async function compiled(path: string, response: Response): Promise<WebAssembly.Module> {
  try {
    const isTyped = response.headers.get("Content-Type")?.startsWith("application/wasm") ?? false;
    return await (isTyped
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
  } catch (cause) {
    throw new Unreachable(`${path} could not be loaded`, { cause });
  }
}

/** A file that stands beside the page. */
export async function fetchOwn(path: string): Promise<Blob> {
  return (await fetchGood(path)).blob();
}

async function fetchGood(path: string): Promise<Response> {
  const response = await fetch(path).catch((cause: unknown) => {
    throw new Unreachable(`${path} could not be fetched`, { cause });
  });
  if (!response.ok) throw new Unreachable(`${path}: the server answered ${response.status}`);
  return response;
}
