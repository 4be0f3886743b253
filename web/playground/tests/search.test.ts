import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchesShape, parseQuery, parseShape, search } from "../src/search.js";
import { sampleModel } from "./sample.js";

const names = (query: string, fails = false): string[] => {
  const model = sampleModel(fails);
  return search(model, query).matches.map(({ target }) =>
    target < 0 ? model.module(~target).path : model.table.names[target],
  );
};

describe("a query", () => {
  it("is split at blanks, but not inside brackets or quotes", () => {
    assert.deepEqual(parseQuery('linear shape:[2, *] module:"a b"'), [
      { field: "text", value: "linear" },
      { field: "shape", value: "[2, *]" },
      { field: "module", value: "a b" },
    ]);
  });

  it("takes an unknown field as plain text, so that operators can be typed in full", () => {
    assert.deepEqual(parseQuery("aten::mm"), [{ field: "text", value: "aten::mm" }]);
  });

  it("ignores a field without a value", () => {
    assert.deepEqual(parseQuery("op:"), []);
  });
});

describe("search", () => {
  it("finds by name, exact matches first", () => {
    assert.deepEqual(names("linear"), ["linear", "linear_1"]);
  });

  it("finds modules by path and type", () => {
    assert.deepEqual(names("block.1"), ["block.1", "linear_1", "relu_1"]);
    assert.deepEqual(names("sample.block").slice(0, 2), ["block.0", "block.1"]);
  });

  it("needs all words to match", () => {
    assert.deepEqual(names("op:relu module:block.1"), ["relu_1"]);
  });

  it("finds by dtype, in short and long", () => {
    assert.equal(names("dtype:f32").length, 6);
    assert.deepEqual(names("dtype:float32"), names("dtype:f32"));
    assert.deepEqual(names("dtype:bf16"), []);
  });

  it("finds by shape with wildcards", () => {
    assert.deepEqual(names("shape:[8,8]"), ["weight"]);
    assert.equal(names("shape:[*, 8]").length, 6);
    assert.equal(names("shape:[2,...]").length, 5);
  });

  it("finds by state", () => {
    assert.deepEqual(names("is:error", true), ["linear_1"]);
    assert.deepEqual(names("is:unreached", true), ["relu_1", "output"]);
    assert.deepEqual(names("is:view"), ["relu"]);
    assert.deepEqual(names("is:input"), ["x"]);
  });

  it("cuts the list but counts all", () => {
    const { matches, total } = search(sampleModel(), "dtype:f32", 2);
    assert.equal(matches.length, 2);
    assert.equal(total, 6);
  });
});

describe("a shape pattern", () => {
  const fits = (pattern: string, sizes: string[]): boolean => matchesShape(parseShape(pattern), sizes);

  it("matches sizes one by one", () => {
    assert.ok(fits("[2,*,4096]", ["2", "7", "4096"]));
    assert.ok(!fits("[2,*,4096]", ["2", "4096"]));
    assert.ok(fits("[]", []));
  });

  it("matches any number of sizes at `...`", () => {
    assert.ok(fits("[...,4096]", ["1", "2", "3", "4096"]));
    assert.ok(fits("[...]", []));
    assert.ok(fits("[2,...,3,...,4]", ["2", "3", "3", "4"]));
    assert.ok(!fits("[...,5]", ["5", "4"]));
  });

  it("compares expressions without regard to blanks", () => {
    assert.ok(fits("[2*s0,8]", ["2*s0", "8"]));
  });

  it("does not take exponential time over many `...`", () => {
    assert.ok(!fits(`[${"...,1,".repeat(200)}2]`, new Array<string>(64).fill("1")));
  });
});
