/**
 * The messages between `connect()` (faketensor/worker) and the worker behind it (worker-main). Each request has a
 * number; the worker answers it with any number of progress messages and then one result or one error.
 */
import type { WebAssemblyModule } from "./engine.js";
import type { ErrorData } from "./errors.js";
import type {
  EngineInfo,
  GuardInfo,
  LayoutOptions,
  NodeDetail,
  OperatorInfo,
  Problem,
  ProgramInfo,
  PropagateOptions,
  RunSymbol,
  SymbolSettings,
  Value,
  WhatIfResult,
  WhyStep,
} from "./types.js";

/** Marks our messages, so that a worker may also speak to others. */
export const channel = "faketensor/1";

/** Where the worker gets a file: slices of a Blob, or of a file by its path (Node). */
export type RemoteSource = { readonly blob: Blob } | { readonly path: string };

/** A compiled module or bytes are posted; an address is fetched by the worker itself. */
export type RemoteWasm = WebAssemblyModule | ArrayBuffer | Uint8Array | string;

export type WhatIf = Omit<PropagateOptions, "onProgress" | "signal">;

/** Every call: what it takes and what it gives. Programs and runs are named by numbers of the worker's. */
export interface Calls {
  load: { args: { wasm?: RemoteWasm }; result: EngineInfo };
  open: {
    args: { source: RemoteSource; options: { name: string; memoryLimit?: number } };
    result: { program: number; info: ProgramInfo };
  };
  closeProgram: { args: { program: number }; result: null };
  propagate: {
    args: { program: number; options: WhatIf };
    result: { run: number; ok: boolean; problems: readonly Problem[]; milliseconds: number };
  };
  layout: { args: { program: number; expanded: number[] }; result: ArrayBuffer };
  closeRun: { args: { run: number }; result: null };
  table: { args: { run: number; symbols?: SymbolSettings }; result: ArrayBuffer };
  value: { args: { run: number; name: string }; result: Value | undefined };
  node: { args: { run: number; index: number }; result: NodeDetail };
  symbols: { args: { run: number }; result: RunSymbol[] };
  guards: { args: { run: number }; result: GuardInfo[] };
  why: { args: { run: number; node: string; dim: number }; result: WhyStep[] };
  whatIf: {
    args: { run: number; symbols: SymbolSettings; nodes: readonly string[] };
    result: WhatIfResult;
  };
  operators: { args: { pattern: string }; result: OperatorInfo[] };
}

export type CallName = keyof Calls;

/** One request as a discriminated union over `call`. */
export type Request = {
  [Name in CallName]: {
    readonly channel: typeof channel;
    readonly id: number;
    readonly call: Name;
    readonly args: Calls[Name]["args"];
  };
}[CallName];

export type Reply = { readonly channel: typeof channel; readonly id: number } & (
  | { readonly kind: "progress"; readonly done: number; readonly total: number }
  | { readonly kind: "result"; readonly result: Calls[CallName]["result"] }
  | { readonly kind: "error"; readonly error: ErrorData }
);

export function isMessage(data: unknown): data is { readonly channel: typeof channel; readonly id: number } {
  return typeof data === "object" && data !== null && "channel" in data && data.channel === channel;
}

export type { LayoutOptions };
