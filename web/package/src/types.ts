/**
 * The plain data that the package hands out. Everything here is structured-cloneable, so the same types serve the
 * synchronous facade (`faketensor`) and its asynchronous twin (`faketensor/worker`).
 */

export type * from "./cost_types.js";
export type * from "./profile_types.js";

/**
 * A size, stride, offset or byte count: a number, or as text a symbolic expression in PyTorch's printing (`"2*s0 + 1"`) or
 * the digits of a number beyond 2^53 (`"9007199254740993"`).
 */
export type Dim = number | string;

/** A tensor as plain data. `t` numbers tensor objects, `storage` storages: equal numbers are the same object. */
export interface TensorValue {
  readonly t: number;
  readonly size: readonly Dim[];
  /** In elements; absent, like `offset`, `storage` and `nbytes`, for sparse tensors. */
  readonly stride?: readonly Dim[];
  readonly offset?: Dim;
  readonly dtype: string;
  readonly device: string;
  readonly storage?: number;
  /** Size of the whole storage in bytes. */
  readonly nbytes?: Dim;
  readonly layout?: string;
  readonly requires_grad?: boolean;
  readonly conj?: boolean;
  readonly neg?: boolean;
  readonly const?: unknown;
}

/** A float, also one that JSON lacks. */
export type FloatValue = number | { readonly f: "inf" | "-inf" | "nan" };

/** A number that is an expression of symbols, in PyTorch's printing. */
export interface SymbolicNumber {
  readonly sym: string;
  readonly kind?: "int" | "float" | "bool";
}

/**
 * A value without tensors, and no list. Tagged objects name PyTorch's enum values and the numbers JSON lacks; an int beyond
 * 2^53 is a bigint.
 */
export type Plain =
  | null
  | boolean
  | string
  | bigint
  | FloatValue
  | { readonly c: readonly [FloatValue, FloatValue] }
  | { readonly dtype: string }
  | { readonly device: string }
  | { readonly layout: string }
  | { readonly memory_format: string }
  | { readonly generator: string }
  | SymbolicNumber;

/** What a node of a program evaluates to. */
export type Value = Plain | TensorValue | readonly Value[];

export interface InputInfo {
  readonly name: string;
  readonly kind: "parameter" | "buffer" | "constant" | "user";
  /** The parameter's or buffer's name in the module, e.g. `"encoder.layer.0.weight"`. */
  readonly target: string | null;
  /** Row of the placeholder in {@link Table}. */
  readonly node: number;
  readonly size: readonly Dim[];
  readonly stride: readonly Dim[];
  readonly dtype: string;
  readonly device: string;
}

export interface ModuleInfo {
  readonly id: number;
  /** -1 for the root, which is module 0. */
  readonly parent: number;
  readonly path: string;
  readonly type: string;
  readonly nodes: number;
  /** First and last row of {@link Table} that belong to the module or to one below it. */
  readonly first: number;
  readonly last: number;
  /** Equal for modules with the same structure, so that a repeated block can be drawn once. */
  readonly hash: number;
}

export interface SymbolInfo {
  readonly name: string;
  /** Inclusive; `null` where unbounded. */
  readonly range: readonly [number | null, number | null];
  readonly hint: number | null;
}

export interface ProgramInfo {
  readonly name: string;
  readonly kind: "pt2" | "json" | "text";
  readonly torchVersion: string;
  readonly schemaVersion: string;
  readonly nodes: number;
  readonly inputs: readonly InputInfo[];
  readonly outputs: readonly string[];
  readonly symbols: readonly SymbolInfo[];
  /** In order of first use; `[0]` is the root. */
  readonly modules: readonly ModuleInfo[];
  /** Operators of the program that no rule is known for, with the number of nodes that use them. */
  readonly unknownOps: readonly { readonly op: string; readonly count: number }[];
}

/** Called between nodes or slices of a file. Amounts are nodes while propagating and bytes while reading. */
export type ProgressCallback = (done: number, total: number) => void;

export interface Progressing {
  onProgress?: ProgressCallback;
  /** An aborted signal ends the work with an `AbortError`. */
  signal?: AbortSignal;
}

export interface OpenOptions extends Progressing {
  /** Shown in errors and in {@link ProgramInfo.name}; default: `"input"`. */
  name?: string;
  /** Bytes of memory that reading may take at most; default: 256 MB and 20 times the file. Beyond it `open` throws. */
  memoryLimit?: number;
  /** Whether errors in a program that is text are left to `textProblems`, and the rest is a program; else they are thrown. */
  keepGoing?: boolean;
  /**
   * Whether a program whose file names no modules gets invented ones, of type `"invented (...)"`: forward and backward of a
   * joint graph, what repeats, sections of about 50 nodes. Default: false.
   */
  sections?: boolean;
  /**
   * Whether graphs of higher-order operators (the branches of a `cond`, the body of a `scan`) are rows and modules of the program,
   * before the row that calls them, with the values of their first run. Default: false.
   */
  bodies?: boolean;
}

/** What is wrong in a program that is text. Lines and columns count from 1, columns and lengths in UTF-16 units. */
export interface TextProblem {
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  readonly length: number;
  readonly message: string;
}

/** A program as text: `print_readable()`, `str(graph)`, `GraphModule.code`. */
export type TextForm = "readable" | "graph" | "code";

/** The text that was opened, and of other files the readable one, with the line of each row of `table()`; 0 for none. */
export interface ProgramSource {
  readonly text: string;
  readonly lines: readonly number[];
}

/** A pass of the table. */
export interface PassInfo {
  readonly name: string;
  /** What may stand behind the name: `"/DEVICE"`, in brackets where it may be left out. */
  readonly argument: string;
  readonly about: string;
}

/** What passes have done. */
export interface PassReport {
  /** Whether any pass says so. */
  readonly modified: boolean;
  /** Each that was run, with what it found: sizes, partitions. */
  readonly passes: readonly { readonly name: string; readonly modified: boolean; readonly info: unknown }[];
  /** `str(graph)` before and after: lines that begin with `" "`, `"-"` or `"+"`. */
  readonly diff: string;
  /** The graph's text, where it is no program any more. */
  readonly text?: string;
}

export interface InputOverride {
  size?: readonly Dim[];
  stride?: readonly Dim[];
  dtype?: string;
  device?: string;
}

/** What an op profile says of a tensor. */
export interface TensorMetadata {
  readonly rank: number;
  readonly dtype: string;
  readonly device: string;
  readonly layout: string;
}

/** Results that were seen for such arguments; null stands for an argument that is no tensor. */
export interface OpProfile {
  readonly args: readonly (TensorMetadata | null)[];
  readonly out: TensorMetadata | readonly TensorMetadata[];
}

/** Profiles by operator, `"mylib.foo.default"`, in order. */
export type OpProfiles = readonly (readonly [operator: string, profiles: readonly OpProfile[]])[];

/** What the program assumes, or cannot do without (`DraftExportReport`). */
export interface DraftFailure {
  /** An operator without a fake kernel; a condition on data that is taken for true; an input's size that is one number. */
  readonly kind: "MISSING_FAKE_KERNEL" | "DATA_DEPENDENT_ERROR" | "GUARD_ADDED";
  /** `"mylib.foo.default"`, `"4 <= u3"`, `"s9 = 8"`; of what could not be decided the operator that asked. */
  readonly text: string;
  /** Calls of the operator; 1 for others. */
  readonly occurrences: number;
  /** Of what could not be decided: PyTorch's error. */
  readonly message?: string;
  /** `"u3 is the value of item"` */
  readonly symbols?: readonly string[];
  /** Where it is first met, by name and by row; absent where the file says so. */
  readonly node?: string;
  readonly row?: number;
  readonly call?: string;
  readonly module?: string;
  readonly source?: string;
}

export interface DraftReport {
  /** Whether there are neither failures nor problems. */
  readonly successful: boolean;
  readonly failures: readonly DraftFailure[];
  /** What answers for the operators without a fake kernel. */
  readonly opProfiles: OpProfiles;
  /** What could not be propagated although these answered. */
  readonly problems: readonly { readonly node: string; readonly class: string; readonly message: string }[];
}

/** The what-if: which inputs of the recorded program to change before it is propagated. */
export interface PropagateOptions extends Progressing {
  /** `batch` (dim 0 of every user input), `"x.1"` (dim 1 of input `x`), or the name of a symbol. */
  dims?: Readonly<Record<string, number>>;
  /**
   * Dimensions that the file has as numbers, named as in `dims`, which become symbols of the run: of at least 2 (true), or
   * in a range. Equal dimensions in one place of several inputs are one symbol, named after the first.
   */
  dynamic?: Readonly<Record<string, true | readonly [lower: number, upper: number]>>;
  /** By placeholder name. */
  inputs?: Readonly<Record<string, InputOverride>>;
  /** As `model.to(dtype)`: of floating-point inputs, parameters and buffers. */
  dtype?: string;
  device?: string;
  /**
   * What FakeTensorProp answers for `dims`, `dtype` and `device`: with the example's sizes, dtypes and devices that are
   * written into the nodes. Otherwise they follow, as if the model were exported anew ({@link Assumption}). Exact
   * `inputs` are always taken literally.
   */
  literal?: boolean;
  /** Decides otherwise what was assumed, by its site: `"literal"`, a number as text, `"follows"` for dtypes and devices. */
  assume?: Readonly<Record<string, string>>;
  /** `channels_last` or `channels_last_3d`, for placeholders of 4 and 5 dimensions. */
  memoryFormat?: string;
  /** Which PyTorch answers: `"cuda"` (default), `"cpu"`, `"a100"`, `"h100"`, ... */
  target?: string;
  /** Answers for operators without a rule: profiles, or their YAML, which may say more (sizes, strides, aliases). */
  profiles?: OpProfiles | string;
  /** As under `enable_python_dispatcher()`, which torch.export and torch.compile trace with. */
  pythonDispatcher?: boolean;
  /** PyTorch's own behaviour; otherwise everything that does not depend on the failing node is still answered. */
  stopAtFirstError?: boolean;
}

/** How much a run assumed; none where nothing was changed. */
export interface Assumed {
  readonly assumptions: number;
  /** Of these, how many nothing but likelihood speaks for. */
  readonly guesses: number;
}

/** What a run took for part of the example that its program was exported with, or for part of the model. */
export interface Assumption {
  /** `"view_3.1"`, `"arange.end"`, `"to_4.dtype"`: what {@link PropagateOptions.assume} names. */
  readonly site: string;
  /** Absent for a node of a graph that a higher-order operator holds. */
  readonly node?: string;
  readonly row?: number;
  /** What the file has there: `"2"`, `"torch.float32"`, `"cpu"`. */
  readonly from: string;
  /** What was taken for it; the same as `from` where it stays. */
  readonly to: string;
  /** `"is dimension 0 of input_ids"` */
  readonly reason: string;
  /** Nothing but likelihood speaks for it. */
  readonly guess?: true;
  /** `"model.py:12 in forward"` */
  readonly source?: string;
}

/** A symbol in the sizes of a run. */
export interface RunSymbol {
  readonly name: string;
  /** The value that it comes from: an input's dimension `dim`, or what an operator found in data. */
  readonly node: string;
  readonly row: number;
  /** Absent where the value is a number (`aten::item`). */
  readonly dim?: number;
  /** That size is an expression of the symbol, not the symbol itself. */
  readonly part?: true;
  /** As the run has narrowed it, inclusive; null where unbounded. {@link ProgramInfo.symbols} has the file's ranges. */
  readonly range: readonly [number | null, number | null];
  /** The size in the example input; absent: known only when the program runs. */
  readonly hint?: number;
  /** What it turned out to be: `"8"`, `"2*s31"`. */
  readonly became?: string;
}

/** What a run relied on, and which node made it so. */
export interface GuardInfo {
  /**
   * `guard`: a condition on the inputs; `specialisation`: a symbol that became a number; `replacement`: one that became
   * an expression of others; `runtime_assert`: a condition on data, to be checked when the program runs.
   */
  readonly kind: "guard" | "specialisation" | "replacement" | "runtime_assert";
  /** As PyTorch prints it: `"Eq(s53, 768)"`, `"s53 = 768"`. */
  readonly text: string;
  /** True whatever the inputs, once the symbols are the numbers that they became. */
  readonly follows?: true;
  /** What was running, and its row of {@link Table}; absent where the file itself says so. */
  readonly node?: string;
  readonly row?: number;
  /** The call with the sizes of its arguments: `"aten.linear(x [s77, s53], weight [10, 768])"`. */
  readonly call?: string;
  readonly module?: string;
  /** Source line of the model, where the file records it. */
  readonly source?: string;
}

/** One step from a dimension back to where its size came from. */
export interface WhyStep {
  readonly node: string;
  readonly row: number;
  readonly dim: number;
  /** As the node answered it. */
  readonly size: string;
  /** `"as dimension 1 of x, by …"`, `"computed as 3*s77 by …"`, `"a number in the call of …"`, `"an input (user)"`. */
  readonly reason: string;
  /** Of an input's size: the node that made its symbol a number or an expression, and its row. */
  readonly cause?: string;
  readonly causeRow?: number;
  readonly source?: string;
}

/** Symbols set to a number or to any of a range; those that are not named stay symbols. */
export type SymbolSettings = Readonly<Record<string, number | readonly [lower: number, upper: number]>>;

/** What other sizes break, and what values have under them; the program is not run again. */
export interface WhatIfResult {
  readonly holds: boolean;
  /** What holds for none of the sizes (`violated`), or not for all of them (`depends`), with its origin. */
  readonly broken: readonly (GuardInfo & { readonly verdict: "violated" | "depends" })[];
  /** Sizes of the program's outputs, and of the tensors of the nodes that were asked for. */
  readonly outputs: readonly (readonly Dim[])[];
  readonly nodes: Readonly<Record<string, readonly (readonly Dim[])[]>>;
  /** The least and most bytes of their storages; null where there is no most. */
  readonly bytes: Readonly<Record<string, readonly (readonly [number | null, number | null])[]>>;
}

export interface Problem {
  /**
   * `error`: PyTorch would raise here. `unknown`: no rule for this operator. `mismatch`: the answer differs from the
   * value recorded in the file.
   */
  readonly kind: "error" | "unknown" | "mismatch";
  /** Row of {@link Table}. */
  readonly node: number;
  readonly name: string;
  readonly op: string;
  /** PyTorch's exception class. */
  readonly class: string;
  readonly message: string;
  readonly modulePath: string;
  /** Source line of the model, where the file records it. */
  readonly source: string;
  /** The argument of the operator that is at fault, by its name in the schema. */
  readonly argument?: string;
  /** What would settle it: checks on data, `"torch._check(u0 == 2)"`, or propagating with `pythonDispatcher`. */
  readonly hint?: string;
}

/** Status of a row of {@link Table}. */
export const Status = {
  ok: 0,
  /** The operator raised here. */
  error: 1,
  /** No rule is known for the operator. */
  unknown: 2,
  /** Not evaluated, because a value it reads is missing. */
  notReached: 3,
} as const;

/** What kind of value a row of {@link Table} has. */
export const ValueKind = { none: 0, tensor: 1, list: 2, other: 3 } as const;

/**
 * One row per node in order of execution, as columns. A negative entry `-(k + 1)` of `size`, `stride`, `offset` or
 * `nbytes` stands for `expressions[k]`; that is also how integers beyond 2^53 are handed over exactly.
 */
export interface Table {
  readonly length: number;
  readonly names: readonly string[];
  readonly op: Uint32Array;
  readonly ops: readonly string[];
  /** Module ids of {@link ProgramInfo.modules}. */
  readonly module: Uint32Array;
  /** {@link Status} */
  readonly status: Uint8Array;
  /** {@link ValueKind} */
  readonly kind: Uint8Array;
  readonly dtype: Uint8Array;
  readonly dtypes: readonly string[];
  readonly device: Uint32Array;
  readonly devices: readonly string[];
  /** `length + 1` entries: row i has the dims `dimStart[i]` up to, not including, `dimStart[i + 1]`. */
  readonly dimStart: Uint32Array;
  readonly size: Float64Array;
  readonly stride: Float64Array;
  readonly offset: Float64Array;
  readonly nbytes: Float64Array;
  /** Numbers of tensor objects and storages; -1 where the row has none. */
  readonly tensor: Int32Array;
  readonly storage: Int32Array;
  readonly expressions: readonly string[];
  /** The rows whose values row i reads: `inputs[inputStart[i]]` up to, not including, `inputs[inputStart[i + 1]]`. */
  readonly inputStart: Uint32Array;
  readonly inputs: Uint32Array;
}

export interface LayoutOptions {
  /** Ids of the modules that are drawn open. */
  expanded?: Iterable<number>;
  /** Whether sizes, assertions, aliases and the one output taken out of a list are drawn; default: true. */
  plumbing?: boolean;
}

export interface LayoutBoxes {
  readonly count: number;
  /** `>= 0`: a row of {@link Table}; `< 0`: the module `~id`. */
  readonly id: Int32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly w: Float32Array;
  readonly h: Float32Array;
  /** Index of the box that encloses this one, -1 at the top. */
  readonly parent: Int32Array;
  readonly depth: Uint8Array;
  /** How many equal boxes this one stands for. */
  readonly repeat: Uint32Array;
}

/**
 * A value that crosses the border of an open module has one edge up to the border and one from it on: there `to` (or
 * `from`) is that module's own box.
 */
export interface LayoutEdges {
  readonly count: number;
  /** Box indices. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Row of {@link Table} whose value runs along the edge. */
  readonly value: Uint32Array;
  /** `count + 1` entries, in points: edge i is the polyline `points[2 * pointStart[i]]`, ... as x, y pairs. */
  readonly pointStart: Uint32Array;
  readonly points: Float32Array;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly box: LayoutBoxes;
  readonly edge: LayoutEdges;
}

export interface NodeArgument {
  readonly name: string;
  /** Printed as PyTorch prints it; a value of another node by that node's name. */
  readonly text: string;
  /** Rows of {@link Table} that the argument reads. */
  readonly nodes: readonly number[];
}

/** Everything about one node: what an inspector shows. */
export interface NodeDetail {
  readonly index: number;
  readonly name: string;
  readonly op: string;
  readonly schema: string;
  readonly status: number;
  readonly args: readonly NodeArgument[];
  readonly value: Value;
  readonly modulePath: string;
  readonly source: string;
  /** Names of earlier nodes whose values share this value's storage. */
  readonly aliases: readonly string[];
  readonly problem: Problem | null;
}

export interface OperatorInfo {
  /** With overload: `"aten::add.Tensor"`. */
  readonly name: string;
  readonly schema: string;
}

/** The version of the package and of the PyTorch whose answers it gives. */
export interface EngineInfo {
  readonly version: string;
  readonly torch: string;
  readonly packedVersion: number;
  /** The names of dtypes and device types by the engine's numbers. */
  readonly dtypes: readonly string[];
  readonly deviceTypes: readonly string[];
}
