import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  History,
  isAsInFile,
  kAsInFile,
  sameWhatIf,
  toggled,
  withDecisions,
  withDims,
  type PageState,
} from "../src/state.js";

const start: PageState = {
  whatIf: kAsInFile,
  expanded: [],
  selection: null,
  camera: null,
  alive: null,
  color: "plain",
  plumbing: false,
};

describe("the history", () => {
  it("goes back and forth", () => {
    const history = new History(start);
    history.push({ ...start, expanded: [1] }, "expand");
    history.push({ ...start, expanded: [1, 2] }, "expand");
    assert.deepEqual(history.undo().expanded, [1]);
    assert.deepEqual(history.undo().expanded, []);
    assert.ok(!history.canUndo);
    assert.deepEqual(history.redo().expanded, [1]);
    assert.ok(history.canRedo);
  });

  it("forgets what was undone when another step is made", () => {
    const history = new History(start);
    history.push({ ...start, expanded: [1] }, "expand");
    history.undo();
    history.push({ ...start, expanded: [2] }, "expand");
    assert.ok(!history.canRedo);
    assert.deepEqual(history.current.expanded, [2]);
  });

  it("takes camera moves in a row as one step, but not across another step", () => {
    const history = new History(start);
    const at = (x: number): PageState => ({ ...start, camera: { x, y: 0, scale: 1 } });
    history.push(at(1), "camera");
    history.push(at(2), "camera");
    history.push({ ...at(2), expanded: [1] }, "expand");
    history.push({ ...at(3), expanded: [1] }, "camera");
    assert.equal(history.undo().camera?.x, 2);
    assert.deepEqual(history.undo().expanded, []);
    assert.equal(history.undo().camera, null);
  });

  it("takes the digits of one number as one step, and another visit to the field as another", () => {
    const history = new History(start);
    const batch = (size: number): PageState => ({ ...start, whatIf: withDims(kAsInFile, ["batch"], size) });
    history.push(batch(1), "edit", "batch 1");
    history.push(batch(16), "edit", "batch 1");
    history.push(batch(8), "edit", "batch 2");
    assert.equal(history.undo().whatIf.dims["batch"], 16);
    assert.deepEqual(history.undo().whatIf.dims, {});
  });

  it("keeps the last 200 steps", () => {
    const history = new History(start);
    for (let i = 0; i < 1000; i++) history.push({ ...start, expanded: [i] }, "expand");
    let steps = 0;
    for (; history.canUndo; steps++) history.undo();
    assert.equal(steps, 200);
  });
});

describe("a what-if", () => {
  it("is as in the file again once its last dim is taken back", () => {
    const edited = withDims(kAsInFile, ["ids.1", "mask.1"], 64);
    assert.deepEqual(edited.dims, { "ids.1": 64, "mask.1": 64 });
    assert.ok(!isAsInFile(edited));
    assert.ok(isAsInFile(withDims(edited, ["ids.1", "mask.1"], null)));
  });

  it("takes decisions of several sites together, and each back", () => {
    const decided = withDecisions(kAsInFile, ["view.0", "view.1"], "literal");
    assert.deepEqual(decided.assume, { "view.0": "literal", "view.1": "literal" });
    assert.ok(!isAsInFile(decided));
    assert.deepEqual(withDecisions(decided, ["view.0"], null).assume, { "view.1": "literal" });
    assert.ok(isAsInFile(withDecisions(decided, ["view.0", "view.1"], null)));
  });

  it("is compared by value", () => {
    assert.ok(sameWhatIf({ ...kAsInFile, dims: { a: 1, b: 2 } }, { ...kAsInFile, dims: { b: 2, a: 1 } }));
    assert.ok(!sameWhatIf({ ...kAsInFile, dims: { a: 1 } }, { ...kAsInFile, dims: { a: 2 } }));
    assert.ok(!sameWhatIf({ ...kAsInFile, dtype: "bfloat16" }, kAsInFile));
    assert.ok(!sameWhatIf({ ...kAsInFile, literal: true }, kAsInFile));
    const decided = withDecisions(kAsInFile, ["view.0"], "literal");
    assert.ok(!sameWhatIf(decided, kAsInFile));
    assert.ok(!sameWhatIf(decided, withDecisions(kAsInFile, ["view.0"], "4")));
    assert.ok(sameWhatIf(decided, withDecisions(kAsInFile, ["view.0"], "literal")));
    assert.ok(!sameWhatIf({ ...kAsInFile, profiles: { name: "ops.yaml", yaml: "" } }, kAsInFile));
  });
});

describe("toggling a module", () => {
  it("keeps the ids ascending", () => {
    assert.deepEqual(toggled([1, 5], 3), [1, 3, 5]);
    assert.deepEqual(toggled([1, 3, 5], 3), [1, 5]);
  });
});
