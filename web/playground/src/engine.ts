/**
 * The page's only door to the engine: the package `faketensor` in a module worker. Everything else sees the interfaces
 * below, so that tests can put another engine in its place. Ending the worker is how a call is cancelled and how the page
 * survives an engine that died; programs and runs are made again in the next worker when they are next used.
 */
import type { Layout, OpenOptions, ProgramInfo, PropagateOptions } from "faketensor";
import { connect, type RemoteRun } from "faketensor/worker";

export type * from "faketensor";
export { Status, ValueKind } from "faketensor/worker";

export interface Engine {
  /** Reads a file in slices: it is never copied whole into memory, and it never leaves the machine. */
  open(file: Blob, options: OpenOptions): Promise<Program>;
}

export interface Program {
  readonly info: ProgramInfo;
  propagate(options?: PropagateOptions): Promise<Run>;
  /** `expanded`: ids of the modules drawn open. `plumbing`: whether sizes, assertions and aliases are drawn. */
  layout(options: { expanded: readonly number[]; plumbing: boolean }): Promise<Layout>;
  dispose(): Promise<void>;
}

/** Whatever a run can be asked (questions.ts of the package). */
export type Run = Pick<RemoteRun, keyof RemoteRun>;

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
