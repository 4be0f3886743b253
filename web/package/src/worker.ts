/**
 * `faketensor/worker`: the package with its engine in a Worker, so that a page stays alive whatever the file does.
 *
 * ```ts
 * import { connect } from "faketensor/worker";
 * const ft = await connect();
 * const program = await ft.open(file, { onProgress, signal });
 * const run = await program.propagate({ dims: { batch: 4 } });
 * const table = await run.table();
 * ```
 * The engine computes without pause, so the way to stop it is to end its worker: an aborted signal, a trap or
 * {@link RemoteFakeTensor.restart} ends it and starts another. Programs and runs survive that: they are opened and
 * propagated again (both are deterministic) when they are next used.
 */
import { EngineFailure, abortError, fromErrorData } from "./errors.js";
import { openLayout, openTable } from "./packed.js";
import {
  channel,
  isMessage,
  type CallName,
  type Calls,
  type RemoteSource,
  type RemoteWasm,
  type Reply,
} from "./protocol.js";
import { isNode, nodeModule } from "./node.js";
import type {
  EngineInfo,
  GuardInfo,
  Layout,
  LayoutOptions,
  NodeDetail,
  OpenOptions,
  OperatorInfo,
  Problem,
  ProgramInfo,
  Progressing,
  PropagateOptions,
  RunSymbol,
  SymbolSettings,
  Table,
  Value,
  WhatIfResult,
  WhyStep,
} from "./types.js";

export { EngineFailure, FakeTensorError } from "./errors.js";
export { dimOf, dimsOf } from "./packed.js";
export * from "./types.js";

/** The part of a Worker that is used; both the browser's and Node's have it. */
export interface WorkerLike {
  postMessage(message: unknown): void;
  terminate(): unknown;
  /** Node's: whether its process waits for the worker. */
  ref?(): void;
  unref?(): void;
  addEventListener?(type: string, listener: (event: { data?: unknown; message?: string }) => void): void;
  on?(event: string, listener: (data: unknown) => void): unknown;
}

export interface ConnectOptions {
  /** As for `load`; what cannot be posted to a worker is read here first. */
  wasm?: RemoteWasm | URL | Response;
}

/** What can be opened; `{ path }` is a file that Node's worker reads itself, in slices. */
export type RemoteOpenable = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | { readonly path: string };

/**
 * Connects to an engine in a worker.
 *
 * Without `worker` one is started from `worker-main.js` beside this module. A page that builds its own, or whose
 * policy needs another address, passes a function that starts one: `() => new Worker(url, { type: "module" })`. A
 * Worker itself may be passed too, but then it cannot be replaced once it had to be ended.
 */
export async function connect(
  worker?: WorkerLike | (() => WorkerLike | Promise<WorkerLike>),
  options: ConnectOptions = {},
): Promise<RemoteFakeTensor> {
  const wasm = await postable(options.wasm);
  const connection = new Connection(starterOf(worker), wasm, worker === undefined);
  try {
    return new RemoteFakeTensor(connection, await connection.info());
  } catch (error) {
    connection.close();
    throw error;
  }
}

function starterOf(
  worker: WorkerLike | (() => WorkerLike | Promise<WorkerLike>) | undefined,
): () => Promise<WorkerLike> {
  if (worker === undefined) return startDefaultWorker;
  if (typeof worker === "function") return async () => worker();
  let used = false;
  return () => {
    if (used)
      return Promise.reject(new Error("the worker has ended; pass connect() a function to have it replaced"));
    used = true;
    return Promise.resolve(worker);
  };
}

async function startDefaultWorker(): Promise<WorkerLike> {
  if (isNode) return startThread("./worker-main.js", import.meta.url);
  return new Worker(new URL("./worker-main.js", import.meta.url), { type: "module" });
}

/** Apart, so that bundlers for pages, which follow literal addresses, do not take Node's worker for a file to copy. */
async function startThread(script: string, base: string): Promise<WorkerLike> {
  const threads = await nodeModule<{
    Worker: new (url: URL, options: { execArgv: string[] }) => WorkerLike;
  }>("node:worker_threads");
  // Options of the process, such as `--input-type=module`, may be refused for a file.
  return new threads.Worker(new URL(script, base), { execArgv: [] });
}

async function postable(wasm: ConnectOptions["wasm"]): Promise<RemoteWasm | undefined> {
  if (wasm instanceof URL) return wasm.href;
  if (typeof Response === "function" && wasm instanceof Response) return wasm.arrayBuffer();
  return wasm;
}

/** Why a request failed that had no part in its worker's end: it is made again in the next worker. */
const replaced = Symbol("the worker was replaced");

/** What a worker answered, and which. */
interface Placed<Result> {
  readonly result: Result;
  readonly generation: number;
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (reason: unknown) => void;
  onProgress: Progressing["onProgress"];
}

/** One worker at a time and the requests it has not answered. */
class Connection {
  /** Counts workers: what was made in an earlier one is gone. */
  generation = 0;
  #worker: Promise<WorkerLike> | undefined;
  #info: Promise<EngineInfo> | undefined;
  #closed = false;
  /** Why the last worker ended. */
  #endedBy: unknown;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;

  constructor(
    private readonly start: () => Promise<WorkerLike>,
    private readonly wasm: RemoteWasm | undefined,
    /** Whether a process of Node goes on for the worker's sake only while it has something to answer. */
    private readonly ownsWorker: boolean,
  ) {}

  /** Starts the worker, if none runs, and loads its engine. */
  async info(): Promise<EngineInfo> {
    this.#info ??= this.#post("load", this.wasm === undefined ? {} : { wasm: this.wasm }).answer;
    const info = this.#info;
    try {
      return await info;
    } catch (error) {
      if (this.#info === info) this.#info = undefined;
      throw error;
    }
  }

  /** Asks the worker; see {@link ask}. */
  async call<Name extends CallName>(
    name: Name,
    args: () => Calls[Name]["args"] | Promise<Calls[Name]["args"]>,
    progressing: Progressing = {},
  ): Promise<Calls[Name]["result"]> {
    return (await this.ask(name, args, progressing)).result;
  }

  /**
   * Asks the worker, and says which one answered. `args` is called when they are needed, and again when the worker was
   * replaced because of another call, so that they name what lives in the worker that they are posted to.
   */
  async ask<Name extends CallName>(
    name: Name,
    args: () => Calls[Name]["args"] | Promise<Calls[Name]["args"]>,
    progressing: Progressing = {},
  ): Promise<Placed<Calls[Name]["result"]>> {
    for (;;) {
      try {
        return await this.#attempt(name, args, progressing);
      } catch (error) {
        if (error !== replaced) throw error;
      }
    }
  }

  async #attempt<Name extends CallName>(
    name: Name,
    args: () => Calls[Name]["args"] | Promise<Calls[Name]["args"]>,
    { signal, onProgress }: Progressing,
  ): Promise<Placed<Calls[Name]["result"]>> {
    const { generation } = this;
    await this.info();
    const given = await args();
    if (signal?.aborted) throw abortError(signal);
    // From here to the post nothing is awaited: the arguments name what lives in the worker that gets them.
    if (generation !== this.generation)
      throw this.#endedBy instanceof EngineFailure ? replaced : this.#endedBy;
    const { id, answer } = this.#post(name, given, onProgress);
    const abort = (): void => {
      const pending = this.#settle(id);
      if (!pending) return; // answered just before
      pending.reject(abortError(signal));
      this.end(replaced);
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return { result: await answer, generation };
    } catch (error) {
      if (error instanceof EngineFailure && generation === this.generation) this.end(replaced);
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Ends the worker; whatever waits for it is rejected with `reason`. The next call starts another. */
  end(reason: unknown): void {
    this.generation++;
    this.#endedBy = reason;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#info = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    void worker?.then(
      (ended) => ended.terminate(),
      () => undefined,
    );
    for (const request of pending) request.reject(reason);
  }

  /** Frees something in the worker of that generation; with its end it is free as well. */
  async release<Name extends "closeProgram" | "closeRun">(
    name: Name,
    args: Calls[Name]["args"],
    generation: number,
  ): Promise<void> {
    if (generation !== this.generation) return;
    await this.#post(name, args).answer.catch((error: unknown) => {
      // With its worker it has gone: replaced, restarted or terminated.
      if (generation === this.generation) throw error;
    });
  }

  close(): void {
    this.#closed = true;
    this.end(abortError());
  }

  #post<Name extends CallName>(
    name: Name,
    args: Calls[Name]["args"],
    onProgress?: Progressing["onProgress"],
  ): { id: number; answer: Promise<Calls[Name]["result"]> } {
    if (this.#closed) throw new Error("the connection has been terminated");
    const id = this.#nextId++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onProgress });
    });
    this.#worker ??= this.#startWorker();
    this.#worker.then(
      (worker) => {
        if (!this.#pending.has(id)) return;
        if (this.ownsWorker) worker.ref?.();
        try {
          worker.postMessage({ channel, id, call: name, args });
        } catch (error) {
          this.#settle(id)?.reject(error); // a DataCloneError: what cannot be posted
        }
      },
      (error: unknown) => {
        this.#settle(id)?.reject(error);
      },
    );
    return { id, answer: answer as Promise<Calls[Name]["result"]> };
  }

  async #startWorker(): Promise<WorkerLike> {
    const { generation } = this;
    const worker = await this.start();
    const receive = (data: unknown): void => {
      if (generation === this.generation && isMessage(data) && "kind" in data) this.#receive(data as Reply);
    };
    const fail = (error: unknown): void => {
      if (generation === this.generation) this.end(new EngineFailure(error));
    };
    if (worker.addEventListener) {
      worker.addEventListener("message", (event) => {
        receive(event.data);
      });
      worker.addEventListener("error", (event) => {
        fail(event.message ?? "the worker could not be started");
      });
    } else {
      worker.on?.("message", receive);
      worker.on?.("error", fail);
    }
    return worker;
  }

  #receive(reply: Reply): void {
    switch (reply.kind) {
      case "progress":
        this.#pending.get(reply.id)?.onProgress?.(reply.done, reply.total);
        break;
      case "result":
        this.#settle(reply.id)?.resolve(reply.result);
        break;
      case "error":
        this.#settle(reply.id)?.reject(fromErrorData(reply.error));
        break;
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.ownsWorker && this.#pending.size === 0) {
      this.#worker?.then(
        (worker) => worker.unref?.(),
        () => undefined,
      );
    }
    return pending;
  }
}

/** An engine in a worker. */
export class RemoteFakeTensor {
  /** @internal */
  constructor(
    private readonly connection: Connection,
    readonly info: EngineInfo,
  ) {}

  /** Reads a program. A Blob or a path is read in slices; bytes are copied once. */
  async open(from: RemoteOpenable, options: OpenOptions = {}): Promise<RemoteProgram> {
    const { name = nameOf(from), memoryLimit } = options;
    const opening = { name, ...(memoryLimit === undefined ? {} : { memoryLimit }) };
    const source = await postableSource(from);
    const { connection } = this;
    const reopen = (progressing: Progressing) =>
      connection.ask("open", () => ({ source, options: opening }), progressing);
    const close: Closing = (program, generation) =>
      connection.release("closeProgram", { program }, generation);
    const { result, generation } = await reopen(options);
    const again = async (): Promise<Placed<number>> => {
      const reopened = await reopen({});
      return { ...reopened, result: reopened.result.program };
    };
    return new RemoteProgram(
      new Lease(connection, close, again, { result: result.program, generation }),
      result.info,
    );
  }

  async operators(pattern = ""): Promise<OperatorInfo[]> {
    return this.connection.call("operators", () => ({ pattern }));
  }

  /** Ends what runs now (its promises reject with an `AbortError`) and goes on with a fresh worker. */
  restart(): void {
    this.connection.end(abortError());
  }

  /** Ends the worker for good. */
  terminate(): void {
    this.connection.close();
  }
}

/** Kept to open the program again in another worker: a Blob costs nothing to keep and to post. */
async function postableSource(from: RemoteOpenable): Promise<RemoteSource> {
  if (!(from instanceof Blob)) return "path" in from ? from : { blob: new Blob([from]) };
  // Another thread of Node cannot read a Blob that stands for a file.
  return { blob: isNode ? new Blob([await from.arrayBuffer()]) : from };
}

function nameOf(from: RemoteOpenable): string {
  if (typeof File === "function" && from instanceof File) return from.name;
  return "path" in from ? from.path : "";
}

/** Frees in the worker what a program or run that nobody holds any more has there. */
const forgotten = new FinalizationRegistry<Lease>((lease) => {
  lease.dispose().catch(() => undefined);
});

/** The number of something in the worker, made anew when the worker was replaced since. */
class Lease {
  #placed: Promise<Placed<number>>;
  #disposed = false;

  constructor(
    readonly connection: Connection,
    private readonly closing: Closing,
    private readonly make: () => Promise<Placed<number>>,
    placed: Placed<number>,
  ) {
    this.#placed = Promise.resolve(placed);
  }

  /** It in the present worker, or in one that has ended meanwhile: what is asked with it is then asked again. */
  async handle(): Promise<number> {
    this.#assertAlive();
    const last = this.#placed;
    // What could not be made is tried again.
    const { result, generation } = await last.catch(() => ({ result: 0, generation: -1 }));
    this.#assertAlive();
    if (generation === this.connection.generation) return result;
    if (this.#placed === last) this.#placed = this.make();
    return (await this.#placed).result;
  }

  /** Frees it, unless it has gone with its worker. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const placed = await this.#placed.catch(() => undefined);
    if (placed) await this.closing(placed.result, placed.generation);
  }

  #assertAlive(): void {
    if (this.#disposed) throw new TypeError("this object has been disposed");
  }
}

type Closing = (handle: number, generation: number) => Promise<void>;

/** The asynchronous twin of `Program`. */
export class RemoteProgram {
  /** @internal */
  constructor(
    private readonly lease: Lease,
    readonly info: ProgramInfo,
  ) {
    forgotten.register(this, lease, this);
  }

  async propagate(options: PropagateOptions = {}): Promise<RemoteRun> {
    const { onProgress, signal, ...whatIf } = options;
    const { connection } = this.lease;
    // It holds this program, which the run is made of once more in another worker.
    const propagate = (progressing: Progressing): Promise<Placed<Calls["propagate"]["result"]>> =>
      connection.ask(
        "propagate",
        async () => ({ program: await this.lease.handle(), options: whatIf }),
        progressing,
      );
    const { result, generation } = await propagate({
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
    const again = async (): Promise<Placed<number>> => {
      const repeated = await propagate({});
      return { ...repeated, result: repeated.result.run };
    };
    const close: Closing = (run, at) => connection.release("closeRun", { run }, at);
    return new RemoteRun(new Lease(connection, close, again, { result: result.run, generation }), result);
  }

  async layout(options: LayoutOptions = {}): Promise<Layout> {
    const expanded = [...(options.expanded ?? [])];
    const buffer = await this.lease.connection.call("layout", async () => ({
      program: await this.lease.handle(),
      expanded,
    }));
    return openLayout(buffer);
  }

  async dispose(): Promise<void> {
    forgotten.unregister(this);
    await this.lease.dispose();
  }
}

/** The asynchronous twin of `Run`. */
export class RemoteRun {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly milliseconds: number;
  #table: Promise<Table> | undefined;

  /** @internal */
  constructor(
    private readonly lease: Lease,
    reply: Calls["propagate"]["result"],
  ) {
    this.ok = reply.ok;
    this.problems = reply.problems;
    this.milliseconds = reply.milliseconds;
    forgotten.register(this, lease, this);
  }

  async value(name: string): Promise<Value | undefined> {
    return this.lease.connection.call("value", async () => ({ run: await this.lease.handle(), name }));
  }

  async node(index: number): Promise<NodeDetail> {
    return this.lease.connection.call("node", async () => ({ run: await this.lease.handle(), index }));
  }

  async symbols(): Promise<RunSymbol[]> {
    return this.lease.connection.call("symbols", async () => ({ run: await this.lease.handle() }));
  }

  async guards(): Promise<GuardInfo[]> {
    return this.lease.connection.call("guards", async () => ({ run: await this.lease.handle() }));
  }

  async why(node: string, dim: number): Promise<WhyStep[]> {
    return this.lease.connection.call("why", async () => ({ run: await this.lease.handle(), node, dim }));
  }

  async whatIf(symbols: SymbolSettings, nodes: readonly string[] = []): Promise<WhatIfResult> {
    return this.lease.connection.call("whatIf", async () => ({
      run: await this.lease.handle(),
      symbols,
      nodes,
    }));
  }

  /** Made in the worker, without `symbols` at the first call, and handed over without a copy. */
  table(symbols?: SymbolSettings): Promise<Table> {
    if (symbols !== undefined) return this.#fetchTable(symbols);
    this.#table ??= this.#fetchTable().catch((error: unknown) => {
      this.#table = undefined;
      throw error;
    });
    return this.#table;
  }

  async dispose(): Promise<void> {
    forgotten.unregister(this);
    await this.lease.dispose();
  }

  async #fetchTable(symbols?: SymbolSettings): Promise<Table> {
    return openTable(
      await this.lease.connection.call("table", async () => ({
        run: await this.lease.handle(),
        ...(symbols && { symbols }),
      })),
    );
  }
}
