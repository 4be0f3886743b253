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

/**
 * Starts the worker from a copy of its script in memory: such a worker is under the content security policy of the page,
 * where one that is started from an address is under what its host sends with it, on many hosts nothing. It holds the
 * user's bytes. The policy lets the page start no other.
 */
export async function startEngine(): Promise<Engine> {
  const wasm = new URL("faketensor.wasm", document.baseURI);
  const script = await fetchOwn("engine.js");
  const copy = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  return connect(() => new Worker(copy, { type: "module" }), { wasm });
}

/** A file that stands beside the page. */
export async function fetchOwn(path: string): Promise<Blob> {
  const response = await fetch(path).catch((cause: unknown) => {
    throw new Error(`${path} could not be fetched`, { cause });
  });
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return response.blob();
}
