/** Integers beyond 2^53 keep their digits; other numbers are as they were. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dimOf, load } from "faketensor";
import { bytesOf, classifierPath, importSource } from "./helper.js";

const { parseReply, parseValue } = await importSource("reply");

describe("integers beyond 2^53", () => {
  it("are text where sizes stand and bigints where values do", () => {
    const tensor =
      '{"size":[9007199254740993,2],"stride":[2,1],"nbytes":72057594037927944,"dtype":"float32"}';
    assert.deepEqual(parseReply(`{"val":[${tensor},-9007199254740993,9007199254740992]}`), {
      val: [
        { size: ["9007199254740993", 2], stride: [2, 1], nbytes: "72057594037927944", dtype: "float32" },
        -9007199254740993n,
        2 ** 53,
      ],
    });
    assert.deepEqual(parseReply('{"outputs":[[9007199254740993]],"range":[2,9223372036854775806]}'), {
      outputs: [["9007199254740993"]],
      range: [2, 2 ** 63],
    });
    assert.deepEqual(parseValue('{"size":[9007199254740993],"range":1}'), {
      size: [9007199254740993n],
      range: 1,
    });
    assert.deepEqual(parseReply('[{"range":[9007199254740993]}]'), [{ range: [2 ** 53] }]);
    assert.deepEqual(parseReply(tensor).size, ["9007199254740993", 2]);
  });

  it("are not seen in texts and in floats", () => {
    for (const value of [
      "9007199254740993",
      'quoted "9007199254740993" and int:9007199254740993 \\',
      0.12345678901234568,
      1.2345678901234567e300,
    ])
      assert.deepEqual(parseReply(`{"val":${JSON.stringify(value)},"x":1}`), { val: value, x: 1 });
    assert.deepEqual(parseReply('{"val":["int:5",9007199254740993]}'), { val: ["int:5", 9007199254740993n] });
  });

  it("are found beside a text of any length", () => {
    const text = "y".repeat(2 ** 24);
    assert.deepEqual(parseReply(`{"val":[9007199254740993],"yaml":"${text}"}`), {
      val: [9007199254740993n],
      yaml: text,
    });
  });

  it("come out of runs and of modes, and go into modes", async () => {
    const ft = await load();
    const program = ft.open(bytesOf(classifierPath));
    const { name, node } = program.info.inputs.find(({ kind }) => kind === "user");
    const run = program.propagate({ dims: { batch: 2 ** 43 + 1 } });
    const table = run.table();
    const bytes = dimOf(table, table.nbytes[node]);
    assert.equal(typeof bytes, "string");
    assert.equal(run.value(name).nbytes, bytes);
    assert.equal(run.node(node).value.nbytes, bytes);

    const mode = ft.mode();
    const huge = mode.empty([9007199254740993n], { dtype: "uint8" });
    assert.deepEqual([huge.size, huge.nbytes], [["9007199254740993"], "9007199254740993"]);
    const size = mode.call("aten::sym_size.int", [huge, 0]);
    assert.equal(size, 9007199254740993n);
    assert.deepEqual(mode.call("aten::new_empty", [huge, [size]]).size, huge.size);
    assert.deepEqual(mode.empty(huge.size, { dtype: "uint8" }).size, huge.size);
  });
});

describe("a symbolic size", () => {
  it("may be given as the text that it is", async () => {
    const mode = (await load()).mode({ shapeEnv: true });
    const found = mode.call("aten::nonzero", [mode.empty([4])]);
    assert.deepEqual(mode.empty([...found.size, 3]).size, ["u0", 1, 3]);
  });
});
