import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InputInfo } from "../src/engine.js";
import {
  dimsOfSymbol,
  isUnfinished,
  parseSetting,
  refusalOf,
  settingText,
  splitSettings,
} from "../src/settings.js";
import { kInfo } from "./sample.js";

describe("a setting", () => {
  it("is a number or a range", () => {
    for (const [text, setting] of [
      ["4", 4],
      [" 0 ", 0],
      ["2..64", [2, 64]],
      ["2 .. 64", [2, 64]],
      ["7..7", 7],
      ["8k", 8192],
      ["1.5K", 1536],
      ["2m", 2 ** 21],
      ["1e3", 1000],
      ["2.5e3", 2500],
      ["4_096", 4096],
      ["4 096", 4096],
      ["4,096", 4096],
      ["1..8k", [1, 8192]],
    ] as const)
      assert.deepEqual(parseSetting(text), setting, text);
    for (const text of [
      "",
      "-1",
      "2..",
      "..4",
      "64..2",
      "2...4",
      "many",
      "2147483648",
      "1.5",
      "1..2..3",
      "8q",
      "1e99",
      "4,09",
    ])
      assert.equal(parseSetting(text), null, text);
  });

  it("says why a text is none", () => {
    for (const [text, reason] of [
      ["-1", /not negative/],
      ["1.5", /whole number/],
      ["64..2", /2 is less than 64/],
      ["99999999999", /2147483648/],
      ["many", /“many” is no size. Write 4, 8k/],
      ["", /No size. Write/],
    ] as const)
      assert.match(refusalOf(text), reason);
  });

  it("is printed as it is typed", () => {
    assert.equal(settingText(4), "4");
    assert.equal(settingText([2, 64]), "2..64");
  });

  it("is no mistake while the end of a range is still to come", () => {
    for (const text of ["2.", "2..", "20..3", "1e", "1..2e"]) assert.ok(isUnfinished(text), text);
    for (const text of ["2", "..", "a.", "2...", "2..64"]) assert.ok(!isUnfinished(text), text);
  });

  it("of a dimension that was made dynamic is one of a symbol", () => {
    const dynamic = { batch: [1, 64], "x.1": [2, 8], "y.1": [2, 8], "y.2": [2, 8] } as const;
    assert.deepEqual(splitSettings({ symbols: [] }, { batch: 4, x_1: [2, 4], "z.1": 3 }, dynamic), {
      symbols: { batch: 4, x_1: [2, 4] },
      dims: { "z.1": 3 },
    });
    const input = (name: string): InputInfo => ({ ...kInfo.inputs[1], name, size: [2, 5, 5] });
    const info = { inputs: [input("x"), input("y")] };
    assert.deepEqual(dimsOfSymbol(info, dynamic, "x_1"), ["x.1", "y.1"]);
    assert.deepEqual(dimsOfSymbol(info, dynamic, "batch"), ["batch"]);
  });

  it("of a symbol is apart from that of a size that is a number", () => {
    const info = { symbols: [{ name: "s31", range: [2, 512], hint: 6 }] } as const;
    assert.deepEqual(splitSettings(info, { s31: [2, 64], u1: 3, batch: 4, "x.1": [2, 3] }), {
      symbols: { s31: [2, 64], u1: 3 },
      dims: { batch: 4 },
    });
  });
});
