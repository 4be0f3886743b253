/** Programs and their runs: one call into the engine per graph, then plain data and typed arrays. */
import { checkPositive, checkText, toJson } from "./check.js";
import { CallGuard, type Engine } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import { runPasses, type Pass } from "./passes.js";
import { defineMethods, type Methods, type programQuestions, type runQuestions } from "./questions.js";
import { bytesSource, type ByteSource } from "./source.js";
import { FakeTensorError, type ErrorData } from "./errors.js";
import type {
  Assumed,
  OpenOptions,
  PassReport,
  Problem,
  ProgramInfo,
  Progressing,
  PropagateOptions,
  Table,
  TextProblem,
} from "./types.js";

interface OpenReply {
  readonly program: number;
  readonly info: ProgramInfo;
  readonly textProblems?: readonly TextProblem[];
}

/** Where a program is read again, for passes and to be written. */
interface Sources {
  readonly graph: ByteSource;
  /** The archive with its weights, and why they do not fit what passes made of it. */
  readonly archive: ByteSource;
  readonly refusal?: ErrorData | null;
}

/** What passes made of a program. */
export interface PassResult extends PassReport {
  /** The new program. @throws FakeTensorError where what came of it is no exported program: a graph split into modules. */
  readonly program: Program;
}

interface PropagateReply {
  readonly run: number;
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly assumed: Assumed;
}

/** A program read from a `.pt2` archive, from ExportedProgram JSON or from FX text. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- defineMethods defines them
export class Program extends EngineResource {
  /** What of a program that is text could not be read, and warnings; empty for other files. */
  readonly textProblems: readonly TextProblem[];
  readonly #handle: number;

  private constructor(
    engine: Engine,
    { program: handle, textProblems = [] }: OpenReply,
    readonly info: ProgramInfo,
    private readonly sources: Sources,
  ) {
    super(engine, (exports) => {
      exports.closeProgram(handle);
    });
    this.#handle = handle;
    this.textProblems = textProblems;
  }

  /** @internal */
  get handle(): number {
    this.assertAlive();
    return this.#handle;
  }

  /** @internal */
  static open(engine: Engine, source: ByteSource, options: OpenOptions): Program {
    return Program.#open(engine, { graph: source, archive: source }, options);
  }

  static #open(engine: Engine, sources: Sources, options: OpenOptions): Program {
    const { name = "input", memoryLimit, keepGoing = false, sections = false, bodies = false } = options;
    checkText("the name of a program", name);
    if (memoryLimit !== undefined) checkPositive("memoryLimit", memoryLimit);
    const guard = new CallGuard(options);
    const reply = guard.run(() =>
      engine.json<OpenReply>((exports) =>
        exports.openProgram(guard.source(sources.graph), name, memoryLimit ?? 0, keepGoing, sections, bodies),
      ),
    );
    return new Program(engine, reply, reply.info, sources);
  }

  /**
   * Runs passes, one after the other: names of `ft.passes()`, with an argument behind a slash, patterns, and passes of
   * functions (`ft.exportPass()`). This program stays as it is. The file is read again: bytes that were given must be there still.
   */
  runPass(passes: Pass | readonly Pass[], options: Progressing = {}): PassResult {
    this.assertAlive();
    const { graph, archive } = this.sources;
    const list = Array.isArray(passes) ? (passes as readonly Pass[]) : [passes as Pass];
    const {
      bytes,
      refusal,
      weights,
      diff,
      passes: told,
    } = this.#reading(() => runPasses(this.engine, graph, this.info.name, list, new CallGuard(options)));
    const { engine, info } = this;
    const modified = told.some((pass) => pass.modified);
    if (refusal) return withoutProgram({ passes: told, modified, diff }, bytes, refusal);
    const sources: Sources = { graph: bytesSource(new Uint8Array(bytes)), archive, refusal: weights };
    const program = Program.#open(engine, sources, { name: info.name });
    return { program, modified, passes: told, diff };
  }

  /** As an exported program's JSON, which `torch.export.load` and PyTorch's deserialiser read. */
  toJson(): string {
    this.assertAlive();
    const guard = new CallGuard({});
    const bytes = this.#reading(() =>
      guard.run(() => {
        this.engine.json((exports) => exports.writeJson(guard.source(this.sources.graph), this.info.name));
        return this.engine.buffer((exports) => exports.columns("engine.written", 0, "{}"));
      }),
    );
    return new TextDecoder().decode(bytes);
  }

  /**
   * As a `.pt2` archive, with the weights of the archive that it was opened from; without where it has none.
   * @throws FakeTensorError where it has and the file was no archive, and where passes gave a weight another size, dtype or device.
   */
  toPt2(): Uint8Array<ArrayBuffer> {
    const { archive, graph, refusal } = this.sources;
    this.assertAlive();
    if (refusal) throw new FakeTensorError(refusal);
    const program = archive === graph ? "" : this.toJson();
    const guard = new CallGuard({});
    const pieces: Uint8Array[] = [];
    const sink = (piece: Uint8Array): boolean => {
      pieces.push(piece.slice());
      return true;
    };
    this.#reading(() =>
      guard.run(() =>
        this.engine.json((exports) => exports.writeArchive(guard.source(archive), program, sink)),
      ),
    );
    return joined(pieces);
  }

  /** Sources that are closed after use are so again. */
  #reading<T>(read: () => T): T {
    const { graph, archive } = this.sources;
    try {
      return read();
    } finally {
      graph.close?.();
      if (archive !== graph) archive.close?.();
    }
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

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Of passes whose graph is no exported program: its text can be read, the program cannot. */
function withoutProgram(report: PassReport, bytes: ArrayBuffer, refusal: ErrorData): PassResult {
  return {
    ...report,
    text: new TextDecoder().decode(bytes),
    get program(): Program {
      throw new FakeTensorError(refusal);
    },
  };
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
