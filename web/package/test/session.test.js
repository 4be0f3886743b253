import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { float, load } from "faketensor";

let ft;
let session;
before(async () => {
  ft = await load();
  session = ft.session();
});

/** The class and text of what `body` throws. */
function raised(body) {
  try {
    body();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  return "nothing";
}

describe("modes of a session", () => {
  it("refuse real tensors, or convert them", () => {
    const real = session.real([2, 3]);
    const strict = session.mode();
    const lenient = session.mode({ allowNonFakeInputs: true });
    session.within(strict, () => {
      assert.match(
        raised(() => session.call("aten::relu", [real])),
        /^AssertionError: Please convert all Tensors to FakeTensors first/,
      );
    });
    session.within(lenient, () => {
      const y = session.call("aten::relu", [real]);
      assert.equal(y.isFake, true);
      assert.equal(y.mode, lenient);
    });
    assert.equal(real.isFake, false);
    assert.deepEqual([strict.allowNonFakeInputs, lenient.allowNonFakeInputs], [false, true]);
  });

  it("nest: the innermost answers", () => {
    const [outer, inner] = [session.mode(), session.mode()];
    session.enter(outer);
    session.enter(inner);
    assert.equal(session.call("aten::ones", [[2]]).mode, inner);
    session.exit();
    assert.equal(session.call("aten::ones", [[2]]).mode, outer);
    session.within("unsetFakeTemporarily", () => {
      assert.equal(session.tensor([1, 2]).isFake, false);
    });
    session.exit();
    assert.match(
      raised(() => session.exit()),
      /^RuntimeError/,
    );
  });

  it("are told apart, and refuse to be mixed", () => {
    const [a, b] = [session.mode(), session.mode()];
    const [x, y] = [a.fromTensor(session.real([2])), b.fromTensor(session.real([2]))];
    assert.equal(session.detectFakeMode(x), a);
    assert.equal(session.detectFakeMode(), null);
    assert.match(
      raised(() => session.detectFakeMode(x, y)),
      /^AssertionError: fake mode .* from fake tensor input 0 doesn't match mode .* from fake tensor input 1/,
    );
    assert.match(
      raised(() => session.call("aten::add.Tensor", [x, y])),
      /Mixing fake modes NYI/,
    );
  });

  it("leave sizes alone, or make symbols of them as they are asked to", () => {
    const mode = session.mode({ shapeEnv: true });
    const real = session.real([5, 3]);
    const x = mode.fromTensor(real, { source: "x", dynamic: ["DYNAMIC", "STATIC"] });
    assert.deepEqual(x.size, ["s77", 3]);
    assert.equal(mode.fromTensor(real), x);
    assert.deepEqual(mode.fromTensor(session.real([5]), { staticShapes: true }).size, [5]);
    assert.equal(session.mode({ shapeEnv: mode }).staticShapes, false);
    const { symbols } = mode.shapeEnv();
    assert.deepEqual(
      symbols.map(({ name, hint, source }) => [name, hint, source]),
      [["s77", 5, "L['x'].size()[0]"]],
    );
    assert.equal(session.mode().shapeEnv(), null);
  });

  it("say whether data may become symbols", () => {
    const none = session.mode({ shapeEnv: { allowScalarOutputs: false, allowDynamicOutputShapeOps: false } });
    const x = none.fromTensor(session.real([]));
    assert.match(
      raised(() => x.item()),
      /^DataDependentOutputException/,
    );
    assert.match(
      raised(() => session.call("aten::nonzero", [none.fromTensor(session.real([3]))])),
      /^DynamicOutputShapeException/,
    );
    const all = session.mode({ shapeEnv: true });
    const y = all.fromTensor(session.real([]));
    const first = y.item();
    assert.equal(first.sym, "zuf0");
    assert.deepEqual(y.item(), first);
    assert.equal(all.epoch, 0);
    all.nextEpoch();
    assert.equal(all.epoch, 1);
    assert.notDeepEqual(y.item(), first);
  });

  it("take numbers that calls gave", () => {
    const mode = session.mode({ shapeEnv: true });
    const x = mode.fromTensor(session.real([5]), { source: "n", dynamic: ["DYNAMIC"] });
    const n = session.call("aten::sym_size.int", [x, 0]);
    const y = session.within(mode, () => session.call("aten::empty.memory_format", [[n, 2]]));
    assert.deepEqual(y.size, [n.sym, 2]);
  });
});

describe("tensors of a session", () => {
  it("know the numbers of constants, through arithmetic and writes", () => {
    const mode = session.mode();
    session.within(mode, () => {
      const four = session.tensor(float(4));
      assert.equal(session.call("aten::add.Tensor", [four, 3]).item(), 7);
      const alias = session.call("aten::detach", [four]);
      session.call("aten::fill_.Scalar", [alias, 5]);
      assert.equal(four.item(), 5);
      assert.match(
        raised(() => session.call("aten::ones", [[1]]).item()),
        /^DataDependentOutputException/,
      );
    });
    assert.deepEqual(
      session
        .tensor([
          [1, 2],
          [3, 4],
        ])
        .tolist(),
      [
        [1, 2],
        [3, 4],
      ],
    );
    assert.equal(mode.constant([2, 3], { dtype: "int64" }).dtype, "int64");
  });

  it("have gradients, and are printed as Python prints them", () => {
    const mode = session.mode();
    const w = mode.fromTensor(session.real([2, 3], { parameter: true }));
    assert.deepEqual([w.isParameter, w.isLeaf, w.requiresGrad, w.gradFn], [true, true, true, null]);
    const loss = session.call("aten::sum", [session.call("aten::mul.Tensor", [w, float(2)])]);
    assert.equal(loss.gradFn, "SumBackward0");
    loss.backward();
    assert.deepEqual(w.grad.size, [2, 3]);
    assert.equal(w.repr(), "Parameter(FakeTensor(..., size=(2, 3), requires_grad=True))");
    session.within("noGrad", () => {
      assert.equal(session.call("aten::relu", [w]).requiresGrad, false);
    });
  });

  it("show what in-place operators change", () => {
    const mode = session.mode();
    const x = mode.fromTensor(session.real([2, 3]));
    assert.equal(session.call("aten::t_", [x]), x);
    assert.deepEqual(x.size, [3, 2]);
  });

  it("are made of PyTorch's own descriptions", () => {
    const device = "device(type='cpu')";
    const mode = session.mode();
    const [base, view, weight] = mode.fromDescriptions([
      { describe_storage: { id: 0, describer_id: 0, size: 48 } },
      {
        describe_tensor: {
          id: 1,
          dtype: "torch.float32",
          device,
          size: [3, 4],
          stride: [4, 1],
          storage: 0,
          is_leaf: true,
        },
      },
      {
        describe_tensor: {
          ...{ id: 0, dtype: "torch.float32", device, size: [4, 3], stride: [1, 4], storage: 0 },
          ...{ is_view: true, base: 1, is_leaf: true },
        },
      },
      { describe_storage: { id: 1, describer_id: 0, size: 16 } },
      {
        describe_tensor: {
          ...{
            id: 2,
            dtype: "torch.bfloat16",
            device: "device(type='cuda', index=0)",
            size: [8],
            stride: [1],
          },
          ...{ storage: 1, is_leaf: true, is_parameter: true, requires_grad: true },
        },
      },
    ]);
    assert.equal(view.storage, base.storage);
    assert.deepEqual(
      [view.size, view.stride],
      [
        [4, 3],
        [1, 4],
      ],
    );
    assert.deepEqual([weight.isParameter, weight.isLeaf, weight.device], [true, true, "cuda:0"]);
    assert.match(
      raised(() =>
        mode.fromDescriptions([
          { describe_tensor: { id: 9, dtype: "torch.float32", device, size: [1], stride: [1], storage: 7 } },
        ]),
      ),
      /no record before describes the storage of/,
    );
  });

  it("are copied as a module in FakeCopyMode", () => {
    const mode = session.mode();
    const weight = session.real([2, 3], { parameter: true });
    const buffer = session.real([4]);
    const view = session.call("aten::view", [buffer, [2, 2]]);
    const [first, same, copied, copiedView] = mode.fakeCopy([weight, weight, buffer, view]);
    assert.equal(first, same);
    assert.deepEqual([first.isParameter, first.size], [true, [2, 3]]);
    assert.notEqual(first.storage, copied.storage);
    assert.equal(copied.storage, copiedView.storage);
  });

  it("get the same symbols from contexts that remember", () => {
    const mode = session.mode({ shapeEnv: true });
    const size = (rememberedAs) =>
      mode.fromTensor(session.real([5]), { dynamic: ["DYNAMIC"], source: "x", rememberedAs }).size[0];
    assert.equal(size(1), size(1));
    assert.notEqual(size(1), size(2));
  });

  it("are cast in an autocast region", () => {
    const x = session.mode().fromTensor(session.real([2, 2]));
    session.within("autocastCpuBfloat16", () => {
      assert.equal(session.call("aten::mm", [x, x]).dtype, "bfloat16");
      assert.equal(session.call("aten::add.Tensor", [x, x]).dtype, "float32");
    });
    assert.equal(session.call("aten::mm", [x, x]).dtype, "float32");
  });

  it("belong to their session", () => {
    const other = ft.session();
    assert.throws(() => session.call("aten::relu", [other.real([2])]), TypeError);
    other.dispose();
    assert.throws(() => other.real([2]), TypeError);
  });
});

describe("the dispatch cache", () => {
  it("counts hits, misses and what passes it by", () => {
    session.clearCache();
    const mode = session.mode();
    const x = mode.fromTensor(session.real([2, 3]));
    session.call("aten::relu", [x]);
    session.call("aten::relu", [x]);
    assert.deepEqual(session.cacheInfo(), { hits: 1, misses: 1, bypasses: {}, size: 1 });
  });
});

describe("a mode with crosscheck", () => {
  it("answers what a fresh call answers", () => {
    const mode = session.mode({ cacheCrosscheck: true });
    const x = mode.fromTensor(session.real([2, 3]));
    const [first, second] = [session.call("aten::relu", [x]), session.call("aten::relu", [x])];
    assert.deepEqual(first.size, second.size);
  });
});

describe("custom operators of a session", () => {
  it("have fakes as those of a mode: functions of the arguments", () => {
    const mode = session.mode({ shapeEnv: true });
    session.define("sessionlib::rows(Tensor x, SymInt n) -> Tensor", ({ x, n }, context) =>
      session.call("aten::new_empty", [x, [context.newDynamicSize(), n]]),
    );
    const x = mode.fromTensor(session.real([5]), { source: "rows", dynamic: ["DYNAMIC"] });
    const n = session.call("aten::sym_size.int", [x, 0]);
    const y = mode.call("sessionlib::rows", [x, n]);
    assert.deepEqual([y.size, y.mode], [["u0", n.sym], mode]);
    assert.throws(() => session.call("sessionlib::rows", [session.real([5]), 3]), {
      name: "NotImplementedError",
      message: /^Could not run 'sessionlib::rows' with arguments from the 'CPU' backend/,
    });
  });

  it("or texts, until they are disposed of", () => {
    const mode = session.mode();
    mode.define("sessionlib::pad(Tensor x) -> Tensor");
    const x = mode.empty([3]);
    const fake = mode.registerFake("sessionlib::pad", { shapes: [{ size: ["x0_0 + 4"] }] });
    assert.deepEqual(mode.call("sessionlib::pad", [x]).size, [7]);
    fake.dispose();
    assert.throws(() => mode.call("sessionlib::pad", [x]), { name: "UnsupportedOperatorException" });
    assert.throws(
      () => {
        const failing = () => {
          throw new RangeError("mine");
        };
        mode.registerFake("sessionlib::pad", failing);
        mode.call("sessionlib::pad", [x]);
      },
      { name: "RangeError", message: "mine" },
    );
  });

  it("or are answered by profiles", () => {
    const mode = session.mode({ shapeEnv: true });
    mode.define("sessionlib::profiled(Tensor x) -> Tensor");
    const tensor = { rank: 2, dtype: "float32", device: "cpu", layout: "strided" };
    const profiles = [["sessionlib.profiled.default", [{ args: [tensor], out: tensor }]]];
    const y = mode.withProfiles(profiles, () => mode.call("sessionlib::profiled", [mode.empty([2, 3])]));
    assert.match(String(y.size), /^u\d+,u\d+$/);
  });

  it("are called as often as one likes", () => {
    const mode = session.mode();
    const x = mode.empty([2, 3]);
    session.within(mode, () => {
      for (let i = 0; i < 20_000; i++) assert.equal(session.call("aten::relu_", [x]), x);
      assert.deepEqual(session.call("aten::add.Tensor", [x, 1], { alpha: 2 }).size, [2, 3]);
    });
    assert.deepEqual(mode.guards(), []);
  });
});

describe("what a session refuses", () => {
  it("is data that is ragged and geometry that is none, in PyTorch's words", () => {
    const data = [[1], Array(200_000).fill(2)];
    assert.throws(() => session.tensor(data), {
      name: "ValueError",
      message: "expected sequence of length 1 at dim 1 (got 200000)",
    });
    assert.throws(() => session.real([2, 3], { stride: [1] }), {
      name: "RuntimeError",
      message: "dimensionality of sizes (2) must match dimensionality of strides (1)",
    });
    assert.throws(() => session.real([-1]), {
      name: "RuntimeError",
      message: "Trying to create tensor with negative dimension -1: [-1]",
    });
    assert.throws(() => session.real([2, 3], { offset: -5 }), {
      name: "RuntimeError",
      message: "Tensor: invalid storage offset -5",
    });
  });
});

describe("a mode for calls in a loop", () => {
  it("takes the options of its ShapeEnv", () => {
    const mode = ft.mode({ shapeEnv: { allowDynamicOutputShapeOps: false } });
    assert.throws(() => mode.call("aten::nonzero", [mode.empty([3])]), {
      name: "DynamicOutputShapeException",
    });
    assert.throws(() => ft.mode({ shapes: true }), { name: "UsageError" });
  });
});
