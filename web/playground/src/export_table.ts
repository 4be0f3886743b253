/** All that is known of every node, as a table: CSV for spreadsheets, JSON for programs. Pure. */
import { dimsText, sizesOf, stridesOf } from "./format.js";
import { ValueKind } from "./engine.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { Model } from "./model.js";
import { stateText } from "./comparison.js";

/** One node. What a node has none of is null. */
export interface NodeRecord {
  readonly index: number;
  readonly name: string;
  readonly op: string;
  readonly module: string;
  readonly value: string;
  readonly dtype: string | null;
  readonly shape: readonly (number | string)[] | null;
  readonly stride: readonly (number | string)[] | null;
  readonly device: string | null;
  readonly storage: number | null;
  /** Bytes of the storages that it brings, and all that is alive while it runs. */
  readonly brings: number | null;
  readonly alive: number | null;
  readonly flops: number | null;
}

export function nodeRecords(model: Model, profile: MemoryProfile | null): NodeRecord[] {
  const { table, info } = model;
  return Array.from({ length: table.length }, (_, row) => {
    const isTensor = table.kind[row] === ValueKind.tensor;
    return {
      index: row,
      name: table.names[row],
      op: model.op(row),
      module: info.modules[table.module[row]].path,
      value: stateText(model, row),
      dtype: isTensor ? table.dtypes[table.dtype[row]] : null,
      shape: isTensor ? sizesOf(table, row) : null,
      stride: isTensor ? stridesOf(table, row) : null,
      device: isTensor ? table.devices[table.device[row]] : null,
      storage: isTensor && table.storage[row] >= 0 ? table.storage[row] : null,
      brings: profile?.bytesOf(row) ?? null,
      alive: profile === null || row < profile.first ? null : profile.alive[row],
      flops: profile?.flopsOf(row) ?? null,
    };
  });
}

export function toCsv(records: readonly NodeRecord[]): string {
  const names = Object.keys(records[0] ?? {}) as (keyof NodeRecord)[];
  const lines = records.map((record) => names.map((name) => cell(record[name])).join(","));
  return `${[names.join(","), ...lines].join("\r\n")}\r\n`;
}

/** Quoted as RFC 4180 says. A text that a spreadsheet would compute is kept from it. */
function cell(value: NodeRecord[keyof NodeRecord]): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : dimsText(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function toJson(name: string, model: Model, profile: MemoryProfile | null): string {
  const { info, problems } = model;
  const totals =
    profile === null
      ? null
      : {
          peakBytes: profile.peak,
          peakNode: profile.peakRow < 0 ? null : model.table.names[profile.peakRow],
          heldBytes: profile.held,
          flops: profile.totalFlops,
        };
  const program = { name, torchVersion: info.torchVersion, schemaVersion: info.schemaVersion };
  return JSON.stringify({ program, totals, problems, nodes: nodeRecords(model, profile) });
}
