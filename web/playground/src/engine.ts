/**
 * The page's only door to the engine: the package `faketensor` in a module worker. Everything else sees the interfaces
 * below, so that tests can put another engine in its place. Ending the worker is how a call is cancelled and how the page
 * survives an engine that died; programs and runs are made again in the next worker when they are next used.
 */
import type {
  GuardInfo,
  Layout,
  NodeDetail,
  OpenOptions,
  Problem,
  ProgramInfo,
  PropagateOptions,
  RunSymbol,
  SymbolSettings,
  Table,
  WhatIfResult,
  WhyStep,
} from "faketensor";
import { connect } from "faketensor/worker";

export type * from "faketensor";
export { Status, ValueKind } from "faketensor/worker";

export interface Engine {
  /** Reads a file in slices: it is never copied whole into memory, and it never leaves the machine. */
  open(file: Blob, options: OpenOptions): Promise<Program>;
}

export interface Program {
  readonly info: ProgramInfo;
  propagate(options?: PropagateOptions): Promise<Run>;
  /** `expanded`: ids of the modules drawn open. */
  layout(options: { expanded: readonly number[] }): Promise<Layout>;
  dispose(): Promise<void>;
}

export interface Run {
  readonly problems: readonly Problem[];
  readonly milliseconds: number;
  node(row: number): Promise<NodeDetail>;
  /** With `symbols` (which may be empty) by what the run knew at its end, under these settings. */
  table(symbols?: SymbolSettings): Promise<Table>;
  symbols(): Promise<RunSymbol[]>;
  whatIf(symbols: SymbolSettings, nodes?: readonly string[]): Promise<WhatIfResult>;
  guards(): Promise<GuardInfo[]>;
  why(node: string, dim: number): Promise<WhyStep[]>;
  dispose(): Promise<void>;
}

/** Starts the worker; both of its files stand beside the page. */
export function startEngine(): Promise<Engine> {
  const worker = new URL("engine.js", document.baseURI);
  const wasm = new URL("faketensor.wasm", document.baseURI);
  return connect(() => new Worker(worker, { type: "module" }), { wasm });
}
