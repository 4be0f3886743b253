import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sizeChips } from "../src/chips.js";
import { Status, type InputInfo } from "../src/engine.js";
import { chooseExpanded } from "../src/expansion.js";
import {
  bytesText,
  compactShape,
  contiguity,
  moduleShort,
  opShort,
  plural,
  valueText,
} from "../src/format.js";
import { changedRows, Model } from "../src/model.js";
import { countProblems, problemSentence } from "../src/problems_pane.js";
import { buildOutline, indexOfSelection, labelOfRow } from "../src/outline_rows.js";
import { kError, kInfo, sampleModel, sampleTable } from "./sample.js";

describe("a model", () => {
  const model = sampleModel(true);

  it("lists a module's children in order of execution, placeholders apart", () => {
    assert.deepEqual(model.childrenOf(0), [~1, ~2, 6]);
    assert.deepEqual(model.childrenOf(2), [4, 5]);
  });

  it("knows readers and aliases", () => {
    assert.deepEqual([...model.readersOf(0)], [2, 4]);
    assert.deepEqual(model.aliasesOf(2), [3]);
    assert.deepEqual(model.aliasesOf(6), []);
  });

  it("raises a node's error to the modules around it", () => {
    assert.deepEqual(
      [0, 1, 2].map((id) => model.worstIn(id)),
      [1, 0, 1],
    );
  });

  it("tells of a module without a problem of its own that it was not reached", () => {
    const table = sampleTable(2, true);
    const failing = new Model(
      kInfo,
      { ...table, status: Uint8Array.from([0, 0, 1, 3, 3, 3, 3]) },
      [{ ...kError, node: 2 }],
      0.1,
    );
    assert.deepEqual(
      [1, 2].map((id) => failing.worstIn(id)),
      [Status.error, Status.notReached],
    );
    assert.equal(
      problemSentence(countProblems(failing.problems, failing.notReached)),
      "1 error, 4 not reached",
    );
  });

  it("tells which rows differ between two runs", () => {
    assert.deepEqual([...changedRows(sampleTable(2, false), sampleTable(4, false))], [1, 2, 3, 4, 5]);
    assert.deepEqual([...changedRows(sampleTable(2, false), sampleTable(2, true))], [4, 5, 6]);
    assert.equal(changedRows(sampleTable(2, false), sampleTable(2, false)).size, 0);
  });
});

describe("the outline", () => {
  const model = sampleModel();
  const rows = buildOutline(model, [1], new Set(["inputs"] as const));
  const labelName = (row: number): string => model.table.names[row];

  it("holds inputs, weights, then modules and nodes as they are open", () => {
    assert.deepEqual(
      rows.map((row) => `${row.level} ${labelOfRow(model, row).name}`),
      [
        "1 Inputs",
        "2 x",
        "1 Parameters and buffers",
        "1 block.0",
        "2 linear",
        "2 relu",
        "1 block.1",
        "1 output",
      ],
    );
  });

  it("counts positions among siblings from one", () => {
    assert.deepEqual(
      rows.map((row) => `${row.position}/${row.siblings}`),
      ["1/5", "1/1", "2/5", "3/5", "1/2", "2/2", "4/5", "5/5"],
    );
  });

  it("leaves rows out that the picture leaves out, and counts the rest", () => {
    const fewer = buildOutline(model, [1], new Set(), (row) => labelName(row) !== "relu");
    assert.deepEqual(
      fewer.map((row) => `${labelOfRow(model, row).name} ${row.position}/${row.siblings}`),
      ["Inputs 1/5", "Parameters and buffers 2/5", "block.0 3/5", "linear 1/1", "block.1 4/5", "output 5/5"],
    );
  });

  it("points at the closed module around a hidden selection", () => {
    assert.equal(indexOfSelection(model, rows, { kind: "node", row: 5 }), 6);
    assert.equal(indexOfSelection(model, rows, { kind: "node", row: 3 }), 5);
    assert.equal(indexOfSelection(model, rows, { kind: "node", row: 0 }), -1);
  });
});

describe("what a new program shows open", () => {
  const modules = kInfo.modules.map((module) => ({ ...module, nodes: module.id === 0 ? 12 : 5 }));

  it("is the first of equal siblings", () => {
    assert.deepEqual(chooseExpanded(modules), [1]);
  });

  it("stays within its limit", () => {
    assert.deepEqual(chooseExpanded(modules, 7), []);
  });

  it("leaves modules of a few nodes closed", () => {
    assert.deepEqual(chooseExpanded(kInfo.modules), []);
  });
});

describe("the chips", () => {
  const input = (name: string, size: InputInfo["size"]): InputInfo => ({
    name,
    kind: "user",
    target: null,
    node: 0,
    size,
    stride: [],
    dtype: "int64",
    device: "cpu",
  });

  it("are one for the batch and one per size that inputs share", () => {
    const chips = sizeChips({
      inputs: [input("ids", [2, 64]), input("mask", [2, 64]), input("image", [2, 3])],
      symbols: [],
    });
    assert.deepEqual(
      chips.map((chip) => [chip.label, ...chip.names, chip.original]),
      [
        ["batch (ids 0)", "batch", 2],
        ["length (ids, mask)", "ids.1", "mask.1", 64],
        ["length (image)", "image.1", 3],
      ],
    );
  });

  it("leave the batch apart where inputs disagree on it", () => {
    const chips = sizeChips({ inputs: [input("a", [2]), input("b", [3])], symbols: [] });
    assert.deepEqual(
      chips.map((chip) => chip.label),
      ["dim 0 (a)", "dim 0 (b)"],
    );
  });

  it("are no symbols of numbers or of data", () => {
    const symbols = ["s0", "zuf0", "zf1", "u0", "users", "2*s0"].map((name) => ({
      name,
      range: [2, null] as const,
      hint: null,
    }));
    const chips = sizeChips({ inputs: [input("mask", [4, "s0"]), input("x", ["2*users", 8])], symbols });
    assert.deepEqual(
      chips.slice(0, 2).map(({ label }) => label),
      ["length (mask 1)", "users (in x 0)"],
    );
  });

  it("are symbols by what they are, with their range", () => {
    const symbols = [{ name: "s0", range: [2, 16] as const, hint: 4 }];
    const [chip, ...rest] = sizeChips({ inputs: [input("x", ["s0", "2*s0"])], symbols });
    assert.deepEqual([chip.label, chip.original, ...chip.range], ["batch (x 0)", 4, 2, 16]);
    assert.deepEqual(rest, []);
  });

  it("are symbols by their names where there is no telling what they are", () => {
    const symbols = [{ name: "s0", range: [2, 16] as const, hint: 4 }];
    const [chip] = sizeChips({ inputs: [input("x", ["s0"]), input("y", [8, "s0", 3])], symbols });
    assert.equal(chip.label, "s0 (x 0)");
  });
});

describe("texts", () => {
  it("name memory order as PyTorch decides it", () => {
    assert.equal(contiguity([2, 3], [3, 1]), "contiguous");
    assert.equal(contiguity([1, 3], [99, 1]), "contiguous");
    assert.equal(contiguity([0, 3], [7, 7]), "contiguous");
    assert.equal(contiguity([2, 3, 4, 5], [60, 1, 15, 3]), "channels_last");
    assert.equal(contiguity([2, 3], [0, 1]), "expanded (stride 0)");
    assert.equal(contiguity([2, 3], [1, 2]), "not contiguous");
    assert.equal(contiguity(["s0", 3], [3, 1]), "contiguous");
  });

  it("are short", () => {
    assert.equal(opShort("aten::linear.default"), "linear");
    assert.equal(opShort("torch.ops.aten.mm.default"), "mm");
    assert.equal(opShort("output"), "output");
    assert.equal(moduleShort("model.layers.0"), "layers.0");
    assert.equal(moduleShort("model.layers.0.mlp"), "mlp");
    assert.equal(compactShape([2, "s0 + 1"]), "2×(s0+1)");
    assert.equal(compactShape([]), "scalar");
    assert.equal(bytesText(1536), "1.50 KiB");
    assert.equal(bytesText(16), "16 B");
    assert.equal(plural(1, "match", "matches"), "1 match");
    assert.equal(valueText(sampleTable(2, true), 1), "f32[2, 8]");
    assert.equal(valueText(sampleTable(2, true), 4), "unknown");
  });
});
