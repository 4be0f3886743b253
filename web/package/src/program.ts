/** Programs and their runs: one call into the engine per graph, then plain data and typed arrays. */
import { checkPositive, checkText, toJson } from "./check.js";
import { CallGuard, type Engine } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import { defineMethods, type Methods, type programQuestions, type runQuestions } from "./questions.js";
import type { ByteSource } from "./source.js";
import type { Assumed, OpenOptions, Problem, ProgramInfo, PropagateOptions, Table } from "./types.js";

interface OpenReply {
  readonly program: number;
  readonly info: ProgramInfo;
}

interface PropagateReply {
  readonly run: number;
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly assumed: Assumed;
}

/** A program read from a `.pt2` archive or from ExportedProgram JSON. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class Program extends EngineResource {
  readonly #handle: number;

  private constructor(
    engine: Engine,
    handle: number,
    readonly info: ProgramInfo,
  ) {
    super(engine, (exports) => {
      exports.closeProgram(handle);
    });
    this.#handle = handle;
  }

  /** @internal */
  get handle(): number {
    this.assertAlive();
    return this.#handle;
  }

  /** @internal */
  static open(engine: Engine, source: ByteSource, options: OpenOptions): Program {
    const { name = "input", memoryLimit } = options;
    checkText("the name of a program", name);
    if (memoryLimit !== undefined) checkPositive("memoryLimit", memoryLimit);
    const guard = new CallGuard(options);
    const reply = guard.run(() =>
      engine.json<OpenReply>((exports) => exports.openProgram(guard.source(source), name, memoryLimit ?? 0)),
    );
    return new Program(engine, reply.program, reply.info);
  }

  /** Evaluates every node. Errors of the program are in {@link Run.problems}; only wrong options throw. */
  propagate(options: PropagateOptions = {}): Run {
    const { handle } = this;
    const whatIf: PropagateOptions = { ...options };
    delete whatIf.onProgress;
    delete whatIf.signal;
    const text = toJson("the options of propagate()", whatIf);
    const guard = new CallGuard(options);
    const started = performance.now();
    const reply = guard.run(() =>
      this.engine.json<PropagateReply>((exports) => exports.propagate(handle, text, guard.progress)),
    );
    return new Run(this.engine, reply, performance.now() - started);
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface Program extends Methods<typeof programQuestions> {}

/** The values of all nodes of a program for one set of inputs. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class Run extends EngineResource {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** How many there are of what {@link Run.assumptions} lists. */
  readonly assumed: Assumed;
  /** Wall time of the propagation. */
  readonly milliseconds: number;
  readonly #handle: number;
  /** @internal Without settings of symbols. */
  plainTable: Table | undefined;

  /** @internal */
  constructor(engine: Engine, reply: PropagateReply, milliseconds: number) {
    const handle = reply.run;
    super(engine, (exports) => {
      exports.closeRun(handle);
    });
    this.#handle = handle;
    this.ok = reply.ok;
    this.problems = reply.problems;
    this.assumed = reply.assumed;
    this.milliseconds = milliseconds;
  }

  /** @internal */
  get handle(): number {
    this.assertAlive();
    return this.#handle;
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface Run extends Methods<typeof runQuestions> {}

defineMethods(Program.prototype, "program", ({ engine, handle }, asked, read) =>
  read(engine.answer(handle, asked())),
);
defineMethods(Run.prototype, "run", ({ engine, handle }, asked, read) =>
  read(engine.answer(handle, asked())),
);

const { table } = Run.prototype;
Run.prototype.table = function (this: Run, symbols) {
  if (symbols !== undefined) return table.call(this, symbols);
  return (this.plainTable ??= table.call(this));
};
