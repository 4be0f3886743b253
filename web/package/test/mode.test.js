import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { float, load, Tensor } from "faketensor";

let ft;
let mode;
before(async () => {
  ft = await load();
  mode = ft.mode({ target: "cuda" });
});

describe("a mode", () => {
  it("makes tensors and calls operators on them", () => {
    const y = mode.call("aten::mm", [mode.empty([2, 3]), mode.empty([3, 4])]);
    assert.ok(y instanceof Tensor);
    assert.deepEqual(y.size, [2, 4]);
    assert.deepEqual(y.stride, [4, 1]);
    assert.equal(y.dtype, "float32");
    assert.equal(y.nbytes, 32);
  });

  it("makes tensors of any dtype, device and strides", () => {
    const x = mode.empty([2, 3], { dtype: "bfloat16", device: "cuda", stride: [1, 2] });
    assert.deepEqual(x.toJSON(), {
      ...{ t: x.id, size: [2, 3], stride: [1, 2], offset: 0, dtype: "bfloat16", device: "cuda:0" },
      ...{ storage: x.storage, nbytes: 12 },
    });
  });

  it("tells ints from floats as Python does", () => {
    const ints = mode.empty([2], { dtype: "int64" });
    assert.equal(mode.call("aten::add.Scalar", [ints, 2]).dtype, "int64");
    assert.equal(mode.call("aten::add.Scalar", [ints, float(2)]).dtype, "float32");
    assert.equal(mode.call("aten::add.Scalar", [ints, 2.5]).dtype, "float32");
    assert.equal(mode.call("aten::add.Scalar", [ints, Infinity]).dtype, "float32");
    assert.equal(mode.call("aten::add.Scalar", [ints, 7n]).dtype, "int64");
  });

  it("takes keyword arguments, dtypes among them", () => {
    const y = mode.call("aten::sum", [mode.empty([2, 3])], { dtype: { dtype: "float64" } });
    assert.equal(y.dtype, "float64");
    assert.deepEqual(y.size, []);
  });

  it("shows aliasing: a view has its base's storage", () => {
    const x = mode.empty([2, 3]);
    const y = mode.call("aten::view", [x, [6]]);
    assert.equal(y.storage, x.storage);
    assert.notEqual(y.id, x.id);
  });

  it("gives the same object for the same tensor", () => {
    const x = mode.empty([2, 3]);
    assert.equal(mode.call("aten::relu_", [x]), x);
  });

  it("answers the same whether arguments go as numbers or as text", () => {
    const x = mode.empty([2, 3]);
    for (const dtype of ["float64", "int32", "float64", "int32"]) {
      const y = mode.call("aten::_to_copy", [x], { dtype: { dtype } }); // text at first, a number then
      assert.equal(y.dtype, dtype);
      assert.deepEqual(y.size, [2, 3]);
    }
    assert.deepEqual(
      mode.call("aten::split.Tensor", [x, 2, 1]).map((part) => part.size),
      [
        [2, 2],
        [2, 1],
      ],
    );
    assert.deepEqual(mode.call("aten::full", [[2], float(1)]).dtype, "float32");
    assert.equal(mode.call("aten::full", [[2], 2n ** 60n]).dtype, "int64");
    assert.equal(mode.call("aten::sym_size.int", [x, 1]), 3);
    assert.equal(mode.call("aten::is_same_size", [x, x]), true);
    assert.deepEqual(mode.call("aten::chunk", [mode.empty([5000, 1]), 3000]).length, 2500); // beyond the area
  });

  it("shows what an in-place operator did to a tensor and to those that alias it", () => {
    const x = mode.empty([2, 3]);
    const view = mode.call("aten::view", [x, [6]]);
    mode.call("aten::transpose_", [x, 0, 1]);
    assert.deepEqual(
      [x.size, x.stride],
      [
        [3, 2],
        [1, 3],
      ],
    );
    assert.deepEqual(view.size, [6]);
    mode.call("aten::resize_", [view, [10]]);
    assert.equal(x.nbytes, 40);
  });

  it("works on when the engine's memory has grown", () => {
    const growing = ft.mode();
    const x = growing.empty([4, 4]);
    let y = x;
    for (let i = 0; i < 100_000; i++) y = growing.call("aten::add.Tensor", [y, x]);
    assert.deepEqual(y.size, [4, 4]);
    growing.dispose();
  });

  it("throws what PyTorch raises, with its class and words", () => {
    assert.throws(() => mode.call("aten::mm", [mode.empty([2, 3]), mode.empty([4, 5])]), {
      name: "RuntimeError",
      operator: /^aten::mm/,
      message: /\[2, 3\] X \[4, 5\]/,
    });
    assert.throws(() => mode.call("mine::op", []), {
      name: "UnsupportedOperatorException",
      operator: "mine::op",
    });
    assert.throws(() => mode.call("aten::mm", [], { nonsense: 1 }), /Unknown keyword argument 'nonsense'/);
  });

  it("makes symbols for sizes that are data, where it has a ShapeEnv", () => {
    const x = mode.empty([4]);
    assert.throws(() => mode.call("aten::nonzero", [x]), { name: "DynamicOutputShapeException" });
    const symbolic = ft.mode({ shapeEnv: true });
    const y = symbolic.call("aten::nonzero", [symbolic.empty([4])]);
    assert.deepEqual(y.size, ["u0", 1]);
    assert.deepEqual(symbolic.call("aten::view", [y, [{ sym: "u0" }]]).size, ["u0"]);
    assert.deepEqual(symbolic.guards(), []);
  });

  it("refuses tensors that were disposed or are another mode's", () => {
    const x = mode.empty([2]);
    x.dispose();
    assert.throws(() => mode.call("aten::relu", [x]), /has been disposed/);
    const foreign = ft.mode().empty([2]);
    assert.throws(() => mode.call("aten::relu", [foreign]), /another mode/);
  });

  it("ends with dispose", () => {
    const other = ft.mode();
    other.dispose();
    assert.throws(() => other.empty([1]), /has been disposed/);
    assert.throws(() => ft.mode({ target: "abacus" }), { name: "UsageError" });
  });
});

describe("a custom operator", () => {
  it("is answered by its fake", () => {
    const own = ft.mode({ shapeEnv: true });
    own.define("mylib::foo(Tensor x, int n=2, *, bool wide=False) -> Tensor", ({ x, n, wide }) =>
      own.call("aten::new_empty", [x, wide ? [...x.size, n] : [n]]),
    );
    const x = own.empty([3, 4], { dtype: "float16" });
    const y = own.call("mylib::foo", [x, 7]);
    assert.deepEqual([y.size, y.dtype], [[7], "float16"]);
    assert.deepEqual(own.call("mylib::foo", [x], { wide: true }).size, [3, 4, 2]);
    assert.throws(() => own.call("mylib::foo", ["x"]), { name: "RuntimeError" });
  });

  it("may have sizes that only data tells", () => {
    const own = ft.mode({ shapeEnv: true });
    own.define("mylib::nonzeros(Tensor x) -> Tensor", ({ x }, context) =>
      own.call("aten::new_empty", [x, [context.newDynamicSize({ min: 1 }), 2]]),
    );
    assert.deepEqual(own.call("mylib::nonzeros", [own.empty([3])]).size, ["u0", 2]);
    assert.deepEqual(own.call("mylib::nonzeros", [own.empty([3])]).size, ["u1", 2]);
  });

  it("without a fake raises what PyTorch raises", () => {
    const own = ft.mode();
    own.define("mylib::pad(Tensor x) -> (Tensor, Tensor)", {
      shapes: [{ size: ["x0_0 + 4", 2], dtype: "int64" }, { size: [] }],
    });
    const [padded, scalar] = own.call("mylib::pad", [own.empty([3])]);
    assert.deepEqual([padded.size, padded.dtype, scalar.size], [[7, 2], "int64", []]);
    own.define("mylib::gate(Tensor x) -> Tensor", {
      body: [
        "graph():",
        "  %x : placeholder",
        "  %relu : call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})",
        "  return relu",
      ].join("\n"),
    });
    assert.deepEqual(own.call("mylib::gate", [own.empty([3])]).size, [3]);
    assert.throws(() => own.registerFake("mylib::gate", { shapes: [{ size: [], dtype: "f1" }] }), {
      name: "UsageError",
    });
    own.define("mylib::bare(Tensor x) -> Tensor");
    assert.throws(() => own.call("mylib::bare", [own.empty([1])]), { name: "UnsupportedOperatorException" });
    assert.throws(() => own.define("mylib::bare(Tensor x) -> Tensor"), { name: "RuntimeError" });
  });

  it("passes on what its fake throws", () => {
    const own = ft.mode();
    const reason = new RangeError("no");
    own.define("mylib::angry(Tensor x) -> Tensor", () => {
      throw reason;
    });
    assert.throws(
      () => own.call("mylib::angry", [own.empty([1])]),
      (error) => error === reason,
    );
    assert.deepEqual(own.call("aten::relu", [own.empty([1])]).size, [1]);
  });

  it("may ask the engine while a question runs", () => {
    const own = ft.mode({ shapeEnv: true });
    own.define("mylib::rows(Tensor x, str how) -> Tensor", ({ x }) =>
      own.call("aten::relu", [own.call("aten::t", [x])]),
    );
    // The first time an argument that is a text goes as JSON, and so do questions for operators.
    for (let i = 0; i < 200; i++) {
      const y = own.call("mylib::rows", [own.empty([2, 3]), `way ${i}`]);
      assert.deepEqual(y.size, [3, 2]);
      own.registerFake("mylib::rows", ({ x }) => own.call("aten::relu", [own.call("aten::t", [x])]));
    }
  });

  it("may override a built-in rule until it is disposed of", () => {
    const own = ft.mode();
    const x = own.empty([2, 3]);
    const registration = own.registerFake("aten::relu", () => own.empty([9]));
    assert.deepEqual(own.call("aten::relu", [x]).size, [9]);
    registration.dispose();
    assert.deepEqual(own.call("aten::relu", [x]).size, [2, 3]);
  });
});
