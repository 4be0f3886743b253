import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importSource } from "./helper.js";

const packed = await importSource("packed");

const Types = { u8: 1, u32: 2, i32: 3, f32: 4, f64: 5, strings: 6 };
const arrays = { u8: Uint8Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

/** Encodes sections [id, type, values] as wasm/packed.cpp does. */
function encode(kind, sections, { magic = 0x4b505446, version = packed.packedVersion } = {}) {
  const data = sections.map(([, type, values]) =>
    type === "strings" ? encodeStrings(values) : bytes(new arrays[type](values)),
  );
  const words = [magic, version, kind, sections.length];
  let end = 16 + sections.length * 16;
  const offsets = data.map((part) => {
    const begin = Math.ceil(end / 8) * 8;
    end = begin + part.length;
    return begin;
  });
  sections.forEach(([id, type, values], i) => words.push(id, Types[type], offsets[i], values.length));
  const result = new Uint8Array(end);
  result.set(bytes(new Uint32Array(words)));
  data.forEach((part, i) => result.set(part, offsets[i]));
  return result.buffer;
}

function bytes(array) {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function encodeStrings(strings) {
  const texts = strings.map((text) => new TextEncoder().encode(text));
  const ends = [0];
  for (const text of texts) ends.push(ends.at(-1) + text.length);
  return Uint8Array.from([...bytes(new Uint32Array(ends)), ...texts.flatMap((text) => [...text])]);
}

/** Two rows: a placeholder of size [2, s0] and a custom call without a value. */
function table(names = ["x", "custom"]) {
  return [
    [1, "strings", names],
    [2, "u32", [0, 1]],
    [3, "strings", ["placeholder", "mine::op"]],
    [4, "u32", [0, 0]],
    [5, "u8", [0, 2]],
    [6, "u8", [1, 0]],
    [7, "u8", [0, 0]],
    [8, "strings", ["float32"]],
    [9, "u32", [0, 0]],
    [10, "strings", ["cpu"]],
    [11, "u32", [0, 2, 2]],
    [12, "f64", [2, -1]],
    [13, "f64", [-1, 1]],
    [14, "f64", [0, 0]],
    [15, "f64", [-2, 0]],
    [16, "i32", [0, -1]],
    [17, "i32", [0, -1]],
    [18, "strings", ["s0", "8*s0"]],
    [19, "u32", [0, 0, 1]],
    [20, "u32", [0]],
  ];
}

describe("a packed table", () => {
  it("opens as columns of the one buffer", () => {
    const buffer = encode(1, table());
    const opened = packed.openTable(buffer);
    assert.equal(opened.length, 2);
    assert.deepEqual(opened.names, ["x", "custom"]);
    assert.deepEqual([...opened.status], [0, 2]);
    assert.equal(opened.size.buffer, buffer);
  });

  it("looks symbolic dims up among its expressions", () => {
    const opened = packed.openTable(encode(1, table()));
    assert.deepEqual(packed.dimsOf(opened, 0), [2, "s0"]);
    assert.deepEqual(packed.dimsOf(opened, 0, "stride"), ["s0", 1]);
    assert.equal(packed.dimOf(opened, opened.nbytes[0]), "8*s0");
    assert.deepEqual(packed.dimsOf(opened, 1), []);
  });

  it("cuts names that are not ASCII at the right places", () => {
    const names = ["größe_𝑥", "名"];
    assert.deepEqual(packed.openTable(encode(1, table(names))).names, names);
  });

  it("is refused when its layout version is another", () => {
    const buffer = encode(1, table(), { version: packed.packedVersion + 1 });
    assert.throws(() => packed.openTable(buffer), /layout version 3, expected 2/);
  });

  it("is refused when it is something else, or incomplete", () => {
    assert.throws(() => packed.openTable(encode(1, table(), { magic: 1 })), /not a packed buffer/);
    assert.throws(() => packed.openTable(encode(2, table())), /buffer of kind 2/);
    assert.throws(() => packed.openTable(encode(1, table().slice(1))), /section 1 is missing/);
    const retyped = table().map((section) => (section[0] === 2 ? [2, "i32", section[2]] : section));
    assert.throws(() => packed.openTable(encode(1, retyped)), /section 2 is missing or of another type/);
  });
});
