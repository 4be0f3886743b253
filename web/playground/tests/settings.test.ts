import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isUnfinished, parseSetting, settingText, splitSettings } from "../src/settings.js";

describe("a setting", () => {
  it("is a number or a range", () => {
    for (const [text, setting] of [
      ["4", 4],
      [" 0 ", 0],
      ["2..64", [2, 64]],
      ["2 .. 64", [2, 64]],
      ["7..7", 7],
    ] as const)
      assert.deepEqual(parseSetting(text), setting, text);
    for (const text of ["", "-1", "2..", "..4", "64..2", "2...4", "many", "2147483648", "1.5"])
      assert.equal(parseSetting(text), null, text);
  });

  it("is printed as it is typed", () => {
    assert.equal(settingText(4), "4");
    assert.equal(settingText([2, 64]), "2..64");
  });

  it("is no mistake while the end of a range is still to come", () => {
    for (const text of ["2.", "2..", "20..3"]) assert.ok(isUnfinished(text), text);
    for (const text of ["2", "..", "a.", "2...", "2..64"]) assert.ok(!isUnfinished(text), text);
  });

  it("of a symbol is apart from that of a size that is a number", () => {
    const info = { symbols: [{ name: "s31", range: [2, 512], hint: 6 }] } as const;
    assert.deepEqual(splitSettings(info, { s31: [2, 64], u1: 3, batch: 4, "x.1": [2, 3] }), {
      symbols: { s31: [2, 64], u1: 3 },
      dims: { batch: 4 },
    });
  });
});
