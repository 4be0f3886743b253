/**
 * B - A: what two runs of one program, or two programs, have in common and what differs. Rows of one program are the same
 * rows; of two programs those that stand in modules of the same path and are the same operator in the same turn there.
 * Parameters and inputs are matched by name.
 */
import { Status, ValueKind } from "./engine.js";
import { valueText } from "./format.js";
import type { MemoryProfile } from "./memory_profile.js";
import { sameValue, type Model } from "./model.js";
import type { TimeProfile } from "./time_profile.js";

/** What is compared: a program as it was, or is, shown. */
export interface Side {
  readonly name: string;
  readonly model: Model;
  readonly profile: MemoryProfile | null;
  readonly time: TimeProfile | null;
}

export interface Change {
  readonly kind: "changed" | "added" | "removed";
  /** In B; of what was removed in A. */
  readonly row: number;
  readonly bytes: number;
  readonly flops: number;
  /** On one device; 0 where the two sides are told of different ones. */
  readonly seconds: number;
}

export class Comparison {
  /** Per row of B: the same row of A, or -1. */
  readonly rowInA: Int32Array;
  /** What changed most first: by bytes, then by FLOPs, then in the order of the program. */
  readonly changes: readonly Change[];
  private readonly changeOfRow = new Map<number, Change>();
  private readonly moduleBytes: Float64Array;
  private readonly moduleChanges: Uint32Array;
  private readonly moduleFlops: Float64Array;
  private readonly moduleSeconds: Float64Array;
  /** Whether both sides are told of one device. */
  readonly hasTime: boolean;

  constructor(
    readonly a: Side,
    readonly b: Side,
  ) {
    this.rowInA = a.model.info === b.model.info ? sameRows(b.model) : matchedRows(a.model, b.model);
    const { modules } = b.model.info;
    this.moduleBytes = new Float64Array(modules.length);
    this.moduleChanges = new Uint32Array(modules.length);
    this.moduleFlops = new Float64Array(modules.length);
    this.moduleSeconds = new Float64Array(modules.length);
    this.hasTime = a.time !== null && a.time.device === b.time?.device;
    const changes: Change[] = [];
    const found = new Set<number>();
    this.rowInA.forEach((old, row) => {
      found.add(old);
      const change = this.changeAt(row, old);
      if (change === null) return;
      changes.push(change);
      this.changeOfRow.set(row, change);
      this.count(b.model.table.module[row], change);
    });
    for (let row = 0; row < a.model.table.length; row++) {
      if (found.has(row)) continue;
      const change: Change = {
        kind: "removed",
        row,
        bytes: -bytesAt(a, row),
        flops: -flopsAt(a, row),
        seconds: -this.secondsAt(a, row),
      };
      changes.push(change);
      this.count(moduleLike(a.model, row, b.model), change);
    }
    this.changes = changes.sort(
      (one, other) =>
        Math.abs(other.bytes) - Math.abs(one.bytes) ||
        Math.abs(other.flops) - Math.abs(one.flops) ||
        Math.abs(other.seconds) - Math.abs(one.seconds) ||
        one.row - other.row,
    );
  }

  private changeAt(row: number, old: number): Change | null {
    const { a, b } = this;
    const after = { bytes: bytesAt(b, row), flops: flopsAt(b, row), seconds: this.secondsAt(b, row) };
    if (old < 0) return { kind: "added", row, ...after };
    const bytes = after.bytes - bytesAt(a, old);
    const flops = after.flops - flopsAt(a, old);
    const seconds = after.seconds - this.secondsAt(a, old);
    const isSame = bytes === 0 && flops === 0 && sameValue(a.model.table, old, b.model.table, row);
    return isSame && seconds === 0 ? null : { kind: "changed", row, bytes, flops, seconds };
  }

  private secondsAt({ time }: Side, row: number): number {
    return this.hasTime && time !== null ? time.secondsOf(row) : 0;
  }

  private count(module: number, { bytes, flops, seconds }: Change): void {
    for (let at = module; at >= 0; at = this.b.model.info.modules[at].parent) {
      this.moduleBytes[at] += bytes;
      this.moduleFlops[at] += flops;
      this.moduleSeconds[at] += seconds;
      this.moduleChanges[at]++;
    }
  }

  /** Null where a row of B is as it is in A. */
  changeOf(row: number): Change | null {
    return this.changeOfRow.get(row) ?? null;
  }

  /** Bytes that a module of B brings more than in A, with what is below it. */
  bytesIn(module: number): number {
    return this.moduleBytes[module];
  }

  flopsIn(module: number): number {
    return this.moduleFlops[module];
  }

  secondsIn(module: number): number {
    return this.moduleSeconds[module];
  }

  /** How many of its rows differ, those that A alone has among them. */
  changesIn(module: number): number {
    return this.moduleChanges[module];
  }

  countOf(kind: Change["kind"]): number {
    return this.changes.filter((change) => change.kind === kind).length;
  }

  /** `f32[2, 8] → f32[4, 8]`. */
  textOf({ kind, row }: Change): string {
    if (kind === "removed") return `${stateText(this.a.model, row)}, only in A`;
    const after = stateText(this.b.model, row);
    if (kind === "added") return `${after}, only in B`;
    const before = stateText(this.a.model, this.rowInA[row]);
    if (before !== after) return `${before} → ${after}`;
    const { a, b, rowInA } = this;
    return sameValue(a.model.table, rowInA[row], b.model.table, row)
      ? after
      : `${after}, other strides or bytes`;
  }

  nameOf({ kind, row }: Change): string {
    return (kind === "removed" ? this.a : this.b).model.table.names[row];
  }
}

function bytesAt({ profile }: Side, row: number): number {
  return profile?.bytesOf(row) ?? 0;
}

function flopsAt({ profile }: Side, row: number): number {
  return profile?.flopsOf(row) ?? 0;
}

export function stateText({ table }: Model, row: number): string {
  if (table.status[row] === Status.error) return "error";
  if (table.status[row] === Status.notReached) return "not reached";
  return table.kind[row] === ValueKind.none ? "none" : valueText(table, row);
}

function sameRows({ table }: Model): Int32Array {
  return Int32Array.from({ length: table.length }, (_, row) => row);
}

/** A program that was exported again numbers its nodes anew: names tell little, places much. */
function matchedRows(a: Model, b: Model): Int32Array {
  const places = new Map<string, number>();
  placesOf(a).forEach((place, row) => {
    places.set(place, row);
  });
  return Int32Array.from(placesOf(b), (place) => places.get(place) ?? -1);
}

/** Per row: module path, operator, and the how manieth of these it is. */
function placesOf(model: Model): string[] {
  const { table, info } = model;
  const turns = new Map<string, number>();
  const names = new Map(info.inputs.map((input) => [input.node, input.target ?? input.name]));
  return Array.from({ length: table.length }, (_, row) => {
    const name = names.get(row);
    if (name !== undefined) return `input ${name}`;
    const kind = `${info.modules[table.module[row]].path} ${model.op(row)}`;
    const turn = turns.get(kind) ?? 0;
    turns.set(kind, turn + 1);
    return `${kind} ${turn}`;
  });
}

/** The module of B where a row of A would stand: the one of the same path, or the nearest around it. */
function moduleLike(a: Model, row: number, b: Model): number {
  for (let at = a.table.module[row]; at > 0; at = a.info.modules[at].parent) {
    const found = b.findModule(a.info.modules[at].path);
    if (found !== null) return found;
  }
  return 0;
}
