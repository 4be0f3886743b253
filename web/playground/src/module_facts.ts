/**
 * What goes into a closed module and what comes out of it, as its box and the hover card tell, and how many parameters it
 * has. Made once per picture, of the edges that are drawn.
 */
import { ValueKind } from "./engine.js";
import { compactShape, dtypeShort, sizesOf } from "./format.js";
import type { Model } from "./model.js";
import type { Scene } from "./scene.js";

export interface Interface {
  /** Rows, each once, in the order of the edges. */
  readonly into: readonly number[];
  readonly outOf: readonly number[];
}

/** The values that the edges at a box carry. */
export function interfaceOf(scene: Scene, box: number): Interface {
  const { from, to, value } = scene.layout.edge;
  const into = new Set<number>();
  const outOf = new Set<number>();
  for (const edge of scene.edgesOf(box)) {
    if (to[edge] === box) into.add(value[edge]);
    if (from[edge] === box) outOf.add(value[edge]);
  }
  return { into: [...into], outOf: [...outOf] };
}

/** `2×8 → 2×10`: of several inputs the one that is most like data, with how many more there are. */
export function interfaceText(scene: Scene, box: number): string {
  const { into, outOf } = interfaceOf(scene, box);
  const { table } = scene.model;
  return `${valuesText(scene.model, into, isFloat(table.dtypes, table.dtype))} → ${valuesText(scene.model, outOf, () => true)}`;
}

function isFloat(dtypes: readonly string[], dtype: Uint8Array): (row: number) => boolean {
  return (row) => dtypes[dtype[row]].includes("float");
}

function valuesText(model: Model, rows: readonly number[], likely: (row: number) => boolean): string {
  const tensors = rows.filter((row) => model.table.kind[row] === ValueKind.tensor);
  const first = tensors.find(likely) ?? tensors.at(0);
  if (first === undefined) return rows.length === 0 ? "·" : "…";
  const more = rows.length > 1 ? ` +${rows.length - 1}` : "";
  return compactShape(sizesOf(model.table, first)) + more;
}

/** `f32 2×8`, for where there is room. */
export function shapeText({ table }: Model, row: number): string {
  if (table.kind[row] !== ValueKind.tensor) return table.kind[row] === ValueKind.list ? "list" : "scalar";
  return `${dtypeShort(table.dtypes[table.dtype[row]])} ${compactShape(sizesOf(table, row))}`;
}

/** Numbers that a module and those below it have learned, and the bytes of their tensors, by module. */
export class Parameters {
  private readonly counts: Float64Array;
  private readonly bytes: Float64Array;

  constructor(model: Model) {
    const { inputs, modules } = model.info;
    this.counts = new Float64Array(modules.length);
    this.bytes = new Float64Array(modules.length);
    for (const { kind, target, node, size } of inputs) {
      if (kind === "user" || target === null) continue;
      const numel = size.reduce<number>((product, dim) => product * Number(dim), 1);
      for (let at = ownerOf(model, target); at >= 0; at = modules[at].parent) {
        if (kind === "parameter") this.counts[at] += numel;
        this.bytes[at] += Math.max(0, model.table.nbytes[node]);
      }
    }
  }

  countOf(module: number): number {
    return this.counts[module];
  }

  bytesOf(module: number): number {
    return this.bytes[module];
  }
}

/** The innermost module whose path a parameter's name begins with; the root where none is. */
function ownerOf(model: Model, target: string): number {
  for (let end = target.lastIndexOf("."); end > 0; end = target.lastIndexOf(".", end - 1)) {
    const module = model.findModule(target.slice(0, end));
    if (module !== null) return module;
  }
  return 0;
}

const kUnits = ["", "k", "M", "G", "T"];

/** `7.1M`: how many parameters, as they are spoken of. */
export function parametersText(count: number): string {
  let unit = 0;
  let amount = count;
  while (amount >= 1000 && unit < kUnits.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${amount.toFixed(unit === 0 || amount >= 100 ? 0 : 1)}${kUnits[unit]}`;
}
