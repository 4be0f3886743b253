/**
 * Opens the binary buffers of `wasm/packed.h`: structures of arrays behind a directory. Columns become typed-array
 * views of the one buffer, nothing is copied per element.
 *
 * ```text
 * u32 magic "FTPK" | u32 version | u32 kind | u32 number of sections
 * per section: u32 id | u32 element type | u32 byte offset | u32 number of elements
 * data, each section aligned to 8 bytes
 * ```
 * A section of strings holds `count + 1` u32 offsets into the UTF-8 text that follows them.
 */
import { FakeTensorError } from "./errors.js";
import type { Layout, Table } from "./types.js";

/** Must equal `kPackedVersion` of wasm/packed.h: a buffer of another version is refused. */
export const packedVersion = 2;

const magic = 0x4b505446;
const headerWords = 4;
const sectionWords = 4;

export const BufferKind = { table: 1, layout: 2 } as const;

const ElementType = { u8: 1, u32: 2, i32: 3, f32: 4, f64: 5, strings: 6 } as const;

/** Section ids of wasm/packed.h, by buffer kind. */
const TableSection = {
  names: 1,
  op: 2,
  ops: 3,
  module: 4,
  status: 5,
  kind: 6,
  dtype: 7,
  dtypes: 8,
  device: 9,
  devices: 10,
  dimStart: 11,
  size: 12,
  stride: 13,
  offset: 14,
  nbytes: 15,
  tensor: 16,
  storage: 17,
  expressions: 18,
  inputStart: 19,
  inputs: 20,
} as const;

const LayoutSection = {
  extent: 1,
  boxId: 2,
  boxX: 3,
  boxY: 4,
  boxW: 5,
  boxH: 6,
  boxParent: 7,
  boxDepth: 8,
  boxRepeat: 9,
  edgeFrom: 10,
  edgeTo: 11,
  edgeValue: 12,
  pointStart: 13,
  points: 14,
} as const;

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly count: number;
}

/** The sections of one buffer, by id. */
class PackedReader {
  readonly #sections = new Map<number, Section>();

  constructor(
    private readonly buffer: ArrayBuffer,
    kind: number,
  ) {
    const head = new Uint32Array(buffer, 0, headerWords);
    const [word = 0, version = 0, found = 0, count = 0] = head;
    if (word !== magic) throw mismatch("not a packed buffer");
    if (version !== packedVersion) {
      throw mismatch(
        `layout version ${version}, expected ${packedVersion}: faketensor.wasm and the JavaScript differ`,
      );
    }
    if (found !== kind) throw mismatch(`buffer of kind ${found}, expected ${kind}`);
    const directory = new Uint32Array(buffer, headerWords * 4, count * sectionWords);
    for (let i = 0; i < directory.length; i += sectionWords) {
      const [id = 0, type = 0, offset = 0, elements = 0] = directory.subarray(i, i + sectionWords);
      this.#sections.set(id, { type, offset, count: elements });
    }
  }

  u8(id: number): Uint8Array {
    const at = this.#section(id, ElementType.u8);
    return new Uint8Array(this.buffer, at.offset, at.count);
  }

  u32(id: number): Uint32Array {
    const at = this.#section(id, ElementType.u32);
    return new Uint32Array(this.buffer, at.offset, at.count);
  }

  i32(id: number): Int32Array {
    const at = this.#section(id, ElementType.i32);
    return new Int32Array(this.buffer, at.offset, at.count);
  }

  f32(id: number): Float32Array {
    const at = this.#section(id, ElementType.f32);
    return new Float32Array(this.buffer, at.offset, at.count);
  }

  f64(id: number): Float64Array {
    const at = this.#section(id, ElementType.f64);
    return new Float64Array(this.buffer, at.offset, at.count);
  }

  strings(id: number): string[] {
    const at = this.#section(id, ElementType.strings);
    const offsets = new Uint32Array(this.buffer, at.offset, at.count + 1);
    const start = at.offset + offsets.byteLength;
    return decodeStrings(offsets, new Uint8Array(this.buffer, start, offsets[at.count] ?? 0));
  }

  #section(id: number, type: number): Section {
    const section = this.#sections.get(id);
    if (section?.type !== type) throw mismatch(`section ${id} is missing or of another type`);
    return section;
  }
}

/** Decodes all text at once and cuts it; byte offsets are character offsets unless the text is not ASCII. */
function decodeStrings(offsets: Uint32Array, bytes: Uint8Array): string[] {
  const decoder = new TextDecoder();
  const text = decoder.decode(bytes);
  const ascii = text.length === bytes.length;
  const result = new Array<string>(offsets.length - 1);
  for (let i = 0; i < result.length; i++) {
    const begin = offsets[i] ?? 0;
    const end = offsets[i + 1] ?? 0;
    result[i] = ascii ? text.slice(begin, end) : decoder.decode(bytes.subarray(begin, end));
  }
  return result;
}

function mismatch(what: string): FakeTensorError {
  return new FakeTensorError({ class: "PackedLayoutError", message: what });
}

export function openTable(buffer: ArrayBuffer): Table {
  const reader = new PackedReader(buffer, BufferKind.table);
  const op = reader.u32(TableSection.op);
  return {
    length: op.length,
    names: reader.strings(TableSection.names),
    op,
    ops: reader.strings(TableSection.ops),
    module: reader.u32(TableSection.module),
    status: reader.u8(TableSection.status),
    kind: reader.u8(TableSection.kind),
    dtype: reader.u8(TableSection.dtype),
    dtypes: reader.strings(TableSection.dtypes),
    device: reader.u32(TableSection.device),
    devices: reader.strings(TableSection.devices),
    dimStart: reader.u32(TableSection.dimStart),
    size: reader.f64(TableSection.size),
    stride: reader.f64(TableSection.stride),
    offset: reader.f64(TableSection.offset),
    nbytes: reader.f64(TableSection.nbytes),
    tensor: reader.i32(TableSection.tensor),
    storage: reader.i32(TableSection.storage),
    expressions: reader.strings(TableSection.expressions),
    inputStart: reader.u32(TableSection.inputStart),
    inputs: reader.u32(TableSection.inputs),
  };
}

export function openLayout(buffer: ArrayBuffer): Layout {
  const reader = new PackedReader(buffer, BufferKind.layout);
  const [width = 0, height = 0] = reader.f32(LayoutSection.extent);
  const id = reader.i32(LayoutSection.boxId);
  const from = reader.u32(LayoutSection.edgeFrom);
  return {
    width,
    height,
    box: {
      count: id.length,
      id,
      x: reader.f32(LayoutSection.boxX),
      y: reader.f32(LayoutSection.boxY),
      w: reader.f32(LayoutSection.boxW),
      h: reader.f32(LayoutSection.boxH),
      parent: reader.i32(LayoutSection.boxParent),
      depth: reader.u8(LayoutSection.boxDepth),
      repeat: reader.u32(LayoutSection.boxRepeat),
    },
    edge: {
      count: from.length,
      from,
      to: reader.u32(LayoutSection.edgeTo),
      value: reader.u32(LayoutSection.edgeValue),
      pointStart: reader.u32(LayoutSection.pointStart),
      points: reader.f32(LayoutSection.points),
    },
  };
}

/** The dims of row i as {@link Dim}s, expressions looked up. */
export function dimsOf(table: Table, row: number, column: "size" | "stride" = "size"): (number | string)[] {
  const values = table[column].subarray(table.dimStart[row], table.dimStart[row + 1]);
  return Array.from(values, (value) => dimOf(table, value));
}

/** One entry of `size`, `stride`, `offset` or `nbytes`. */
export function dimOf(table: Table, value: number): number | string {
  return value < 0 ? (table.expressions[-value - 1] ?? "?") : value;
}
