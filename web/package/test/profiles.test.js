import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { load } from "faketensor";
import { bytesOf, classifierPath, customPath } from "./helper.js";

const tensor = { rank: 2, dtype: "float32", device: "cpu", layout: "strided" };
const yaml = readFileSync(new URL("../../../tests/golden/custom_profiles.yaml", import.meta.url), "utf8");

let ft;
before(async () => {
  ft = await load();
});

describe("op profiles", () => {
  it("are read from PyTorch's YAML and written as it", () => {
    const profiles = ft.profiles.parse(yaml);
    assert.deepEqual(profiles, [
      ["example.scale_rows.default", [{ args: [tensor, { ...tensor, rank: 1 }], out: tensor }]],
    ]);
    assert.equal(ft.profiles.stringify(profiles), yaml);
    assert.throws(() => ft.profiles.parse("operators: {}"), { name: "KeyError" });
  });

  it("answer in a scope, with fresh sizes", () => {
    const mode = ft.mode({ shapeEnv: true });
    mode.define("mylib::foo(Tensor x) -> Tensor");
    const x = mode.empty([2, 3]);
    const profiles = [["mylib.foo.default", [{ args: [tensor], out: tensor }]]];
    const { y, warnings } = mode.withProfiles(profiles, (lines) => ({
      y: mode.call("mylib::foo", [x]),
      warnings: lines,
    }));
    assert.deepEqual(y.size, ["u0", "u1"]);
    assert.equal(warnings.length, 1);
    mode.withProfiles(profiles, () => {
      assert.throws(() => mode.call("mylib::foo", [mode.empty([3])]), { name: "MissingOpProfile" });
    });
    assert.throws(() => mode.call("mylib::foo", [x]), { name: "UnsupportedOperatorException" });
  });

  it("let a program with custom operators propagate from end to end", () => {
    const program = ft.open(bytesOf(customPath), { name: "custom.pt2" });
    assert.equal(program.propagate().problems[0].kind, "unknown");
    const run = program.propagate({ profiles: program.recordProfiles() });
    assert.deepEqual(
      run.problems.filter((problem) => problem.kind === "unknown"),
      [],
    );
    assert.equal(program.propagate({ profiles: yaml }).value("scale_rows").size.length, 2);
  });

  it("are part of what draft_export would report of a program", () => {
    const text = new URL("../../../tests/golden/files/draft.txt", import.meta.url);
    const program = ft.open(readFileSync(text), { name: "draft.txt" });
    const { successful, failures, opProfiles, problems } = program.draftReport();
    assert.equal(successful, false);
    assert.deepEqual(
      failures.map(({ kind, text: what, node, source }) => [kind, what.replace(/u\d/, "u"), node, source]),
      [
        ["MISSING_FAKE_KERNEL", "mylib.foo5.default", "foo5", "d.py:8 in forward"],
        ["DATA_DEPENDENT_ERROR", "4 <= u", "_assert_scalar_default_2", "d.py:9 in forward"],
      ],
    );
    assert.match(failures[1].symbols[0], /^u\d is the value of item$/);
    assert.deepEqual(opProfiles, [["mylib.foo5.default", [{ args: [tensor, tensor], out: tensor }]]]);
    assert.deepEqual(problems, []);
    assert.equal(ft.open(bytesOf(classifierPath), { name: "classifier.pt2" }).draftReport().successful, true);
  });
});
