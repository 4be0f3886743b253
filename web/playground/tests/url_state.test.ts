import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressOf, stateOf } from "../src/permalink.js";
import { formatHash, kEmptyAddress, parseHash, type Address } from "../src/url_state.js";
import { sampleModel } from "./sample.js";

describe("the address", () => {
  it("comes back as it was written", () => {
    const address: Address = {
      example: "decoder",
      file: null,
      code: null,
      dims: { batch: 4, "input_ids.1": 1024 },
      dynamic: { batch: [1, 64], "x.2": [2, 8] },
      dtype: "bfloat16",
      device: "cuda",
      assume: { "view_3.1": "literal", "to_4.dtype": "follows", "arange.end": "16" },
      literal: true,
      open: ["layers.0", "layers.0.mlp"],
      depth: null,
      select: "linear_3",
      camera: { x: 120, y: -88, scale: 0.5 },
      alive: "mul_4",
      color: "bytes",
      plumbing: true,
      unread: [],
    };
    const hash = formatHash(address);
    assert.equal(
      hash,
      "#example=decoder&dynamic=batch:1..64,x.2:2..8&set=batch:4,input_ids.1:1024&dtype=bfloat16&device=cuda&assume=view_3.1:literal,to_4.dtype:follows,arange.end:16&literal=1&open=layers.0,layers.0.mlp&select=linear_3&alive=mul_4&color=bytes&plumbing=1&at=120,-88,0.5",
    );
    assert.deepEqual(parseHash(hash), address);
  });

  it("keeps names with special letters", () => {
    const address = { ...kEmptyAddress, file: "my model & co=1.pt2", select: "/blocks.0" };
    assert.deepEqual(parseHash(formatHash(address)), address);
  });

  it("tells nothing open from the page's own choice", () => {
    assert.deepEqual(parseHash("#example=a&open=").open, []);
    assert.equal(parseHash("#example=a").open, null);
  });

  it("is empty but for the words of what cannot be read", () => {
    const unread = ["set=:4", "set=a:-1", "set=b:99999999999", "set=c", "at=1,x,0"];
    assert.deepEqual(parseHash("#%%%&at=1,x,0&set=:4,a:-1,b:99999999999,c"), { ...kEmptyAddress, unread });
    const decisions = ["assume=view_3.1", "assume=:literal", "assume=view_3.1:maybe"];
    assert.deepEqual(parseHash("#assume=view_3.1,:literal,view_3.1:maybe&literal=yes"), {
      ...kEmptyAddress,
      unread: [...decisions, "literal=yes"],
    });
    assert.deepEqual(parseHash("#dynamic=batch:4,x"), {
      ...kEmptyAddress,
      unread: ["dynamic=x", "dynamic=batch:4"],
    });
    for (const hash of ["", "#", "#set=&at=&dtype=&assume=&literal="])
      assert.deepEqual(parseHash(hash), kEmptyAddress);
    for (const at of ["1", "1,2", "1,2,-1", "1,2,0", "1e999,0,1", "NaN,0,1"])
      assert.deepEqual(parseHash(`#at=${at}`), { ...kEmptyAddress, unread: [`at=${at}`] });
  });
});

describe("a permalink", () => {
  const model = sampleModel();

  it("names modules and nodes, so that it survives renumbering", () => {
    const asked = { ...kEmptyAddress, open: ["block.1", "gone"], select: "relu_1" };
    const { state, misfits } = stateOf(model, asked, [1]);
    assert.deepEqual(state.expanded, [2]);
    assert.deepEqual(misfits, ["open=gone"]);
    assert.deepEqual(state.selection, { kind: "node", row: 5 });
    const back = addressOf(model, state, [1], { example: null, file: "a.pt2", code: null });
    assert.deepEqual(back.open, ["block.1"]);
    assert.equal(back.select, "relu_1");
  });

  it("keeps the page's own choice where it names no module of the program", () => {
    const { state, misfits } = stateOf(model, { ...kEmptyAddress, open: ["gone"] }, [1]);
    assert.deepEqual(state.expanded, [1]);
    assert.deepEqual(misfits, ["open=gone"]);
    assert.deepEqual(stateOf(model, { ...kEmptyAddress, open: [] }, [1]).state.expanded, []);
  });

  it("leaves out what is open by the page's own choice", () => {
    const { state } = stateOf(model, kEmptyAddress, [1]);
    assert.deepEqual(state.expanded, [1]);
    assert.equal(addressOf(model, state, [1], kEmptyAddress).open, null);
  });

  it("selects modules by their path after a slash", () => {
    const { state } = stateOf(model, { ...kEmptyAddress, select: "/block.0" }, []);
    assert.deepEqual(state.selection, { kind: "module", id: 1 });
    const { state: other, misfits } = stateOf(model, { ...kEmptyAddress, select: "nobody" }, []);
    assert.equal(other.selection, null);
    assert.deepEqual(misfits, ["select=nobody"]);
  });
});
