import type { RemoteRun } from "./worker.js";
import type { Problem } from "./types.js";

/** A file, bytes, or the text of ExportedProgram JSON. */
export type ViewerGraph = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;

/** `nodeselect`: what is selected now, null for nothing. */
export type NodeSelectDetail =
  | { readonly kind: "node"; readonly name: string; readonly op: string; readonly row: number }
  | { readonly kind: "module"; readonly name: string }
  | null;

/** `propagated`: the run that is shown, good until the properties change or the element is removed. */
export interface PropagatedDetail {
  readonly run: RemoteRun;
  readonly problems: readonly Problem[];
}

/** The page's picture of a program: ../playground/src/viewer.ts, which build.js puts in this file's place. */
export declare class FakeTensorViewer extends HTMLElement {
  /** The program itself, instead of {@link src}. */
  graph: ViewerGraph | null;
  /** Where the program is fetched from. */
  src: string | null;
  /** Sizes by name, as `PropagateOptions.dims` has them. */
  get dims(): Readonly<Record<string, number>>;
  set dims(dims: Readonly<Record<string, number>> | null);
  dtype: string | null;
  device: string | null;
  target: string | null;
  /** Selects a node by its name, or a module by its path after `/`. False where there is none. */
  select(name: string | null): boolean;
  /** A report on what is shown, as one HTML file. */
  exportReport(): Promise<Blob>;
}
