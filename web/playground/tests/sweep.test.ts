import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseValues, sweepCsv } from "../src/sweep.js";

describe("the values of a sweep", () => {
  it("are a list, a range that doubles, or one with a step", () => {
    assert.deepEqual(parseValues("1 8, 64"), [1, 8, 64]);
    assert.deepEqual(parseValues("1..64"), [1, 2, 4, 8, 16, 32, 64]);
    assert.deepEqual(parseValues("1..48"), [1, 2, 4, 8, 16, 32, 48]);
    assert.deepEqual(parseValues("8..32 step 8"), [8, 16, 24, 32]);
    assert.deepEqual(parseValues("1 .. 6 step 2"), [1, 3, 5]);
    assert.deepEqual(parseValues("64 1 1..2 8k"), [1, 2, 64, 8192]);
  });

  it("are refused with the reason", () => {
    for (const [text, reason] of [
      ["", /^No value/],
      ["many", /“many” is no value/],
      ["8..2", /“8\.\.2” is no value/],
      ["1..1000 step 1", /More than 64 values/],
      ["0..4", /begin at 1/],
    ] as const) {
      const values = parseValues(text);
      assert.ok("refused" in values, text);
      assert.match(values.refused, reason);
    }
  });

  it("are a line each of CSV", () => {
    const row = { value: 2, peak: 10, held: 4, flops: 8, seconds: 0.5, problems: 0, problem: "" };
    const failed = { ...row, value: 3, peak: null, held: null, flops: null, seconds: null, problems: 1 };
    assert.equal(
      sweepCsv("batch", "h100", [row, { ...failed, problem: 'mm: "a", b' }]),
      "batch,peak_bytes,held_bytes,flops,seconds_on_h100,problems,first_problem\n" +
        '2,10,4,8,0.5,0,\n3,,,,,1,"mm: ""a"", b"\n',
    );
  });
});
