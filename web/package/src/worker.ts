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
import { Connection, type Placed, type WorkerLike } from "./connection.js";
import { abortError, fromErrorData } from "./errors.js";
import type { Calls, RemoteSource, RemoteWasm } from "./protocol.js";
import { isNode, nodeModule } from "./node.js";
import type { PatternPass } from "./pattern.js";
import {
  defineMethods,
  type Asked,
  type engineQuestions,
  type programQuestions,
  type RemoteMethods,
  type runQuestions,
} from "./questions.js";
import type {
  Assumed,
  EngineInfo,
  OpenOptions,
  PassReport,
  Problem,
  ProgramInfo,
  Progressing,
  PropagateOptions,
  Table,
  TextProblem,
} from "./types.js";

export type { WorkerLike } from "./connection.js";
export { EngineFailure, FakeTensorError } from "./errors.js";
export { dimOf, dimsOf } from "./packed.js";
export * from "./types.js";

/** A pass that can be posted to a worker. */
type Posted = string | PatternPass;

export interface ConnectOptions {
  /** As for `load`; what cannot be posted to a worker is read here first. */
  wasm?: RemoteWasm | URL | Response;
  /** The second file. */
  rest?: RemoteWasm | URL | Response;
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
  const [wasm, rest] = await Promise.all([postable(options.wasm), postable(options.rest)]);
  const files = { ...(wasm !== undefined && { wasm }), ...(rest !== undefined && { rest }) };
  const connection = new Connection(starterOf(worker), files, worker === undefined);
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
  const here = new URL(import.meta.url);
  // Literally so, and only here: bundlers bundle the script of a new Worker, but copy a file that is merely named. (webpack's
  // import.meta.url is the source's address on its disk.)
  if (here.origin === location.origin || !here.protocol.startsWith("http"))
    return new Worker(new URL("./worker-main.js", import.meta.url), { type: "module" });
  // A worker's own script must be of the page's origin; what it imports may come from another that allows it (CORS).
  const text = `(${startFrom.toString()})(${JSON.stringify(beside("./worker-main.js", here))})`;
  return new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { type: "module" });
}

/** The address of a file beside another, out of the sight of bundlers. */
function beside(file: string, base: URL): string {
  return new URL(file, base).href;
}

/** Runs in the worker, by its text: imports the script, and hands it what was posted meanwhile. */
function startFrom(script: string): void {
  const waiting: unknown[] = [];
  const keep = ({ data }: MessageEvent): void => {
    waiting.push(data);
  };
  addEventListener("message", keep);
  import(/* webpackIgnore: true */ /* @vite-ignore */ script).then(
    () => {
      removeEventListener("message", keep);
      for (const data of waiting) dispatchEvent(new MessageEvent("message", { data }));
    },
    (error: unknown) => {
      setTimeout(() => {
        throw error;
      });
    },
  );
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

/** An engine in a worker. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class RemoteFakeTensor {
  /** @internal */
  constructor(
    /** @internal */ readonly connection: Connection,
    readonly info: EngineInfo,
  ) {}

  /** Reads a program. A Blob or a path is read in slices; bytes are copied once. */
  async open(from: RemoteOpenable, options: OpenOptions = {}): Promise<RemoteProgram> {
    const { name = nameOf(from), memoryLimit, keepGoing, sections = false, bodies = false } = options;
    const opening = {
      name,
      sections,
      bodies,
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
      ...(keepGoing === undefined ? {} : { keepGoing }),
    };
    const source = await postableSource(from);
    const { connection } = this;
    const reopen = (progressing: Progressing) =>
      connection.ask("open", () => connection.anywhere({ source, options: opening }), progressing);
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
      result.textProblems,
    );
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

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface RemoteFakeTensor extends RemoteMethods<typeof engineQuestions> {}

defineMethods(RemoteFakeTensor.prototype, "engine", async ({ connection }, asked, read) => {
  const args = { of: 0, asked: asked() };
  return read((await connection.ask("ask", () => connection.anywhere(args))).result);
});

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
  async placed(): Promise<Placed<number>> {
    this.#assertAlive();
    const last = this.#placed;
    // What could not be made is tried again.
    const placed = await last.catch(() => ({ result: 0, generation: -1 }));
    this.#assertAlive();
    if (placed.generation === this.connection.generation) return placed;
    if (this.#placed === last) this.#placed = this.make();
    return await this.#placed;
  }

  /** The answer to a question about it. */
  async ask(asked: Asked): Promise<unknown> {
    const { result } = await this.connection.ask("ask", async () => {
      const { result: of, generation } = await this.placed();
      return { result: { of, asked }, generation };
    });
    return result;
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

/** What passes made of a program: another one, or why it is none (`text` has its graph then). */
export interface RemotePassResult extends PassReport {
  readonly program?: RemoteProgram;
  readonly refusal?: Error;
}

/** The asynchronous twin of `Program`. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class RemoteProgram {
  /** @internal */
  constructor(
    /** @internal */ readonly lease: Lease,
    readonly info: ProgramInfo,
    readonly textProblems: readonly TextProblem[] = [],
  ) {
    forgotten.register(this, lease, this);
  }

  /** As `Program.runPass`, by names of `passes()` and patterns; functions cannot be posted. A new program where there is one. */
  async runPass(passes: Posted | readonly Posted[], options: Progressing = {}): Promise<RemotePassResult> {
    const { connection } = this.lease;
    const list: readonly unknown[] = Array.isArray(passes) ? passes : [passes];
    if (list.some((pass) => typeof pass !== "string" && !(pass as PatternPass | null)?.pattern))
      throw new TypeError("a pass of functions runs in the thread that has them: use load(), not connect()");
    const run = (progressing: Progressing): Promise<Placed<Calls["runPass"]["result"]>> =>
      connection.ask(
        "runPass",
        async () => {
          const { result: program, generation } = await this.lease.placed();
          return { result: { program, passes: list as readonly Posted[] }, generation };
        },
        progressing,
      );
    const { result, generation } = await run(options);
    const { report, made } = result;
    if (!("program" in made)) return { ...report, refusal: fromErrorData(made) };
    const again = async (): Promise<Placed<number>> => {
      const repeated = await run({});
      return { ...repeated, result: (repeated.result.made as typeof made).program };
    };
    const close: Closing = (program, at) => connection.release("closeProgram", { program }, at);
    const lease = new Lease(connection, close, again, { result: made.program, generation });
    return { ...report, program: new RemoteProgram(lease, made.info) };
  }

  async toJson(): Promise<string> {
    return (await this.#write("json")) as string;
  }

  /** As `Program.toPt2`. */
  async toPt2(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array((await this.#write("pt2")) as ArrayBuffer);
  }

  async #write(form: "json" | "pt2"): Promise<string | ArrayBuffer> {
    const { result } = await this.lease.connection.ask("write", async () => {
      const { result: program, generation } = await this.lease.placed();
      return { result: { program, form }, generation };
    });
    return result;
  }

  async propagate(options: PropagateOptions = {}): Promise<RemoteRun> {
    const { onProgress, signal, ...whatIf } = options;
    const { connection } = this.lease;
    // It holds this program, which the run is made of once more in another worker.
    const propagate = (progressing: Progressing): Promise<Placed<Calls["propagate"]["result"]>> =>
      connection.ask(
        "propagate",
        async () => {
          const { result: program, generation } = await this.lease.placed();
          return { result: { program, options: whatIf }, generation };
        },
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

  async dispose(): Promise<void> {
    forgotten.unregister(this);
    await this.lease.dispose();
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface RemoteProgram extends RemoteMethods<typeof programQuestions> {}

/** The asynchronous twin of `Run`. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class RemoteRun {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly assumed: Assumed;
  readonly milliseconds: number;
  /** @internal Without settings of symbols. */
  plainTable: Promise<Table> | undefined;

  /** @internal */
  constructor(
    /** @internal */ readonly lease: Lease,
    reply: Calls["propagate"]["result"],
  ) {
    this.ok = reply.ok;
    this.problems = reply.problems;
    this.assumed = reply.assumed;
    this.milliseconds = reply.milliseconds;
    forgotten.register(this, lease, this);
  }

  async dispose(): Promise<void> {
    forgotten.unregister(this);
    await this.lease.dispose();
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface RemoteRun extends RemoteMethods<typeof runQuestions> {}

defineMethods(RemoteProgram.prototype, "program", async ({ lease }, asked, read) =>
  read(await lease.ask(asked())),
);
defineMethods(RemoteRun.prototype, "run", async ({ lease }, asked, read) => read(await lease.ask(asked())));

/** Handed over from the worker without a copy; without `symbols` at the first call. */
const { table } = RemoteRun.prototype;
RemoteRun.prototype.table = function (this: RemoteRun, symbols) {
  if (symbols !== undefined) return table.call(this, symbols);
  return (this.plainTable ??= table.call(this).catch((error: unknown) => {
    this.plainTable = undefined;
    throw error;
  }));
};
