/**
 * The plain data that the package hands out. Everything here is structured-cloneable, so the same types serve the
 * synchronous facade (`faketensor`) and its asynchronous twin (`faketensor/worker`).
 */

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
  readonly kind: "pt2" | "json";
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

/** Why bytes of a run are alive. */
export type MemoryKind =
  | "parameters"
  | "buffers"
  | "constants"
  | "inputs"
  | "outputs"
  | "activations"
  | "gradients"
  | "optimizer"
  | "temporaries";

/** A step of training: the floating-point parameters are trained, and it is not the first step. */
export interface TrainOptions {
  /** `SGD()`, `SGD(momentum=0.9)`, `Adam(foreach=True)`, `AdamW(foreach=False)`. */
  optimizer: "sgd" | "momentum" | "adam" | "adamw";
  /** How often backward runs for one step of the optimizer; default 1. */
  gradAccumulation?: number;
  /** The optimizer has float32 copies of parameters of lower precision. */
  masterWeights?: boolean;
  /** Paths of modules whose forward is computed again in backward (torch.utils.checkpoint). */
  checkpoint?: readonly string[];
}

/** What {@link Run.memory} is asked besides. */
export interface MemoryOptions {
  train?: TrainOptions;
}

/** A part of what is alive at a peak: of a kind, module, dtype or line of code. */
export interface MemoryShare {
  /** `""` is the whole program among modules. */
  readonly name: string;
  readonly bytes: Dim;
  /** Of a module, with what is below it. */
  readonly withBelow?: Dim;
}

/** What would lower a peak, everything else as it is; an estimate on the timeline. */
export interface MemorySaving {
  readonly how: "recompute" | "checkpoint" | "in place" | "earlier use";
  /** By which the peak is lower; of `checkpoint`, at most. Symbols by their hints. */
  readonly bytes: number;
  /** The value, or the node that could write in place. */
  readonly name?: string;
  /** Of `checkpoint`. */
  readonly module?: string;
  /** The node that it is recomputed for, that is written over, or that could run earlier. */
  readonly other?: string;
}

/** Who holds a peak, the largest first, and what would lower it. */
export interface PeakShares {
  readonly byKind: readonly MemoryShare[];
  readonly byModule: readonly MemoryShare[];
  readonly byDtype: readonly MemoryShare[];
  readonly bySource: readonly MemoryShare[];
  readonly savings: readonly MemorySaving[];
}

export type TrainingPhase = "forward" | "loss" | "backward" | "optimizer" | "end";

/** The memory of a training step. */
export interface TrainingReport {
  readonly optimizer: TrainOptions["optimizer"];
  readonly peak: PeakShares & {
    readonly bytes: Dim;
    readonly phase: TrainingPhase;
    /** The node that runs, forward or backward; absent in loss and optimizer. */
    readonly row?: number;
    readonly name?: string;
    readonly kinds: Readonly<Partial<Record<MemoryKind, Dim>>>;
    readonly holders: readonly {
      readonly row?: number;
      readonly name?: string;
      readonly kind: MemoryKind;
      readonly bytes: Dim;
      /** The node that reads it last, in `phase`; both are absent for what is held to the end. */
      readonly until?: string;
      readonly phase?: TrainingPhase;
    }[];
  };
  /** What is held when the step is over and gradients are None. */
  readonly after: {
    readonly bytes: Dim;
    readonly kinds: Readonly<Partial<Record<MemoryKind, Dim>>>;
  };
  /** Operators whose derivative is not known: taken to keep all, and to make a new gradient for each argument. */
  readonly approximated: readonly string[];
  /** Parameters that the loss does not reach. */
  readonly untrained: readonly string[];
}

/** A storage that is alive at the peak. */
export interface MemoryHolder {
  /** The node that brought it. */
  readonly row: number;
  readonly name: string;
  readonly kind: MemoryKind;
  readonly bytes: Dim;
  /** The node that reads it last; absent for what is held to the end. */
  readonly until?: string;
}

/**
 * Bytes of storages on all devices, without an allocator's rounding and without the workspaces of libraries. A storage
 * counts once, from the operator that brings it to the last use of a value on it.
 */
export interface MemoryReport {
  /** What placeholders hold all the time. */
  readonly held: Readonly<Partial<Record<MemoryKind, Dim>>>;
  /** By row: alive after the node, when what is not used later was dropped. */
  readonly live: readonly Dim[];
  /** By row: the most inside of the node, with what a composite operator brings on its way. */
  readonly peaks: readonly Dim[];
  /** Absent for a program without nodes. Holders by bytes, the most first. */
  readonly peak?: PeakShares & {
    readonly bytes: Dim;
    readonly row: number;
    readonly name: string;
    readonly holders: readonly MemoryHolder[];
  };
  /** With {@link MemoryOptions.train}. */
  readonly training?: TrainingReport;
}

/** What PyTorch's caching allocator makes of a run, all its storages on one GPU: bytes. */
export interface AllocatorReport {
  /** As `PYTORCH_ALLOC_CONF` has them; "" are PyTorch's own. */
  readonly settings: string;
  /** The most that was asked of the device. */
  readonly reserved: number;
  /** The most of it in use, in whole blocks, and before requests were rounded to these. */
  readonly allocated: number;
  readonly requested: number;
  /** What nvidia-smi shows: what is reserved and an assumed CUDA context of 500 MiB. */
  readonly device: number;
  /** Where the device had not enough: the node, and PyTorch's words. */
  readonly failed?: { readonly row: number; readonly name: string; readonly message: string };
}

/** Of products, convolutions and attention: a multiplication and an addition are two. */
export interface FlopReport {
  readonly total: Dim;
  readonly nodes: readonly { readonly row: number; readonly name: string; readonly flops: Dim }[];
  /** By module path, with what is below it. */
  readonly modules: Readonly<Record<string, Dim>>;
}

/**
 * Memory and FLOPs as columns of numbers, to draw and to add up. Symbols are what they are set to, else the sizes of the
 * example.
 */
export interface RunCosts {
  /** What {@link RunCosts.storages} names by its place here. */
  readonly kinds: readonly MemoryKind[];
  /** By storage: alive from `row`, or all the time where that is a placeholder, until `until` has run; -1: to the end. */
  readonly storages: {
    readonly row: readonly number[];
    readonly until: readonly number[];
    readonly kind: readonly number[];
    readonly bytes: readonly number[];
  };
  /** What composite operators hold on their way inside of a row, where that is more than the storages of the rows. */
  readonly temporaries: { readonly row: readonly number[]; readonly bytes: readonly number[] };
  /** Of the rows whose operator has a formula. */
  readonly flops: { readonly row: readonly number[]; readonly flops: readonly number[] };
  /** Storages whose bytes only data tells; they count nothing. */
  readonly unknown: number;
}

/** What programs compute and move, all operators counted: `docs/device-model.md` says how. */
export interface WorkFigures {
  readonly flops: Dim;
  /** Bytes. */
  readonly read: Dim;
  readonly written: Dim;
}

/** The work of a program, and of its nodes, modules (with what is below them) and kinds of operators. */
export interface WorkReport extends WorkFigures {
  readonly nodes: readonly (WorkFigures & { readonly row: number; readonly name: string })[];
  readonly modules: Readonly<Record<string, WorkFigures>>;
  readonly kinds: Readonly<Partial<Record<WorkKind, WorkFigures>>>;
}

export type WorkKind =
  | "matrix"
  | "convolution"
  | "attention"
  | "elementwise"
  | "reduction"
  | "normalisation"
  | "pooling"
  | "gather"
  | "scatter"
  | "copy"
  | "fill"
  | "sort"
  | "other";

/** What a kernel takes longest for: its operations, its bytes, or being launched. */
export type Bound = "compute" | "memory" | "launch";

/** A step of a program on one device, by the roofline of each kernel; symbolic sizes count by their hints. */
export interface TimeReport {
  readonly target: string;
  readonly seconds: number;
  /** Kernels. */
  readonly calls: number;
  /** Of the first user input: its dimension 0, and the tokens in it where it is tokens; 0 for none. */
  readonly samples: number;
  readonly tokens: number;
  /** Seconds. */
  readonly bounds: Readonly<Record<Bound, number>>;
  readonly kinds: Readonly<Partial<Record<WorkKind, number>>>;
  readonly nodes: readonly {
    readonly row: number;
    readonly name: string;
    readonly seconds: number;
    readonly bound: Bound;
    readonly calls: number;
  }[];
  /** Seconds by module path, with what is below it. */
  readonly modules: Readonly<Record<string, number>>;
}

export interface FitOptions {
  /** Names of targets, or the texts of target files; all that have a name unless given. */
  readonly targets?: readonly string[];
  /** The dimension whose largest size is looked for, named as in {@link PropagateOptions.dims}; `"batch"` unless given. */
  readonly over?: string;
  /** Settings of PyTorch's caching allocator, `""` its own: what fits is what it can give out. By storages unless given. */
  readonly allocator?: string;
}

export interface FitRow {
  readonly name: string;
  readonly title: string;
  /** Bytes: of the device, and of those what tensors can have. */
  readonly memory: number;
  readonly usable: number;
  readonly fits: boolean;
  /** Bytes of storages at the peak, and the node there; absent where the program has errors on that device. */
  readonly peak?: number;
  readonly node?: string;
  /** What the caching allocator reserves; absent where it is not asked or has not enough. */
  readonly reserved?: number;
  readonly headroom?: number;
  /** Each size was propagated. 0: none fits. `stop` says why no larger one: memory, the program refuses it, or none was tried. */
  readonly largest?: { readonly size: number; readonly stop: "memory" | "program" | "range" };
}

export interface FitReport {
  readonly over?: string;
  /** The size that `over` has in the run. */
  readonly size?: number;
  readonly targets: readonly FitRow[];
}

/** Of a node its storages, FLOPs of all operators and seconds (0 without a target). */
export interface CostFigures {
  readonly bytes: number;
  readonly flops: number;
  readonly seconds: number;
}

/** Of a program: `counted` are the FLOPs that PyTorch's flop_counter counts. */
export interface DiffTotals {
  readonly peak: number;
  readonly counted: number;
  readonly flops: number;
  readonly seconds: number;
}

/** What differs between two runs, what changed most first. A side that has no such node or module is absent. */
export interface DiffReport {
  readonly a: DiffTotals;
  readonly b: DiffTotals;
  /** Nodes that both have. */
  readonly matched: number;
  readonly nodes: readonly {
    readonly nameA?: string;
    readonly nameB?: string;
    readonly valueChanged: boolean;
    readonly a?: CostFigures;
    readonly b?: CostFigures;
  }[];
  readonly modules: readonly { readonly path: string; readonly a?: CostFigures; readonly b?: CostFigures }[];
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
