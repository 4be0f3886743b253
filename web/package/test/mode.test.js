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
