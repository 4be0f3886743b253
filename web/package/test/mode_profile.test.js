import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { load, Profiler } from "faketensor";

let ft;
let mode;
let x;
before(async () => {
  ft = await load();
});
beforeEach(() => {
  mode = ft.mode({ target: "cuda" });
  x = mode.empty([2, 2]);
});

/** Goes on by a microsecond each time that it is read. */
function ticking() {
  let now = 0;
  return () => (now += 1000);
}
const mm = () => mode.call("aten::mm", [x, x]);
const named = (events) => events.map(({ name }) => name);

describe("a profile of a mode", () => {
  it("has the calls made inside, with those that they make, by a clock that is given", () => {
    mm();
    const prof = mode.profile({ recordShapes: true, withFlops: true, clock: ticking() }, () => {
      mm();
      mode.call("aten::linear", [x, x]);
    });
    mm();
    assert.ok(prof instanceof Profiler);
    const events = prof.events();
    assert.deepEqual(events[0], {
      ...{ name: "aten::mm", parent: -1, start: 0, duration: 1000, flops: 16 },
      inputShapes: [
        [2, 2],
        [2, 2],
      ],
    });
    assert.equal(events[1].name, "aten::linear");
    assert.ok(events.slice(2).length > 0);
    assert.equal(events.find(({ parent }) => parent === 1).name, "aten::t");
    assert.equal(events.filter(({ name }) => name === "aten::mm" || name === "aten::addmm").length, 2);
  });

  it("sums them up in PyTorch's table, sorted, limited and by shape", () => {
    const prof = mode.profile({ recordShapes: true, clock: ticking() }, () => {
      mode.call("aten::relu", [x]);
      mm();
      mm();
      const y = mode.empty([2, 3]);
      mode.call("aten::mm", [x, y]);
    });
    const averages = prof.keyAverages();
    const row = averages.rows.find(({ key }) => key === "aten::mm");
    assert.equal(row.count, 3);
    assert.equal(row.selfCpuTimeTotal, 3);
    const first = averages.table({ sortBy: "count", rowLimit: 1 }).split("\n");
    assert.match(first[1], /^ +Name +Self CPU % +Self CPU +CPU total % +CPU total +CPU time avg +# of Calls/);
    assert.match(first[3], /^ +aten::mm .* 3\.000us .* 1\.000us +3 *$/);
    assert.match(averages.table(), /^Self CPU time total: \d+\.000us$/m);
    const shapes = prof.keyAverages({ groupByInputShape: true });
    assert.deepEqual(
      shapes.rows.filter(({ key }) => key === "aten::mm").map(({ count }) => count),
      [2, 1],
    );
    assert.match(shapes.table(), /\[\[2, 2\], \[2, 3\]\]/);
    assert.throws(() => averages.table({ sortBy: "beauty" }), { name: "AttributeError" });
  });

  it("counts the bytes that calls bring", () => {
    const prof = mode.profile({ profileMemory: true }, mm);
    assert.equal(prof.events()[0].cpuMemory, 16);
    const { rows, table } = prof.keyAverages();
    assert.equal(rows[0].selfCpuMemory, 16);
    assert.match(table(), /CPU Mem +Self CPU Mem/);
  });

  it("has spans around calls, and gives what they return", () => {
    let y;
    const prof = mode.profile({}, (inside) => {
      y = inside.recordFunction("forward", mm);
      assert.throws(
        () =>
          inside.recordFunction("fails", () => {
            throw new RangeError("mine");
          }),
        RangeError,
      );
      mode.call("aten::relu", [y]);
    });
    assert.deepEqual(y.size, [2, 2]);
    const events = prof.events();
    assert.deepEqual(named(events).slice(0, 3), ["forward", "aten::mm", "fails"]);
    assert.deepEqual(
      events.slice(0, 4).map(({ parent }) => parent),
      [-1, 0, -1, -1],
    );
    assert.equal(
      prof.recordFunction("later", () => 7),
      7,
    );
  });

  it("follows a schedule and hands over each trace", () => {
    const traces = [];
    const onTraceReady = (prof) => traces.push(named(prof.events()));
    const schedule = { wait: 1, warmup: 1, active: 1, repeat: 2 };
    const prof = mode.profile({ schedule, onTraceReady }, (inside) => {
      for (let step = 0; step < 8; step++) {
        mode.call(step === 2 ? "aten::neg" : "aten::abs", [x]);
        inside.step();
      }
    });
    assert.deepEqual(traces, [
      ["ProfilerStep*", "aten::neg"],
      ["ProfilerStep*", "aten::abs"],
    ]);
    assert.deepEqual(named(prof.events()), traces[1]);
    assert.deepEqual(prof.warnings, []);
    assert.throws(() => prof.step(), { name: "UsageError" });
    const cold = mode.profile({ schedule: { wait: 5 } }, mm);
    assert.match(cold.warnings[0], /warmup/);
    assert.throws(() => cold.events(), { name: "AssertionError", message: /must be initialized/ });
    assert.throws(() => mode.profile({ schedule: { active: 0 } }, mm), { name: "AssertionError" });
  });

  it("is a Chrome trace", () => {
    const prof = mode.profile({ clock: ticking() }, mm);
    const { traceEvents } = JSON.parse(prof.chromeTrace());
    const event = traceEvents.find(({ name }) => name === "aten::mm");
    assert.equal(event.cat, "cpu_op");
    assert.equal(event.dur, 1);
  });

  it("outlives its mode, also one that is disposed of inside", () => {
    const prof = mode.profile({ recordShapes: true }, () => {
      mm();
      mode.dispose();
    });
    assert.deepEqual(prof.events()[0].inputShapes[0], [2, 2]);
  });

  it("keeps what it saw over more calls than the mode keeps tensors for", () => {
    const prof = mode.profile({ recordShapes: true }, () => {
      for (let i = 0; i < 30_000; i++) mode.call("aten::relu", [mode.empty([1 + (i % 7)])]).dispose();
    });
    const relus = prof
      .keyAverages({ groupByInputShape: true })
      .rows.filter(({ key }) => key === "aten::relu");
    assert.deepEqual(
      relus.map(({ inputShapes }) => inputShapes[0][0]),
      [1, 2, 3, 4, 5, 6, 7],
    );
    mm();
  });

  it("ends where what it runs throws, and says what is wrong", () => {
    assert.throws(() => mode.profile({}, () => mode.call("aten::mm", [x, mode.empty([5, 5])])), {
      name: "RuntimeError",
    });
    assert.throws(() => mode.profile({}, () => mode.profile({}, mm)), {
      name: "RuntimeError",
      message: "Profiler is already enabled on this thread.",
    });
    assert.throws(() => mode.profile({}, async () => mm()), /asynchronous/);
    assert.throws(() => mode.profile({}, (prof) => prof.dispose()), /while it runs/);
    assert.throws(() => mode.profile({ shapes: true }, mm), /have no 'shapes'/);
    assert.throws(() => mode.profile({}), TypeError);
    assert.throws(() => mode.profile({ clock: () => "late" }, mm), /clock/);
    let back = 5;
    assert.throws(() => mode.profile({ clock: () => back-- }, mm), /went back/);
    assert.throws(() => mode.profile({ clock: () => mm() && 1 }, mm), /must not call operators/);
    mode.define("mine::f(Tensor x) -> Tensor", ({ x: given }) => {
      mode.profile({}, mm);
      return given;
    });
    assert.throws(() => mode.call("mine::f", [x]), { name: "UsageError" });
    assert.equal(named(mode.profile({}, mm).events())[0], "aten::mm");
  });
});
