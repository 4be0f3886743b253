/** What plain JavaScript may hand over by mistake: a TypeError in our words, and an engine that goes on. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { load } from "faketensor";
import { bytesOf, classifierPath } from "./helper.js";

describe("a value of the wrong kind", () => {
  let ft;
  let program;
  let run;
  let mode;
  before(async () => {
    ft = await load();
    program = ft.open(bytesOf(classifierPath));
    run = program.propagate();
    mode = ft.mode({ shapeEnv: true });
  });

  const circle = {};
  circle.self = circle;
  const cases = {
    "ft.open(undefined)": [() => ft.open(undefined), /a program is to be a Uint8Array.*, not undefined/],
    "ft.open(a Blob)": [() => ft.open(new Blob(["x"])), /not a Blob/],
    "ft.open(a name)": [() => ft.open("model.pt2"), /not a string/],
    "a name that is none": [
      () => ft.open(bytesOf(classifierPath), { name: 3 }),
      /the name of a program is to be a string, not a number/,
    ],
    "a source that reads no bytes": [
      () => ft.open({ size: 9, read: () => "bytes" }),
      /what a ByteSource reads is to be a Uint8Array, not a string/,
    ],
    "ft.operators(5)": [() => ft.operators(5), /to be a string, not a number/],
    "ft.mode() with a bigint": [() => ft.mode({ target: 3n }), /BigInt/],
    "ft.session() with a circle": [() => ft.session(circle), /circular/],
    "run.value(undefined)": [
      () => run.value(undefined),
      /the name of a value is to be a string, not undefined/,
    ],
    "run.node of a name": [
      () => run.node("linear"),
      /the row of a node is to be a whole number, not a string/,
    ],
    "run.node between rows": [() => run.node(1.5), /not 1.5/],
    "run.why without a dimension": [() => run.why("linear"), /a dimension is to be a whole number/],
    "run.why of a row": [() => run.why(3, 0), /the name of a node/],
    "run.whatIf with a bigint": [() => run.whatIf({ s0: 3n }), /BigInt/],
    "run.table with a circle": [() => run.table(circle), /circular/],
    "program.propagate with a bigint": [() => program.propagate({ dims: { batch: 2n } }), /BigInt/],
    "ft.profiles.parse of bytes": [() => ft.profiles.parse(new Uint8Array(3)), /not a Uint8Array/],
    "ft.profiles.stringify of nothing": [
      () => ft.profiles.stringify(undefined),
      /profiles is to be plain data/,
    ],
    "mode.call of a number": [() => mode.call(7), /the name of an operator/],
    "mode.call without a list": [() => mode.call("aten::relu", 7), /a list of arguments, not a number/],
    "mode.call with a function": [() => mode.call("aten::relu", [() => 1]), /plain data, not a function/],
    "mode.define of nothing": [() => mode.define(undefined), /a schema/],
    "mode.registerFake of a bigint": [() => mode.registerFake("aten::relu", 3n), /BigInt/],
    "a fake's range with a bigint": [
      () => {
        mode.define("mylib::sized(Tensor x) -> Tensor", ({ x }, context) =>
          mode.call("aten::new_empty", [x, [context.newDynamicSize({ min: 2n })]]),
        );
        mode.call("mylib::sized", [mode.empty([2])]);
      },
      /min of newDynamicSize\(\) is to be a whole number, not a bigint/,
    ],
  };
  for (const [name, [wrong, message]] of Object.entries(cases)) {
    it(name, () => {
      assert.throws(wrong, { name: "TypeError", message });
      // Everything that was made before is still there.
      assert.deepEqual(mode.call("aten::relu", [mode.empty([2])]).size, [2]);
      assert.ok(run.table().length > 0);
      assert.ok(program.propagate().ok);
    });
  }

  it("keeps the options of bigger views of bytes", () => {
    const bytes = bytesOf(classifierPath);
    const padded = new Uint8Array(bytes.length + 16 - (bytes.length % 8));
    padded.set(bytes, 8);
    assert.equal(ft.open(new DataView(padded.buffer, 8, bytes.length)).info.nodes, program.info.nodes);
  });
});
