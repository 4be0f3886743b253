import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RunTrace, TraceEvent } from "faketensor";
import { flameOf, longestRows, nodeTimes } from "../src/flame.js";

function node(row: number, module: string): TraceEvent {
  return { name: `node${row}`, parent: -1, start: row * 100, duration: 100, row, module };
}

function kernel(name: string, deviceDuration?: number): TraceEvent {
  const device = deviceDuration === undefined ? {} : { deviceStart: 0, deviceDuration };
  return { name, parent: 0, start: 0, duration: 1, inputShapes: [], ...device };
}

const kTrace: RunTrace = {
  device: "a device",
  deviceNanoseconds: 60,
  events: [
    node(3, "a.b"),
    kernel("aten::mm", 10),
    kernel("aten::add", 5),
    node(4, "a.b"),
    kernel("aten::view"),
    node(5, "a.c"),
    kernel("aten::mm", 25),
    node(6, ""),
    kernel("aten::relu", 20),
  ],
};

describe("a flame chart", () => {
  it("gives a node the time of all kernels that it calls, and leaves out what launches none", () => {
    assert.deepEqual(
      nodeTimes(kTrace).map(({ row, duration }) => [row, duration]),
      [
        [3, 15],
        [5, 25],
        [6, 20],
      ],
    );
  });

  it("has modules over what is inside of them, one after the other without gaps", () => {
    const { bars, depth, total } = flameOf(kTrace);
    assert.deepEqual([depth, total], [3, 60]);
    assert.deepEqual(
      bars.map((bar) => [bar.label, bar.module, bar.depth, bar.start, bar.duration]),
      [
        ["a", "a", 0, 0, 40],
        ["b", "a.b", 1, 0, 15],
        ["node3", "a.b", 2, 0, 15],
        ["c", "a.c", 1, 15, 25],
        ["node5", "a.c", 2, 15, 25],
        ["node6", "", 0, 40, 20],
      ],
    );
  });

  it("leads from an operator to the node in which it takes longest", () => {
    assert.deepEqual(
      [...longestRows(kTrace)],
      [
        ["aten::mm", 5],
        ["aten::add", 3],
        ["aten::view", 4],
        ["aten::relu", 6],
      ],
    );
  });
});
