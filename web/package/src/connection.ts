/** One worker after the other behind `connect()`: what is asked of it, what it has not answered, and how it is replaced. */
import { EngineFailure, abortError, fromErrorData } from "./errors.js";
import { channel, isMessage, type CallName, type Calls, type Reply } from "./protocol.js";
import type { EngineInfo, Progressing } from "./types.js";

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

/** Why a request failed that had no part in its worker's end: it is made again in the next worker. */
const replaced = Symbol("the worker was replaced");

/** What a worker answered, and which. */
export interface Placed<Result> {
  readonly result: Result;
  readonly generation: number;
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (reason: unknown) => void;
  onProgress: Progressing["onProgress"];
}

/** One worker at a time and the requests it has not answered. */
export class Connection {
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
    private readonly files: Calls["load"]["args"],
    /** Whether a process of Node goes on for the worker's sake only while it has something to answer. */
    private readonly ownsWorker: boolean,
  ) {}

  /** Starts the worker, if none runs, and loads its engine. */
  async info(): Promise<EngineInfo> {
    this.#info ??= this.#post("load", this.files).answer;
    const info = this.#info;
    try {
      return await info;
    } catch (error) {
      if (this.#info === info) this.#info = undefined;
      throw error;
    }
  }

  /**
   * Asks the worker, and says which one answered. `args` is called when they are needed, and again when the worker was
   * replaced because of another call; with them comes the worker whose numbers they name.
   */
  async ask<Name extends CallName>(
    name: Name,
    args: () => Placed<Calls[Name]["args"]> | Promise<Placed<Calls[Name]["args"]>>,
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

  /** Arguments that name nothing of a worker. */
  anywhere<Args>(args: Args): Placed<Args> {
    return { result: args, generation: this.generation };
  }

  async #attempt<Name extends CallName>(
    name: Name,
    args: () => Placed<Calls[Name]["args"]> | Promise<Placed<Calls[Name]["args"]>>,
    { signal, onProgress }: Progressing,
  ): Promise<Placed<Calls[Name]["result"]>> {
    const { generation } = this;
    await this.info();
    const given = await args();
    if (signal?.aborted) throw abortError(signal);
    // From here to the post nothing is awaited: the arguments name what lives in the worker that gets them.
    if (generation !== this.generation || given.generation !== this.generation)
      throw this.#endedBy instanceof EngineFailure ? replaced : this.#endedBy;
    const { id, answer } = this.#post(name, given.result, onProgress);
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
    return { id, answer: answer };
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
