/**
 * The messages between `connect()` (faketensor/worker) and the worker behind it (worker-main). Each request has a
 * number; the worker answers it with any number of progress messages and then one result or one error.
 */
import type { ErrorData } from "./errors.js";
import type { WebAssemblyModule } from "./instance.js";
import type { PatternPass } from "./pattern.js";
import type { Asked } from "./questions.js";
import type {
  Assumed,
  EngineInfo,
  PassReport,
  Problem,
  ProgramInfo,
  PropagateOptions,
  TextProblem,
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
  load: { args: { wasm?: RemoteWasm; rest?: RemoteWasm }; result: EngineInfo };
  open: {
    args: {
      source: RemoteSource;
      options: {
        name: string;
        sections: boolean;
        bodies: boolean;
        memoryLimit?: number;
        keepGoing?: boolean;
      };
    };
    result: { program: number; info: ProgramInfo; textProblems: readonly TextProblem[] };
  };
  /** Without a program where what came of the passes is none: then why. */
  runPass: {
    args: { program: number; passes: readonly (string | PatternPass)[] };
    result: {
      report: PassReport;
      made: { program: number; info: ProgramInfo } | ErrorData;
    };
  };
  write: { args: { program: number; form: "json" | "pt2" }; result: string | ArrayBuffer };
  closeProgram: { args: { program: number }; result: null };
  propagate: {
    args: { program: number; options: WhatIf };
    result: {
      run: number;
      ok: boolean;
      problems: readonly Problem[];
      assumed: Assumed;
      milliseconds: number;
    };
  };
  closeRun: { args: { run: number }; result: null };
  /** A row of questions.ts; `of` is the number of a program or run, 0 for the engine. */
  ask: { args: { of: number; asked: Asked }; result: unknown };
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
