/** Programs and their runs: one call into the engine per graph, then plain data and typed arrays. */
import { checkInteger, checkPositive, checkText, toJson } from "./check.js";
import { CallGuard, type Engine } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import { openLayout, openTable } from "./packed.js";
import type { ByteSource } from "./source.js";
import type {
  GuardInfo,
  Layout,
  LayoutOptions,
  NodeDetail,
  OpenOptions,
  OpProfiles,
  Problem,
  ProgramInfo,
  PropagateOptions,
  RunSymbol,
  SymbolSettings,
  Table,
  Value,
  WhatIfResult,
  WhyStep,
} from "./types.js";

interface OpenReply {
  readonly program: number;
  readonly info: ProgramInfo;
}

interface PropagateReply {
  readonly run: number;
  readonly ok: boolean;
  readonly problems: readonly Problem[];
}

/** A program read from a `.pt2` archive or from ExportedProgram JSON. */
export class Program extends EngineResource {
  private constructor(
    engine: Engine,
    /** @internal */ readonly handle: number,
    readonly info: ProgramInfo,
  ) {
    super(engine, (exports) => {
      exports.closeProgram(handle);
    });
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
    this.assertAlive();
    const whatIf: PropagateOptions = { ...options };
    delete whatIf.onProgress;
    delete whatIf.signal;
    const text = toJson("the options of propagate()", whatIf);
    const guard = new CallGuard(options);
    const started = performance.now();
    const reply = guard.run(() =>
      this.engine.json<PropagateReply>((exports) => exports.propagate(this.handle, text, guard.progress)),
    );
    return new Run(this.engine, reply, performance.now() - started);
  }

  /** Profiles of the operators without a rule, from what the file records of them. */
  recordProfiles(): OpProfiles {
    this.assertAlive();
    return this.engine.json<{ readonly profiles: OpProfiles }>((exports) =>
      exports.recordProfiles(this.handle),
    ).profiles;
  }

  /** Where each node and module is drawn. */
  layout(options: LayoutOptions = {}): Layout {
    return openLayout(this.packedLayout(options));
  }

  /** @internal */
  packedLayout(options: LayoutOptions): ArrayBuffer {
    this.assertAlive();
    const expanded = toJson("expanded", [...(options.expanded ?? [])]);
    return this.engine.buffer((exports) => exports.layout(this.handle, expanded));
  }
}

/** The values of all nodes of a program for one set of inputs. */
export class Run extends EngineResource {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** Wall time of the propagation. */
  readonly milliseconds: number;
  readonly #handle: number;
  #table: Table | undefined;

  /** @internal */
  constructor(engine: Engine, reply: PropagateReply, milliseconds: number) {
    const handle = reply.run;
    super(engine, (exports) => {
      exports.closeRun(handle);
    });
    this.#handle = handle;
    this.ok = reply.ok;
    this.problems = reply.problems;
    this.milliseconds = milliseconds;
  }

  /** @internal */
  get handle(): number {
    this.assertAlive();
    return this.#handle;
  }

  /** The value of a node, or of one output of a node with several, by name; undefined if there is no such name. */
  value(name: string): Value | undefined {
    const { handle } = this;
    checkText("the name of a value", name);
    return this.engine.json<{ readonly val?: Value }>((exports) => exports.runValue(handle, name)).val;
  }

  /** Everything about the node in row `index` of {@link table}. */
  node(index: number): NodeDetail {
    const { handle } = this;
    checkInteger("the row of a node", index);
    return this.engine.json<NodeDetail>((exports) => exports.runNode(handle, index));
  }

  /** The symbols in the sizes of the run, with where they come from and what they became. */
  symbols(): RunSymbol[] {
    const { handle } = this;
    return this.engine.json<{ readonly symbols: RunSymbol[] }>((exports) => exports.runSymbols(handle))
      .symbols;
  }

  /** Every guard, specialisation and deferred assert of the run, with the node that caused it. */
  guards(): GuardInfo[] {
    const { handle } = this;
    return this.engine.json<{ readonly guards: GuardInfo[] }>((exports) => exports.runGuards(handle)).guards;
  }

  /**
   * Why dimension `dim` of a node's tensor has its size: the chain back to an input, to a number of the program or to
   * data. Negative dimensions count from the last.
   */
  why(node: string, dim: number): WhyStep[] {
    const { handle } = this;
    checkText("the name of a node", node);
    checkInteger("a dimension", dim);
    return this.engine.json<{ readonly steps: WhyStep[] }>((exports) => exports.runWhy(handle, node, dim))
      .steps;
  }

  /**
   * Which guards do not hold for other sizes, and the sizes of outputs and of `nodes` under them. Nothing is propagated
   * again: where a guard is broken, {@link Program.propagate} with these sizes says what PyTorch would answer.
   */
  whatIf(symbols: SymbolSettings, nodes: readonly string[] = []): WhatIfResult {
    const { handle } = this;
    const settings = toJson("the settings of whatIf()", { symbols, nodes });
    return this.engine.json<WhatIfResult>((exports) => exports.runWhatIf(handle, settings));
  }

  /**
   * All nodes as columns, with symbolic sizes as each node answered them; made at the first call. With `symbols`, which
   * may be empty, sizes are by what the run knew at its end, under these settings: nothing is propagated again, which is
   * right where {@link whatIf} says that every guard holds.
   */
  table(symbols?: SymbolSettings): Table {
    if (symbols !== undefined) return openTable(this.packedTable(symbols));
    this.#table ??= openTable(this.packedTable());
    return this.#table;
  }

  /** @internal */
  packedTable(symbols?: SymbolSettings): ArrayBuffer {
    const { handle } = this;
    const settings = toJson("the settings of table()", symbols ?? null);
    return this.engine.buffer((exports) => exports.runTable(handle, settings));
  }
}
