/** A run as a profile. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { load } from "faketensor";
import { bytesOf, llamaPath } from "./helper.js";

let ft;
let run;

before(async () => {
  ft = await load();
  run = ft.open(bytesOf(llamaPath)).propagate();
});

describe("trace", () => {
  it("has each node with its operators inside of it, and no kernels without a device", () => {
    const { device, deviceNanoseconds, events } = run.trace();
    assert.deepEqual([device, deviceNanoseconds], [undefined, 0]);
    const { names } = run.table();
    for (const [i, event] of events.entries()) {
      assert.ok(event.parent < i && event.start >= 0 && event.duration >= 0);
      if (event.row !== undefined) assert.equal(names[event.row], event.name);
      if (event.parent < 0) continue;
      const outer = events[event.parent];
      assert.ok(event.start >= outer.start);
      assert.ok(event.start + event.duration <= outer.start + outer.duration);
    }
    const mm = events.find(({ name }) => name === "aten::mm");
    assert.equal(mm.inputShapes.length, 2);
  });

  it("simulates a device: kernels one after the other, as long as its roofline says", () => {
    const { device, deviceNanoseconds, events } = run.trace({ target: "h100" });
    assert.match(device, /H100/);
    let free = 0;
    let sum = 0;
    for (const { deviceStart, deviceDuration } of events) {
      if (deviceDuration === undefined) continue;
      assert.ok(deviceStart >= free);
      free = deviceStart + deviceDuration;
      sum += deviceDuration;
    }
    assert.equal(sum, deviceNanoseconds);
    const { seconds, calls } = run.time("h100");
    assert.ok(Math.abs(sum / 1e9 - seconds) <= calls * 1e-9);
  });

  it("sums up by name, and prints the table of PyTorch's profiler", () => {
    const { rows, table } = run.keyAverages({ target: "h100", rowLimit: 3 });
    const { events, deviceNanoseconds } = run.trace({ target: "h100" });
    const calls = events.filter(({ name }) => name === "aten::mm").length;
    assert.equal(rows.find(({ key }) => key === "aten::mm").count, calls);
    const own = rows.reduce((sum, { selfDeviceTimeTotal }) => sum + selfDeviceTimeTotal, 0);
    assert.ok(Math.abs(own - deviceNanoseconds / 1000) < 1e-6);
    assert.match(table, /Self CUDA %/);
    assert.match(table, /Self CUDA time total: /);
    assert.equal(table.split("\n").filter((line) => /^ +aten::/.test(line)).length, 3);
    const byShape = run.keyAverages({ target: "h100", groupByInputShape: true });
    assert.ok(byShape.rows.length > rows.length);
    assert.match(byShape.table, /Input Shapes/);
  });

  it("writes a Chrome trace of the same profile", () => {
    const { events, deviceNanoseconds } = run.trace({ target: "h100" });
    const trace = JSON.parse(run.chromeTrace({ target: "h100", process: "llama" }));
    assert.equal(trace.simulatedDeviceNanoseconds, deviceNanoseconds);
    const written = trace.traceEvents.filter(({ cat }) => cat === "cpu_op" || cat === "node");
    assert.deepEqual(
      written.map(({ name }) => name),
      events.map(({ name }) => name),
    );
    assert.ok(written.every(({ dur }, i) => Math.abs(dur * 1000 - events[i].duration) < 0.5));
    assert.ok(trace.traceEvents.some(({ ph, args }) => ph === "M" && args.name === "llama"));
  });

  it("has the memory timeline, whose raw events sum up to its last point", () => {
    const [times, sizes] = run.memoryTimeline({ target: "h100" });
    assert.equal(times.length, sizes.length);
    const sum = Array.from({ length: 9 }, () => 0);
    for (const [, , bytes, category] of run.memoryTimeline({ target: "h100", raw: true }))
      sum[category + 1] += bytes;
    assert.deepEqual(sum, sizes.at(-1));
  });

  it("measures anew only where that is asked for", () => {
    assert.deepEqual(run.trace(), run.trace());
    assert.equal(run.trace({ again: true }).events.length, run.trace().events.length);
  });

  it("refuses what it does not know", () => {
    assert.throws(() => run.trace({ traget: "h100" }), /trace\(\) has no option 'traget'/);
    assert.throws(() => run.trace({ target: "h1000" }), /h1000/);
    assert.throws(() => run.trace({ target: "cuda" }), /without a device/);
    assert.throws(() => run.keyAverages({ rowLimit: 1.5 }), /rowLimit/);
    assert.throws(
      () => run.keyAverages({ sortBy: "speed" }),
      /'FunctionEventAvg' object has no attribute 'speed'/,
    );
  });
});
