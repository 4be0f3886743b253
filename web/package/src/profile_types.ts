/** A run as a profile: what `run.trace()` and its relatives take and give. Plain data. */

export interface TraceOptions {
  /** A device, by name or as the text of a target file, whose roofline says how long each kernel takes; none unless given. */
  readonly target?: string;
  /** Whether the run is measured anew. The last profile on a target is kept, so that all its forms are of one run. */
  readonly again?: boolean;
}

export interface KeyAveragesOptions extends TraceOptions {
  /** A row per operator and sizes of its inputs, not per operator. */
  readonly groupByInputShape?: boolean;
  /** An attribute of `FunctionEventAvg`, for the table; its own time on the device, or the engine's, unless given. */
  readonly sortBy?: string;
  /** Of the table: 100 unless given, -1 for all. */
  readonly rowLimit?: number;
}

export interface ChromeTraceOptions extends TraceOptions {
  /** What the trace calls the program. */
  readonly process?: string;
}

export interface MemoryTimelineOptions extends TraceOptions {
  /** Each event, not the points: `[nanoseconds, action, bytes, category]`. */
  readonly raw?: boolean;
}

/** A node, or an operator that it calls. Times are nanoseconds since the first event. */
export interface TraceEvent {
  readonly name: string;
  /** The event that it ran inside of, by place; -1 for none. */
  readonly parent: number;
  /** The engine's own measured time. */
  readonly start: number;
  readonly duration: number;
  /** Of the kernel that it launches, on the device's one stream; absent where there is none. */
  readonly deviceStart?: number;
  readonly deviceDuration?: number;
  /** Of a node: its row in `table()`, and its module's path. */
  readonly row?: number;
  readonly module?: string;
  readonly flops?: number;
  /** Of an operator; empty for what is no tensor. */
  readonly inputShapes?: readonly (readonly number[])[];
}

export interface RunTrace {
  /** Whose roofline it is; absent where nothing was simulated. */
  readonly device?: string;
  /** The sum over all kernels. */
  readonly deviceNanoseconds: number;
  readonly events: readonly TraceEvent[];
}

/** Sums over the events of one name, in microseconds. */
export interface AverageRow {
  readonly key: string;
  readonly count: number;
  readonly cpuTimeTotal: number;
  /** Without what it calls. */
  readonly selfCpuTimeTotal: number;
  readonly deviceTimeTotal: number;
  readonly selfDeviceTimeTotal: number;
  readonly flops: number;
  /** Bytes, of a profile with `profileMemory`. */
  readonly cpuMemory?: number;
  readonly selfCpuMemory?: number;
  readonly deviceMemory?: number;
  readonly selfDeviceMemory?: number;
  readonly inputShapes?: readonly (readonly number[])[];
}

export interface KeyAverages {
  /** In the order in which the names were first seen. */
  readonly rows: readonly AverageRow[];
  /** As `key_averages().table()` of PyTorch's profiler prints it. */
  readonly table: string;
}

/** What `export_memory_timeline` writes as .json, or each event of it with `raw`. */
export type MemoryTimelineData =
  | readonly [times: readonly number[], sizes: readonly (readonly number[])[]]
  | readonly (readonly [time: number, action: number, bytes: number, category: number])[];
