/**
 * Memory over time: what is alive while each row runs, stacked into layers, and who holds it. Built in one pass over the
 * storages of a run ({@link RunCosts}), so a program of 100,000 nodes takes some milliseconds.
 *
 * Bytes are those of storages, on all devices, without an allocator's rounding. A row's bytes are the most that is alive
 * while it runs: what it brings and the temporaries of its operator included.
 */
import type { MemoryKind, RunCosts } from "./engine.js";
import type { Model } from "./model.js";

export interface Holder {
  /** The node that brought it. */
  readonly row: number;
  readonly kind: MemoryKind;
  readonly bytes: number;
  /** The row that reads it last; null: it is held to the end. */
  readonly until: number | null;
}

/** Part of what is alive, per row. */
export interface Layer {
  readonly name: string;
  readonly bytes: Float64Array;
}

export type Stacking = "kind" | "module";

/** Layers that have a colour of their own; the rest of the modules is one more. */
const kMostModules = 7;

export class MemoryProfile {
  /** The first row that runs; what is before it is placeholders. */
  readonly first: number;
  readonly length: number;
  /** Per row. */
  readonly alive: Float64Array;
  /** What placeholders hold all the time. */
  readonly held: number;
  /** The first row while which most is alive; -1 for a program in which nothing runs. */
  readonly peakRow: number;
  readonly totalFlops: number;
  private readonly brought: Float64Array;
  private readonly computed: Float64Array;
  private readonly stacks = new Map<Stacking, readonly Layer[]>();
  private moduleSums: { bytes: Float64Array; flops: Float64Array } | null = null;

  constructor(
    /** Of the run whose rows these are. */
    readonly model: Model,
    private readonly costs: RunCosts,
  ) {
    this.length = model.table.length;
    this.first = model.info.inputs.length;
    const { storages, temporaries, flops } = costs;
    this.brought = new Float64Array(this.length);
    this.computed = new Float64Array(this.length);
    this.alive = this.sums(() => true);
    let held = 0;
    storages.row.forEach((row, i) => {
      this.brought[row] += storages.bytes[i];
      if (row < this.first) held += storages.bytes[i];
    });
    this.held = held;
    temporaries.row.forEach((row, i) => {
      this.alive[row] += temporaries.bytes[i];
    });
    let total = 0;
    flops.row.forEach((row, i) => {
      this.computed[row] += flops.flops[i];
      total += flops.flops[i];
    });
    this.totalFlops = total;
    let peak = -1;
    for (let row = this.first; row < this.length; row++)
      if (peak < 0 || this.alive[row] > this.alive[peak]) peak = row;
    this.peakRow = peak;
  }

  get peak(): number {
    return this.peakRow < 0 ? this.held : this.alive[this.peakRow];
  }

  /** Storages whose bytes only data tells, which count nothing here. */
  get unknown(): number {
    return this.costs.unknown;
  }

  /** Bytes of the storages that a row brings: none for a view, or for what is written in place. */
  bytesOf(row: number): number {
    return this.brought[row];
  }

  flopsOf(row: number): number {
    return this.computed[row];
  }

  /** Of a module with what is below it; what placeholders hold belongs to none. */
  bytesIn(module: number): number {
    return this.sumsByModule().bytes[module];
  }

  flopsIn(module: number): number {
    return this.sumsByModule().flops[module];
  }

  /** What is alive while a row runs, the most first; temporaries of its operator are one holder. */
  holders(at: number): Holder[] {
    const { storages, temporaries, kinds } = this.costs;
    const found: Holder[] = [];
    storages.row.forEach((row, i) => {
      const until = storages.until[i];
      if (!this.isAlive(i, at)) return;
      found.push({
        row,
        kind: kinds[storages.kind[i]],
        bytes: storages.bytes[i],
        until: until < 0 ? null : until,
      });
    });
    const inside = temporaries.row.indexOf(at);
    if (inside >= 0)
      found.push({ row: at, kind: "temporaries", bytes: temporaries.bytes[inside], until: at });
    return found.sort((a, b) => b.bytes - a.bytes);
  }

  /** The rows whose values are on storages that are alive while a row runs, the row itself among them. */
  rowsAlive(at: number): Set<number> {
    const { table } = this.model;
    const rows = new Set([at]);
    const storagesAlive = new Set<number>();
    this.costs.storages.row.forEach((row, i) => {
      if (!this.isAlive(i, at)) return;
      rows.add(row);
      if (table.storage[row] >= 0) storagesAlive.add(table.storage[row]);
    });
    for (let row = 0; row <= at; row++) if (storagesAlive.has(table.storage[row])) rows.add(row);
    return rows;
  }

  private isAlive(storage: number, at: number): boolean {
    const { row, until } = this.costs.storages;
    const begins = row[storage] < this.first || row[storage] <= at;
    return begins && (until[storage] < 0 || until[storage] >= at);
  }

  /** From below: what placeholders hold is never among them. Together with that they are all that is alive. */
  layers(stacking: Stacking): readonly Layer[] {
    let layers = this.stacks.get(stacking);
    if (layers === undefined) {
      layers = stacking === "kind" ? this.byKind() : this.byModule();
      this.stacks.set(stacking, layers);
    }
    return layers;
  }

  private byKind(): Layer[] {
    const { storages, kinds } = this.costs;
    const layers = kinds.map((name, kind) => ({
      name,
      bytes: this.sums((i) => storages.kind[i] === kind && storages.row[i] >= this.first),
    }));
    return this.withTemporaries(layers.filter(({ name }) => name !== "temporaries"));
  }

  /** By the modules at the level where the program first branches: its blocks, not the one that wraps them all. */
  private byModule(): Layer[] {
    const { storages } = this.costs;
    const { table } = this.model;
    const branch = this.branchOf();
    const held = new Map<number, number>();
    const groups = storages.row.map((row) => branch(table.module[row]));
    groups.forEach((group, i) => {
      if (storages.row[i] >= this.first) held.set(group, (held.get(group) ?? 0) + storages.bytes[i]);
    });
    const largest = [...held].sort((a, b) => b[1] - a[1]).slice(0, kMostModules);
    const named = largest.map(([group]) => group).sort((a, b) => a - b);
    const layers = named.map((group) => ({
      name: group === 0 ? "no module" : this.model.module(group).path,
      bytes: this.sums((i) => groups[i] === group && storages.row[i] >= this.first),
    }));
    const rest = new Set(named);
    if (held.size > rest.size)
      layers.push({
        name: `${held.size - rest.size} other modules`,
        bytes: this.sums((i) => !rest.has(groups[i]) && storages.row[i] >= this.first),
      });
    return this.withTemporaries(layers);
  }

  private withTemporaries(layers: readonly Layer[]): Layer[] {
    const { row, bytes } = this.costs.temporaries;
    const inside = new Float64Array(this.length);
    row.forEach((at, i) => {
      inside[at] = bytes[i];
    });
    return [...layers, { name: "temporaries", bytes: inside }].filter((layer) =>
      layer.bytes.some((value) => value > 0),
    );
  }

  /** For a module: the one that stands for it, a child of the deepest module that holds everything. */
  private branchOf(): (module: number) => number {
    const { modules } = this.model.info;
    const depth = modules.map(({ id }) => this.model.depthOf(id));
    const counts = new Map<number, number>();
    for (const { id } of modules) counts.set(depth[id], (counts.get(depth[id]) ?? 0) + 1);
    const level = [...counts].find(([at, count]) => at > 0 && count > 2)?.[0] ?? 1;
    return (module) => {
      let at = module;
      while (depth[at] > level) at = modules[at].parent;
      return at;
    };
  }

  /** Per row, the bytes of the chosen storages that are alive while it runs. */
  private sums(chosen: (storage: number) => boolean): Float64Array {
    const { row, until, bytes } = this.costs.storages;
    const change = new Float64Array(this.length + 1);
    for (let i = 0; i < row.length; i++) {
      if (!chosen(i)) continue;
      change[row[i] < this.first ? 0 : row[i]] += bytes[i];
      if (until[i] >= 0) change[until[i] + 1] -= bytes[i];
    }
    const sums = new Float64Array(this.length);
    let now = 0;
    for (let at = 0; at < this.length; at++) {
      now += change[at];
      sums[at] = now;
    }
    return sums;
  }

  private sumsByModule(): { bytes: Float64Array; flops: Float64Array } {
    if (this.moduleSums !== null) return this.moduleSums;
    const { modules } = this.model.info;
    const bytes = new Float64Array(modules.length);
    const flops = new Float64Array(modules.length);
    for (let row = this.first; row < this.length; row++) {
      if (this.brought[row] === 0 && this.computed[row] === 0) continue;
      for (let at = this.model.table.module[row]; at >= 0; at = modules[at].parent) {
        bytes[at] += this.brought[row];
        flops[at] += this.computed[row];
      }
    }
    this.moduleSums = { bytes, flops };
    return this.moduleSums;
  }
}
