/**
 * What can be asked of the engine, of a program and of a run: a row per question. The methods of `Program` and `Run`,
 * those of their twins behind a worker and what is posted between them follow from these tables, and each row has its
 * other half in wasm/queries.cpp (`run.why`).
 */
import { checkInteger, checkText, toJson } from "./check.js";
import { openLayout, openTable } from "./packed.js";
import type {
  AllocatorReport,
  Assumption,
  ChromeTraceOptions,
  DraftReport,
  FitOptions,
  FitReport,
  FlopReport,
  GuardInfo,
  KeyAverages,
  KeyAveragesOptions,
  Layout,
  LayoutOptions,
  MemoryOptions,
  MemoryReport,
  MemoryTimelineData,
  MemoryTimelineOptions,
  NodeDetail,
  OpProfiles,
  OperatorInfo,
  PassInfo,
  ProgramSource,
  RunCosts,
  RunSymbol,
  RunTrace,
  SymbolSettings,
  Table,
  TextForm,
  TimeReport,
  TraceOptions,
  Value,
  WhatIfResult,
  WhyStep,
  WorkReport,
} from "./types.js";

type AnyMethod = (...given: never[]) => unknown;

/** An argument's name in wasm/queries.cpp, and what is handed over for what was given in its place, or among `all`. */
type Parameter = readonly [name: string, take: (given: unknown, all: readonly unknown[]) => unknown];

/** One question, asked by a method of that type. */
export interface Question<Method extends AnyMethod> {
  readonly parameters: readonly Parameter[];
  /** Whether the answer is a packed buffer (packed.ts) and not JSON. */
  readonly isPacked: boolean;
  readonly read: (answer: unknown) => ReturnType<Method>;
  /** The type alone. */
  readonly method?: Method;
}

/** The methods that ask the questions of a table. */
export type Methods<Questions> = {
  [Name in keyof Questions]: Questions[Name] extends Question<infer Method> ? Method : never;
};

/** The same across threads. */
export type RemoteMethods<Questions> = {
  [Name in keyof Questions]: Questions[Name] extends Question<infer Method>
    ? (...given: Parameters<Method>) => Promise<ReturnType<Method>>
    : never;
};

function ask<Method extends AnyMethod>(
  parameters: readonly Parameter[] = [],
  read = (answer: unknown) => answer as ReturnType<Method>,
): Question<Method> {
  return { parameters, read, isPacked: false };
}

function columns<Method extends AnyMethod>(
  parameters: readonly Parameter[],
  open: (buffer: ArrayBuffer) => ReturnType<Method>,
): Question<Method> {
  return { parameters, read: (answer) => open(answer as ArrayBuffer), isPacked: true };
}

function text(name: string, what: string, otherwise?: string): Parameter {
  return [
    name,
    (given = otherwise) => {
      checkText(what, given);
      return given;
    },
  ];
}

function integer(name: string, what: string): Parameter {
  return [
    name,
    (given) => {
      checkInteger(what, given);
      return given;
    },
  ];
}

/** Plain data, which JSON takes as it is. */
function data(name: string, otherwise?: unknown): Parameter {
  return [name, (given = otherwise) => given];
}

/** The members of an object of options, each checked; another is refused. */
function options(what: string, members: Readonly<Record<string, (given: unknown) => unknown>>): Parameter[] {
  const names = Object.keys(members);
  return Object.entries(members).map(([name, take]) => [
    name,
    (_, [given = {}]) => {
      if (typeof given !== "object" || given === null)
        throw new TypeError(`the options of ${what} must be an object`);
      for (const key of Object.keys(given))
        if (!names.includes(key)) throw new TypeError(`${what} has no option '${key}'`);
      return take((given as Readonly<Record<string, unknown>>)[name]);
    },
  ]);
}

function optionalText(what: string, otherwise: string | null = null): (given: unknown) => unknown {
  return (given = otherwise) => {
    if (given !== null) checkText(what, given);
    return given;
  };
}

function flag(what: string): (given: unknown) => unknown {
  return (given = false) => {
    if (typeof given !== "boolean") throw new TypeError(`${what} must be true or false`);
    return given;
  };
}

function traceOptions(
  what: string,
  more: Readonly<Record<string, (given: unknown) => unknown>> = {},
): Parameter[] {
  return options(what, {
    target: optionalText(`the target of ${what}`),
    again: flag("'again'"),
    ...more,
  });
}

export const engineQuestions = {
  /** The known operators whose name contains `pattern`, sorted by name. */
  operators: ask<(pattern?: string) => OperatorInfo[]>([text("pattern", "the pattern of operators()", "")]),
  /** The passes that `runPass()` knows by name. */
  passes: ask<() => PassInfo[]>(),
};

export const programQuestions = {
  /** Profiles of the operators without a rule, from what the file records of them. */
  recordProfiles: ask<() => OpProfiles>(),
  /** What `torch.export.draft_export` would report of it, as far as the file tells. */
  draftReport: ask<() => DraftReport>(),
  /** The program as text; the readable one can be opened again. */
  text: ask<(form?: TextForm) => string>([text("form", "the form of a text", "readable")]),
  /** Its text with the line of each node. */
  source: ask<() => ProgramSource>(),
  /** Where each node and module is drawn. */
  layout: columns<(options?: LayoutOptions) => Layout>(
    [
      ["expanded", (options) => [...((options as LayoutOptions | undefined)?.expanded ?? [])]],
      ["plumbing", (_, [options]) => (options as LayoutOptions | undefined)?.plumbing ?? true],
    ],
    openLayout,
  ),
};

export const runQuestions = {
  /** The value of a node, or of one output of a node with several, by name; undefined if there is no such name. */
  value: ask<(name: string) => Value | undefined>(
    [text("name", "the name of a value")],
    (answer) => (answer as { readonly val?: Value }).val,
  ),
  /** Everything about the node in row `index` of `table()`. */
  node: ask<(index: number) => NodeDetail>([integer("index", "the row of a node")]),
  /** The symbols in the sizes of the run, with where they come from and what they became. */
  symbols: ask<() => RunSymbol[]>(),
  /** Every guard, specialisation and deferred assert of the run, with the node that caused it. */
  guards: ask<() => GuardInfo[]>(),
  /** What was taken for part of the example, in the order of the nodes; empty where nothing was changed. */
  assumptions: ask<() => Assumption[]>(),
  /**
   * The bytes alive while the program runs, and who holds them at the peak. The first to ask of a run propagates again.
   * With `train`, those of a training step too, which is propagated anew each time.
   */
  memory: ask<(options?: MemoryOptions) => MemoryReport>([data("options", {})]),
  /**
   * What PyTorch's caching allocator makes of the run's storages, under each of these settings: texts as
   * `PYTORCH_ALLOC_CONF` takes them, "" for PyTorch's own. With `deviceMemory` the bytes of the GPU.
   */
  allocator: ask<(settings?: readonly string[], deviceMemory?: number) => AllocatorReport[]>([
    data("settings", [""]),
    data("deviceMemory", 0),
  ]),
  /** The same as a snapshot with its history, a file that pytorch.org/memory_viz and `torch.cuda._memory_viz` read. */
  allocatorSnapshot: columns<(settings?: string) => Uint8Array>(
    [text("settings", "the settings of an allocator", "")],
    (buffer) => new Uint8Array(buffer),
  ),
  /** Floating-point operations as PyTorch's flop_counter counts them, by node and by module. */
  flops: ask<() => FlopReport>(),
  /** Every storage with its lifetime, and the FLOPs, as numbers: what a chart is drawn of. */
  costs: ask<(symbols?: SymbolSettings) => RunCosts>([data("symbols", {})]),
  /** What all operators compute, read and write, by node, module and kind. */
  work: ask<() => WorkReport>(),
  /**
   * How long the program takes on a device by its roofline: the name of a target, or the text of a target file. Without
   * a device among the run's options the program is on the target's.
   */
  time: ask<(target: string) => TimeReport>([text("target", "the target of time()")]),
  /** Which devices the program fits, and up to which size of a dimension. */
  fits: ask<(options?: FitOptions) => FitReport>([data("options", {})]),
  /**
   * The run as a profile: each node and the operators that it calls, with the engine's measured time and, on a `target`,
   * the kernels that a device would run.
   */
  trace: ask<(options?: TraceOptions) => RunTrace>(traceOptions("trace()")),
  /** The same summed up by name, as rows and as the table of PyTorch's profiler. */
  keyAverages: ask<(options?: KeyAveragesOptions) => KeyAverages>(
    traceOptions("keyAverages()", {
      groupByInputShape: flag("'groupByInputShape'"),
      sortBy: optionalText("'sortBy'"),
      rowLimit: (given = 100) => {
        checkInteger("'rowLimit'", given);
        return given;
      },
    }),
  ),
  /** The text of a Chrome trace, which ui.perfetto.dev and chrome://tracing open. */
  chromeTrace: ask<(options?: ChromeTraceOptions) => string>(
    traceOptions("chromeTrace()", { process: optionalText("'process'", "faketensor") }),
  ),
  /** The bytes alive by PyTorch's categories over time: the content of the file of `export_memory_timeline`. */
  memoryTimeline: ask<(options?: MemoryTimelineOptions) => MemoryTimelineData>(
    traceOptions("memoryTimeline()", { raw: flag("'raw'") }),
  ),
  /**
   * Why dimension `dim` of a node's tensor has its size: the chain back to an input, to a number of the program or to
   * data. Negative dimensions count from the last.
   */
  why: ask<(node: string, dim: number) => WhyStep[]>([
    text("node", "the name of a node"),
    integer("dim", "a dimension"),
  ]),
  /**
   * Which guards do not hold for other sizes, and the sizes of outputs and of `nodes` under them. Nothing is propagated
   * again: where a guard is broken, `propagate()` with these sizes says what PyTorch would answer.
   */
  whatIf: ask<(symbols: SymbolSettings, nodes?: readonly string[]) => WhatIfResult>([
    data("symbols"),
    data("nodes", []),
  ]),
  /**
   * All nodes as columns, with symbolic sizes as each node answered them; made at the first call. With `symbols`, which
   * may be empty, sizes are by what the run knew at its end, under these settings: nothing is propagated again, which is
   * right where `whatIf()` says that every guard holds.
   */
  table: columns<(symbols?: SymbolSettings) => Table>([data("symbols", null)], openTable),
};

/** What a question is about, and what there is to ask about it. */
export interface Questions {
  readonly engine: typeof engineQuestions;
  readonly program: typeof programQuestions;
  readonly run: typeof runQuestions;
}

/** A question as plain data: the object it is about, its name and its arguments. */
export interface Asked {
  /** `"run.why"` */
  readonly question: string;
  readonly isPacked: boolean;
  readonly args: Readonly<Record<string, unknown>>;
}

/** @throws TypeError for arguments of the wrong kind. */
export function asked(
  of: keyof Questions,
  name: string,
  question: Question<AnyMethod>,
  given: readonly unknown[],
): Asked {
  const args = Object.fromEntries(
    question.parameters.map(([argument, take], i) => [argument, take(given[i], given)]),
  );
  return { question: `${of}.${name}`, isPacked: question.isPacked, args };
}

/** The arguments as JSON. @throws TypeError for what JSON cannot say. */
export function argumentsJson({ question, args }: Asked): string {
  return toJson(`the arguments of ${question.slice(question.indexOf(".") + 1)}()`, args);
}

/** Gives a class a method per question: `answer` asks it of the object. */
export function defineMethods<Target>(
  prototype: Target,
  of: keyof Questions,
  answer: (target: Target, asked: () => Asked, read: (answer: unknown) => unknown) => unknown,
): void {
  const table: Readonly<Record<string, Question<AnyMethod>>> = {
    engine: engineQuestions,
    program: programQuestions,
    run: runQuestions,
  }[of];
  for (const [name, question] of Object.entries(table)) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: Target, ...given: readonly unknown[]): unknown {
        return answer(this, () => asked(of, name, question, given), question.read);
      },
    });
  }
}
