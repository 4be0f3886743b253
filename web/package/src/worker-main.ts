/** The worker's side of `faketensor/worker`: an engine that answers the messages of protocol.ts. */
import type * as WorkerThreads from "node:worker_threads";
import { toErrorData, type ErrorData } from "./errors.js";
import {
  load,
  type FakeTensor,
  type OpenOptions,
  type PassReport,
  type PassResult,
  type Program,
  type Run,
} from "./index.js";
import { channel, isMessage, type CallName, type Calls, type Reply, type Request } from "./protocol.js";
import { isNode, nodeModule } from "./node.js";
import { fileSource, sourceOfBlob, type ByteSource } from "./source.js";

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

type Progress = (done: number, total: number) => void;

/** Progress is posted at most this often, in milliseconds: a message per node would cost more than the node. */
const progressInterval = 40;

/** After a run and so many milliseconds without a question, nobody waits for anything. */
const idleAfter = 1500;

class Server {
  #engine: Promise<FakeTensor> | undefined;
  readonly #programs = new Registry<Program>("program");
  readonly #runs = new Registry<Run>("run");
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly port: Port) {}

  async answer(request: Request): Promise<void> {
    try {
      const result = await this.#dispatch(request, this.#progressOf(request.id));
      this.#post({ channel, id: request.id, kind: "result", result });
    } catch (error) {
      this.#post({ channel, id: request.id, kind: "error", error: toErrorData(error) });
    }
    if (!isNode && this.#runs.used) this.#loadRestWhenIdle();
  }

  /**
   * The next program may need what the engine's second file has. It is fetched after the first picture, so that a call seldom
   * waits for it, and the page needs no network from then on.
   */
  #loadRestWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      // Where that fails, the call that needs it tries again and says so.
      this.#engine?.then(({ engine }) => engine.loadRest()).catch(() => undefined);
    }, idleAfter);
  }

  async #dispatch(request: Request, onProgress: Progress): Promise<Calls[CallName]["result"]> {
    switch (request.call) {
      case "load":
        this.#engine = load(request.args);
        return (await this.#engine).info;
      case "open": {
        const { source, options } = request.args;
        const bytes = "blob" in source ? await sourceOfBlob(source.blob) : await fileSource(source.path);
        return this.#open(bytes, { ...options, onProgress });
      }
      case "runPass": {
        const { program, passes } = request.args;
        const result = this.#programs.get(program).runPass(passes, { onProgress });
        const report: PassReport = {
          modified: result.modified,
          passes: result.passes,
          diff: result.diff,
          ...(result.text !== undefined && { text: result.text }),
        };
        if (result.text !== undefined) return { report, made: refusalOf(result) };
        return { report, made: { program: this.#programs.add(result.program), info: result.program.info } };
      }
      case "write": {
        const program = this.#programs.get(request.args.program);
        return request.args.form === "json" ? program.toJson() : program.toPt2().buffer;
      }
      case "closeProgram":
        this.#programs.remove(request.args.program).dispose();
        return null;
      case "propagate": {
        const { program, options } = request.args;
        const run = this.#programs.get(program).propagate({ ...options, onProgress });
        const { ok, problems, assumed, milliseconds } = run;
        return { run: this.#runs.add(run), ok, problems, assumed, milliseconds };
      }
      case "closeRun":
        this.#runs.remove(request.args.run).dispose();
        return null;
      case "ask":
        return this.#ask(request.args);
    }
  }

  async #open(bytes: ByteSource, options: OpenOptions): Promise<Calls["open"]["result"]> {
    const program = (await this.#loaded()).open(bytes, options);
    const { info, textProblems } = program;
    return { program: this.#programs.add(program), info, textProblems };
  }

  /** Programs and runs have numbers of ours, under which they are kept. */
  async #ask({ of, asked }: Calls["ask"]["args"]): Promise<unknown> {
    const { engine } = await this.#loaded();
    if (asked.question.startsWith("run.")) return engine.answer(this.#runs.get(of).handle, asked);
    if (asked.question.startsWith("program.")) return engine.answer(this.#programs.get(of).handle, asked);
    return engine.answer(0, asked);
  }

  #loaded(): Promise<FakeTensor> {
    this.#engine ??= load();
    return this.#engine;
  }

  #progressOf(id: number): Progress {
    let posted = performance.now();
    return (done, total) => {
      const now = performance.now();
      if (now - posted < progressInterval) return;
      posted = now;
      this.#post({ channel, id, kind: "progress", done, total });
    };
  }

  #post(reply: Reply): void {
    const transfer = reply.kind === "result" && reply.result instanceof ArrayBuffer ? [reply.result] : [];
    this.port.postMessage(reply, transfer);
  }
}

/** Why passes made no program. */
function refusalOf(result: PassResult): ErrorData {
  try {
    return { class: "UsageError", message: result.program.info.name };
  } catch (error) {
    return toErrorData(error);
  }
}

/** Objects that the other side names by numbers. */
class Registry<T> {
  readonly #items = new Map<number, T>();
  #next = 1;

  constructor(private readonly what: string) {}

  /** Whether there has ever been one. */
  get used(): boolean {
    return this.#next > 1;
  }

  add(item: T): number {
    this.#items.set(this.#next, item);
    return this.#next++;
  }

  get(id: number): T {
    const item = this.#items.get(id);
    if (item === undefined) throw new TypeError(`there is no ${this.what} ${id}`);
    return item;
  }

  remove(id: number): T {
    const item = this.get(id);
    this.#items.delete(id);
    return item;
  }
}

function serve(port: Port, listen: (receive: (data: unknown) => void) => void): void {
  const server = new Server(port);
  listen((data) => {
    if (isMessage(data) && "call" in data) void server.answer(data as Request);
  });
}

if (isNode) {
  const { parentPort } = await nodeModule<typeof WorkerThreads>("node:worker_threads");
  if (parentPort) {
    serve(parentPort, (receive) => {
      parentPort.on("message", receive);
    });
  }
} else {
  serve(self as unknown as Port, (receive) => {
    self.addEventListener("message", (event) => {
      receive(event.data);
    });
  });
}
