import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { CompiledFunction, load } from "faketensor";

let ft;
let mode;
before(async () => {
  ft = await load();
});
beforeEach(() => {
  ft.compiler.reset();
  mode = ft.mode({ target: "cuda" });
});

/** A function and how often it was called. */
function counted(body) {
  const calls = { count: 0 };
  return [
    function fn(at, args) {
      calls.count++;
      return body(at, args);
    },
    calls,
  ];
}
const plusOne = (at, { x }) => at.call("aten::add.Tensor", [x, 1]);
/** The reasons of the last recompilation. */
const reasons = () => ft.compiler.recompiles.at(-1).split("\n").slice(2);
const regions = (prof) =>
  prof
    .events()
    .map(({ name }) => name)
    .filter((name) => /Region|Lookup|^aten::add$/.test(name));

describe("a compiled function", () => {
  it("is traced once for its sizes, then with what changed as symbols, and called no more", () => {
    const [body, calls] = counted(plusOne);
    const fn = ft.compile(body);
    assert.ok(fn instanceof CompiledFunction);
    for (const size of [3, 3, 4, 5, 6]) {
      const y = fn.call(mode, { x: mode.empty([size, 2]) });
      assert.deepEqual(y.size, [size, 2]);
      assert.deepEqual(y.stride, [2, 1]);
    }
    assert.equal(calls.count, 2);
    assert.deepEqual(
      fn.entries.map(({ id, isReplayed }) => [id, isReplayed]),
      [
        ["0/1", true],
        ["0/0", true],
      ],
    );
    assert.deepEqual(fn.entries[0].sizeGuards, ["2 <= x.size()[0]"]);
    assert.equal(fn.entries[0].backend, "_TorchCompileWrapper(compiler='eager', dynamic=None)");
    assert.equal(
      ft.compiler.recompiles.at(-1),
      "Recompiling function fn\n    triggered by the following guard failure(s):\n" +
        "    - 0/0: tensor 'x' size mismatch at index 0. expected 3, actual 4",
    );
  });

  it("shows its regions and one look-up per call in a profile", () => {
    const one = ft.compile(counted(plusOne)[0]);
    const two = ft.compile(counted(plusOne)[0]);
    const x = mode.empty([2]);
    const prof = mode.profile({}, () => {
      one.call(mode, { x });
      one.call(mode, { x });
      two.call(mode, { x });
      one.call(mode, { x: mode.empty([3]) });
    });
    assert.deepEqual(regions(prof), [
      ...["Torch-Compiled Region: 0/0", "aten::add"],
      ...["TorchDynamo Cache Lookup", "Torch-Compiled Region: 0/0", "aten::add"],
      ...["Torch-Compiled Region: 1/0", "aten::add"],
      ...["TorchDynamo Cache Lookup", "Torch-Compiled Region: 0/1", "aten::add"],
    ]);
    assert.ok(prof.events().some(({ name }) => name === "bytecode_tracing (dynamo_timed)"));
  });

  it("takes dynamic: true and false, and marks of dimensions", () => {
    const fixed = ft.compile(counted(plusOne)[0], { dynamic: false });
    for (const size of [2, 3, 4]) fixed.call(mode, { x: mode.empty([size]) });
    assert.equal(fixed.entries.length, 3);
    const symbolic = ft.compile(counted(plusOne)[0], { dynamic: true });
    symbolic.call(mode, { x: mode.empty([10, 10]) });
    symbolic.call(mode, { x: mode.empty([10, 15]) });
    assert.match(
      reasons()[0],
      /^ {4}- 1\/0: x\.size\(\)\[1\] == x\.size\(\)\[0\] {2}# duck sizing added this/,
    );
    const marked = ft.compile(counted(plusOne)[0]);
    const x = mode.empty([4, 2]);
    ft.compiler.markDynamic(x, -2);
    marked.call(mode, { x });
    marked.call(mode, { x: mode.empty([7, 2]) });
    assert.equal(marked.entries.length, 1);
    const y = mode.empty([7, 2]);
    ft.compiler.markStatic(y, 0);
    marked.call(mode, { x: y });
    assert.match(reasons()[0], /_dynamo_static_indices should be absent but is present on runtime tensor$/);
    assert.throws(() => ft.compiler.markDynamic(x, 2), RangeError);
    const specialises = ft.compile((at, { x: given }) => at.call("aten::view", [given, [4, 2]]));
    assert.throws(() => specialises.call(mode, { x }), { name: "ConstraintViolationError" });
  });

  it("guards what a function decides on sizes, and runs it where it saw them", () => {
    const [body, calls] = counted((at, { x }) =>
      at.decide(`${x.size[0]} > 4`) ? at.call("aten::relu", [x]) : at.call("aten::sum", [x]),
    );
    const fn = ft.compile(body);
    const sizes = [2, 3, 8, 9, 4].map((size) => fn.call(mode, { x: mode.empty([size]) }).size.length);
    assert.deepEqual(sizes, [0, 0, 1, 1, 0]);
    assert.deepEqual(
      fn.entries.map(({ id, isReplayed }) => [id, isReplayed]),
      [
        ["0/1", false],
        ["0/2", false],
        ["0/0", true],
      ],
    );
    assert.deepEqual(reasons(), [
      "    - 0/1: 2 <= x.size()[0] <= 4",
      "    - 0/0: tensor 'x' size mismatch at index 0. expected 2, actual 8",
    ]);
    assert.ok(calls.count > 5);
    assert.equal(mode.decide("3 > 4"), false);
    assert.throws(() => mode.decide("s0 > 4"), { name: "UsageError" });
  });

  it("returns the tensor that it was given, and lists, numbers and views of one storage", () => {
    const fn = ft.compile((at, { x, n }) => [x, [at.call("aten::view", [x, [-1]])], n, null, "text", 2.5]);
    for (const size of [2, 3, 4]) {
      const x = mode.empty([size, 2]);
      const [same, [view], n, none, text, half] = fn.call(mode, { x, n: 7 });
      assert.equal(same, x);
      assert.deepEqual(view.size, [2 * size]);
      assert.equal(view.storage, x.storage);
      assert.deepEqual([n, none, text, half], [7, null, "text", 2.5]);
    }
  });

  it("has regions of its own after a graph break, and none under fullgraph", () => {
    const stages = [plusOne, (at, { t0 }) => at.call("aten::relu", [t0])];
    const fn = ft.compile(stages, { name: "fn" });
    const prof = mode.profile({}, () => fn.call(mode, { x: mode.empty([2]) }));
    assert.deepEqual(
      regions(prof).filter((name) => name.includes("Region")),
      ["Torch-Compiled Region: 0/0", "Torch-Compiled Region: 1/0"],
    );
    const whole = ft.compile([...stages], { fullgraph: true });
    assert.throws(() => whole.call(mode, { x: mode.empty([2]) }), {
      name: "RuntimeError",
      message: "graph break",
    });
  });

  it("is compiled no more at the limit, and anew after a reset", () => {
    ft.compiler.recompileLimit = 2;
    try {
      const [body, calls] = counted(plusOne);
      const fn = ft.compile(body, { dynamic: false });
      for (const size of [2, 3, 4, 5]) fn.call(mode, { x: mode.empty([size]) });
      assert.equal(fn.entries.length, 2);
      assert.equal(calls.count, 4);
      ft.compiler.reset();
      assert.equal(fn.entries.length, 0);
      fn.call(mode, { x: mode.empty([4]) });
      assert.equal(fn.entries[0].id, "0/0");
    } finally {
      ft.compiler.recompileLimit = 8;
    }
  });

  it("shares the entries of one function between backends and is guarded by the mode's target", () => {
    const [body] = counted(plusOne);
    const x = mode.empty([2]);
    const eager = ft.compile(body);
    eager.call(mode, { x });
    const other = ft.compile(body, { backend: "aot_eager" });
    other.call(mode, { x });
    assert.match(reasons()[0], /^ {4}- 0\/0: BACKEND_MATCH failure: /);
    const cpu = ft.mode({ target: "cpu" });
    other.call(cpu, { x: cpu.empty([2]) });
    assert.match(reasons()[0], /GLOBAL_STATE changed: target/);
    assert.equal(eager.entries.length, 3);
    other.dispose();
    assert.equal(eager.entries.length, 3);
  });

  it("is a plain function inside of another's trace, and calls custom operators that setup defines", () => {
    const inner = ft.compile(counted(plusOne)[0]);
    const define = (at) =>
      at.define("mylib::double(Tensor x) -> Tensor", ({ x }) => at.call("aten::cat", [[x, x]]));
    define(mode);
    const outer = ft.compile((at, { x }) => at.call("mylib::double", [inner.call(at, { x })]), {
      setup: define,
    });
    for (const size of [2, 3, 5])
      assert.deepEqual(outer.call(mode, { x: mode.empty([size]) }).size, [2 * size]);
    assert.deepEqual(
      outer.entries.map(({ isReplayed }) => isReplayed),
      [true, true],
    );
    assert.equal(inner.entries.length, 0);
  });

  it("throws what the function throws, and what an operator raises", () => {
    const failing = ft.compile(() => {
      throw new RangeError("no");
    });
    const x = mode.empty([2]);
    assert.throws(() => failing.call(mode, { x }), RangeError);
    const wrong = ft.compile((at, { x: given }) => at.call("aten::mm", [given, given]));
    assert.throws(() => wrong.call(mode, { x }), { name: "RuntimeError" });
    assert.throws(() => ft.compile(async (at, { x: given }) => given).call(mode, { x }), /asynchronous/);
    const outside = ft.compile((at) => at.call("aten::relu", [x]));
    outside.call(mode, {});
    assert.equal(outside.entries[0].isReplayed, false, "a tensor of another mode ends the trace");
    const fn = ft.compile(plusOne);
    fn.call(mode, { x });
    assert.throws(() => fn.call(mode, {}), { name: "TypeError", message: /missing argument: 'x'/ });
    assert.throws(() => fn.call(mode, { x, y: 1 }), { message: /unexpected argument 'y'/ });
    assert.throws(() => fn.call({}, { x }), TypeError);
    assert.throws(() => ft.compile(plusOne, { dinamic: true }), TypeError);
    assert.throws(() => ft.compile(3), TypeError);
    const resets = ft.compile((at, { x: given }) => {
      ft.compiler.reset();
      return given;
    });
    assert.throws(() => resets.call(mode, { x }), { name: "UsageError" });
    const symbolic = ft.mode({ shapeEnv: true });
    const [, nonzero] = [0, symbolic.call("aten::nonzero", [symbolic.empty([3])])];
    assert.throws(() => fn.call(symbolic, { x: nonzero }), { name: "UsageError" });
  });
});
