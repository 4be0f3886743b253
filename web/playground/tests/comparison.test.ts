import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Comparison } from "../src/comparison.js";
import { Model } from "../src/model.js";
import { TimeProfile } from "../src/time_profile.js";
import { kInfo, sampleModel, sampleTable } from "./sample.js";

const side = (model: Model, name = "x") => ({ name, model, profile: null, time: null });

describe("a comparison", () => {
  it("finds nothing where nothing differs", () => {
    assert.deepEqual(new Comparison(side(sampleModel()), side(sampleModel())).changes, []);
  });

  it("says what another size changes, and counts it in the modules around", () => {
    const larger = new Model(kInfo, sampleTable(4, false), [], 0.1);
    const comparison = new Comparison(side(sampleModel()), side(larger));
    assert.deepEqual(
      comparison.changes.map((change) => comparison.nameOf(change)),
      ["x", "linear", "relu", "linear_1", "relu_1"],
    );
    assert.equal(comparison.textOf(comparison.changes[0]), "f32[2, 8] → f32[4, 8]");
    assert.deepEqual([comparison.changesIn(0), comparison.changesIn(1)], [5, 2]);
  });

  it("says what takes longer where both are told of one device", () => {
    const timed = (seconds: number, target = "t4") =>
      new TimeProfile(sampleModel(), {
        target,
        seconds,
        calls: 1,
        samples: 2,
        tokens: 0,
        bounds: { compute: 0, memory: seconds, launch: 0 },
        kinds: {},
        nodes: [{ row: 2, name: "linear", seconds, bound: "memory", calls: 1 }],
        modules: { "block.0": seconds },
      });
    const a = { ...side(sampleModel()), time: timed(1e-3) };
    const comparison = new Comparison(a, { ...side(sampleModel()), time: timed(3e-3) });
    assert.deepEqual(
      comparison.changes.map(({ row, seconds }) => [row, seconds]),
      [[2, 2e-3]],
    );
    assert.equal(comparison.secondsIn(1), 2e-3);
    assert.equal(comparison.textOf(comparison.changes[0]), "f32[2, 8]");
    const other = new Comparison(a, { ...side(sampleModel()), time: timed(3e-3, "h100-sxm") });
    assert.deepEqual(other.changes, []);
  });

  it("matches another program by modules and operators, whatever its nodes are called", () => {
    const table = sampleTable(2, false);
    const names = table.names.map((name) => `other_${name}`);
    const again = new Model({ ...kInfo }, { ...table, names }, [], 0.1);
    assert.deepEqual(new Comparison(side(sampleModel()), side(again)).changes, []);
  });

  it("says what only one of them has", () => {
    const info = {
      ...kInfo,
      modules: kInfo.modules.map((module) => (module.id === 2 ? { ...module, path: "head" } : module)),
    };
    const other = new Model(info, sampleTable(2, false), [], 0.1);
    const comparison = new Comparison(side(sampleModel()), side(other));
    assert.equal(comparison.countOf("added"), 2);
    assert.equal(comparison.countOf("removed"), 2);
    assert.equal(comparison.rowInA[4], -1);
  });
});
