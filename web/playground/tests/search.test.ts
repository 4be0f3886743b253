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
    assert.deepEqual(parseQuery('linear shape:[2, *] -module:"a b"').terms, [
      { field: "text", value: "linear", negated: false },
      { field: "shape", value: "[2, *]", negated: false },
      { field: "module", value: "a b", negated: true },
    ]);
  });

  it("takes an operator that is typed in full as plain text", () => {
    assert.deepEqual(parseQuery("aten::mm").terms, [{ field: "text", value: "aten::mm", negated: false }]);
  });

  it("says what it does not know", () => {
    for (const [text, error] of [
      ["foo:bar", /no filter foo:/],
      ["is:foo", /no is:foo \(there are error/],
      ["/(/", /no regular expression/],
      ["bytes:many", /bytes>1e9/],
    ] as const)
      assert.match(parseQuery(text).error ?? "", error);
    for (const text of ["is:err", "bytes>", "op:", "-linear", "/a b/"])
      assert.equal(parseQuery(text).error, null, text);
  });

  it("ignores a field without a value", () => {
    assert.deepEqual(parseQuery("op:").terms, []);
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

  it("finds parameters by what they are called in the model", () => {
    assert.deepEqual(names("block.weight"), ["weight"]);
  });

  it("finds operators with a dot or colons, and those that read another", () => {
    assert.deepEqual(names("aten.linear"), ["linear", "linear_1"]);
    assert.deepEqual(names("op:aten.relu.default"), names("op:aten::relu"));
    assert.deepEqual(names("op:relu->linear"), ["linear_1"]);
    assert.deepEqual(names("op:linear->relu->linear"), ["linear_1"]);
  });

  it("compares bytes", () => {
    assert.deepEqual(names("bytes>64"), ["weight"]);
    assert.deepEqual(names("bytes>=0.25KiB"), ["weight"]);
    assert.deepEqual(names("bytes<=64 op:placeholder"), ["x"]);
  });

  it("takes back what a term with - finds, and reads regular expressions", () => {
    assert.deepEqual(names("op:linear -module:block.0"), ["linear_1"]);
    assert.deepEqual(names("/^linear(_1)?$/"), ["linear", "linear_1"]);
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
