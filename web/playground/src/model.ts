/**
 * One opened program with one propagated run, and the questions the panes ask about it: the tree of modules and rows,
 * readers of a value, aliases of a storage, what differs between two runs. Built once per run from flat columns; every
 * answer is an array lookup or one pass over a column.
 */
import { plural, valueText } from "./format.js";
import { kNoSymbols, type Symbolic } from "./answers.js";
import {
  Status,
  ValueKind,
  type Assumed,
  type ModuleInfo,
  type Problem,
  type ProgramInfo,
  type Table,
} from "./engine.js";

/** What is selected, in the canvas, the tree, the inspector and the address alike. */
export type Selection =
  { readonly kind: "node"; readonly row: number } | { readonly kind: "module"; readonly id: number };

export function sameSelection(a: Selection | null, b: Selection | null): boolean {
  if (a === null || b === null) return a === b;
  return a.kind === "node" ? b.kind === "node" && a.row === b.row : b.kind === "module" && a.id === b.id;
}

/** A child of a module in order of execution: `>= 0` a row of the table, `< 0` the module `~child`. */
export type Child = number;

export class Model {
  readonly info: ProgramInfo;
  readonly table: Table;
  readonly problems: readonly Problem[];
  /** Wall time of the propagation, or of following the symbols where nothing was propagated. */
  readonly milliseconds: number;
  /** Rows of placeholders that are parameters, buffers or constants. */
  readonly weights: readonly number[];
  readonly userInputs: readonly number[];
  /** How many rows have no value because of a problem before them. */
  readonly notReached: number;
  private readonly moduleByPath = new Map<string, number>();
  private readonly rowByName = new Map<string, number>();
  private readonly problemByRow = new Map<number, Problem>();
  private readonly inputKind = new Map<number, "parameter" | "buffer" | "constant" | "user">();
  /** Per module: see {@link worstIn}. */
  private readonly worst: Uint8Array;
  private children: Child[][] | null = null;
  private readers: { start: Uint32Array; rows: Uint32Array } | null = null;

  /** What the sizes have to do with the program's symbols. */
  readonly symbolic: Symbolic;

  constructor(
    info: ProgramInfo,
    table: Table,
    problems: readonly Problem[],
    milliseconds: number,
    symbolic: Symbolic = kNoSymbols,
    /** How much of the program was taken for part of the example. */
    readonly assumed: Assumed = { assumptions: 0, guesses: 0 },
  ) {
    this.info = info;
    this.symbolic = symbolic;
    this.table = table;
    this.problems = problems;
    this.milliseconds = milliseconds;
    for (const module of info.modules) {
      if (!this.moduleByPath.has(module.path)) this.moduleByPath.set(module.path, module.id);
    }
    for (let row = 0; row < table.length; row++) this.rowByName.set(table.names[row], row);
    for (const problem of problems) {
      if (!this.problemByRow.has(problem.node)) this.problemByRow.set(problem.node, problem);
    }
    for (const input of info.inputs) this.inputKind.set(input.node, input.kind);
    this.worst = new Uint8Array(info.modules.length);
    for (const problem of problems) this.raiseWorst(problem);
    this.notReached = this.raiseNotReached();
    this.weights = info.inputs.filter((input) => input.kind !== "user").map((input) => input.node);
    this.userInputs = info.inputs.filter((input) => input.kind === "user").map((input) => input.node);
  }

  /** Counts the rows that were not reached; the modules around them show it where they hold nothing worse. */
  private raiseNotReached(): number {
    let rows = 0;
    this.table.status.forEach((status, row) => {
      if (status !== Status.notReached) return;
      rows++;
      for (
        let at = this.table.module[row];
        at >= 0 && this.worst[at] === 0;
        at = this.info.modules[at].parent
      )
        this.worst[at] = Status.notReached;
    });
    return rows;
  }

  private raiseWorst(problem: Problem): void {
    if (problem.kind === "mismatch") return;
    for (let at = this.table.module[problem.node]; at >= 0; at = this.info.modules[at].parent) {
      if (this.worst[at] !== Status.error) {
        this.worst[at] = problem.kind === "error" ? Status.error : Status.unknown;
      }
    }
  }

  module(id: number): ModuleInfo {
    return this.info.modules[id];
  }

  op(row: number): string {
    return this.table.ops[this.table.op[row]];
  }

  /** Null for a row that is no placeholder. */
  kindOfInput(row: number): "parameter" | "buffer" | "constant" | "user" | null {
    return this.inputKind.get(row) ?? null;
  }

  problemAt(row: number): Problem | null {
    return this.problemByRow.get(row) ?? null;
  }

  findModule(path: string): number | null {
    return this.moduleByPath.get(path) ?? null;
  }

  findRow(name: string): number | null {
    return this.rowByName.get(name) ?? null;
  }

  /** A selection in words, as a screen reader hears it. */
  describe(selection: Selection): string {
    if (selection.kind === "node") {
      return `${this.table.names[selection.row]}, ${valueText(this.table, selection.row)}`;
    }
    const { path, nodes } = this.module(selection.id);
    return `Module ${path}, ${plural(nodes, "node")}`;
  }

  /** Modules from the root's child down to `id`; the root itself is left out. */
  modulePath(id: number): number[] {
    const path: number[] = [];
    for (let at = id; at > 0; at = this.info.modules[at].parent) path.unshift(at);
    return path;
  }

  /** The module that holds the selection: a node's own module, a module's parent; null above the top. */
  enclosing(selection: Selection): Selection | null {
    const id =
      selection.kind === "node" ? this.table.module[selection.row] : this.info.modules[selection.id].parent;
    return id > 0 ? { kind: "module", id } : null;
  }

  /** The status that a closed module shows for what it hides: an error before an unknown operator before what was not reached. */
  worstIn(id: number): number {
    return this.worst[id];
  }

  /** What a module directly holds, in order of first execution. Placeholders are not listed. */
  childrenOf(id: number): readonly Child[] {
    this.children ??= this.listChildren();
    return this.children[id] ?? [];
  }

  private listChildren(): Child[][] {
    const { modules } = this.info;
    const children: Child[][] = modules.map(() => []);
    const seen = new Uint8Array(modules.length);
    seen[0] = 1;
    for (let row = 0; row < this.table.length; row++) {
      if (this.inputKind.has(row)) continue;
      const owner = this.table.module[row];
      const path = seen[owner] ? [] : this.modulePath(owner);
      for (const id of path) {
        if (seen[id]) continue;
        seen[id] = 1;
        children[modules[id].parent].push(~id);
      }
      children[owner].push(row);
    }
    return children;
  }

  inputsOf(row: number): Uint32Array {
    return this.table.inputs.subarray(this.table.inputStart[row], this.table.inputStart[row + 1]);
  }

  /** The rows that read this one, ascending. */
  readersOf(row: number): Uint32Array {
    this.readers ??= this.invertInputs();
    return this.readers.rows.subarray(this.readers.start[row], this.readers.start[row + 1]);
  }

  private invertInputs(): { start: Uint32Array; rows: Uint32Array } {
    const { length, inputs, inputStart } = this.table;
    const start = new Uint32Array(length + 1);
    for (const input of inputs) start[input + 1]++;
    for (let row = 0; row < length; row++) start[row + 1] += start[row];
    const next = start.slice();
    const rows = new Uint32Array(inputs.length);
    for (let row = 0; row < length; row++) {
      for (let i = inputStart[row]; i < inputStart[row + 1]; i++) rows[next[inputs[i]]++] = row;
    }
    return { start, rows };
  }

  /** Other rows on the same storage, at most `limit`, ascending. */
  aliasesOf(row: number, limit = 50): number[] {
    const storage = this.table.storage[row];
    const aliases: number[] = [];
    if (storage < 0) return aliases;
    for (let other = 0; other < this.table.length && aliases.length < limit; other++) {
      if (other !== row && this.table.storage[other] === storage) aliases.push(other);
    }
    return aliases;
  }

  /** Bytes of the parameters, buffers and constants, each storage counted once; symbolic ones are left out. */
  weightBytes(): number {
    const seen = new Set<number>();
    let bytes = 0;
    for (const row of this.weights) {
      const storage = this.table.storage[row];
      if (storage < 0 || seen.has(storage)) continue;
      seen.add(storage);
      bytes += Math.max(0, this.table.nbytes[row]);
    }
    return bytes;
  }

  /** The modules that are `depth` or fewer levels below the root: what "expand to depth" draws open. */
  modulesToDepth(depth: number): number[] {
    return this.info.modules
      .filter((module) => module.id > 0 && this.depthOf(module.id) <= depth)
      .map((module) => module.id);
  }

  depthOf(id: number): number {
    let depth = 0;
    for (let at = id; at > 0; at = this.info.modules[at].parent) depth++;
    return depth;
  }

  maxDepth(): number {
    return this.info.modules.reduce((deepest, module) => Math.max(deepest, this.depthOf(module.id)), 0);
  }
}

/**
 * The rows whose value differs between two runs of one program: other sizes, strides, dtype, device, offset or status.
 * Rows are matched by position, which is the same in both since a run never adds or removes nodes.
 */
export function changedRows(before: Table, after: Table): Set<number> {
  const changed = new Set<number>();
  for (let row = 0; row < Math.min(before.length, after.length); row++) {
    if (!sameValue(before, row, after, row)) changed.add(row);
  }
  return changed;
}

/** Whether row `left` of one table has the value that row `right` of another has. */
export function sameValue(a: Table, left: number, b: Table, right: number): boolean {
  if (a.status[left] !== b.status[right] || a.kind[left] !== b.kind[right]) return false;
  if (a.kind[left] === ValueKind.none) return true;
  if (
    a.dtypes[a.dtype[left]] !== b.dtypes[b.dtype[right]] ||
    a.devices[a.device[left]] !== b.devices[b.device[right]]
  )
    return false;
  const first = a.dimStart[left];
  const other = b.dimStart[right];
  const rank = a.dimStart[left + 1] - first;
  if (rank !== b.dimStart[right + 1] - other) return false;
  for (let i = 0; i < rank; i++) {
    if (!sameDim(a, a.size[first + i], b, b.size[other + i])) return false;
    if (!sameDim(a, a.stride[first + i], b, b.stride[other + i])) return false;
  }
  return sameDim(a, a.offset[left], b, b.offset[right]);
}

function sameDim(a: Table, left: number, b: Table, right: number): boolean {
  if (left >= 0 || right >= 0) return left === right;
  return a.expressions[-left - 1] === b.expressions[-right - 1];
}
