/** What running a program costs, as plain data: memory, FLOPs, time, where it fits, and what two programs differ in. */
import type { Dim } from "./types.js";

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
  /** Where the peak depends on symbols: between which bytes it lies over their ranges, as `peak.range`. */
  range?: boolean;
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
    /** With {@link MemoryOptions.range}; null: a symbol of it has no upper end. */
    readonly range?: readonly [number, number | null];
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
  /** The dimension whose largest size is looked for, named as in `PropagateOptions.dims`; `"batch"` unless given. */
  readonly over?: string;
  /** Settings of PyTorch's caching allocator, `""` its own: what fits is what it can give out. By storages unless given. */
  readonly allocator?: string;
  /** A step of training is asked about instead, by its storages. */
  readonly train?: TrainOptions;
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
  /** With {@link FitOptions.train}; in the loss and the optimizer there is no node. */
  readonly phase?: TrainingPhase;
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
