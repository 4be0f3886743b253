import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assumedSentence, groupAssumptions, unmetDecisions } from "../src/assumptions.js";
import type { Assumption } from "../src/engine.js";

const kLine = "model.py:12 in forward";

function size(site: string, from: string, to: string, more: Partial<Assumption> = {}): Assumption {
  return { site, node: site.split(".")[0], row: 1, from, to, reason: "is dimension 0 of x", ...more };
}

const kAssumptions: readonly Assumption[] = [
  size("view.0", "2", "8", { source: kLine }),
  size("to.dtype", "torch.float32", "torch.bfloat16", { guess: true }),
  size("view_1.0", "2", "8", { source: kLine }),
  size("view.1", "2", "8", { source: kLine }),
  size("to_1.dtype", "torch.float32", "torch.float32"),
  size("full.0", "2", "2"),
  size("full.1", "7", "7"),
];

describe("assumptions", () => {
  it("of one line, argument and change are one, in the order of the nodes", () => {
    const groups = groupAssumptions(kAssumptions, {});
    const sites = groups.map(({ members }) => members.map(({ site }) => site));
    assert.deepEqual(sites, [
      ["view.0", "view_1.0"],
      ["to.dtype"],
      ["view.1"],
      ["to_1.dtype"],
      ["full.0"],
      ["full.1"],
    ]);
  });

  it("offer what was not taken: what the file has, or what it would be if it followed", () => {
    const offers = groupAssumptions(kAssumptions, {}).map(({ offer }) => offer);
    assert.deepEqual(offers, [
      { label: "Keep 2", choice: "literal" },
      { label: "Keep float32", choice: "literal" },
      { label: "Keep 2", choice: "literal" },
      { label: "Follow", choice: "follows" },
      { label: "Follow: 8", choice: "8" },
      null,
    ]);
  });

  it("that were decided stand apart, and are taken back", () => {
    const kept = kAssumptions.map((assumption) =>
      assumption.site === "view_1.0" ? { ...assumption, to: "2" } : assumption,
    );
    const groups = groupAssumptions(kept, { "view_1.0": "literal" });
    const decided = groups.filter(({ isDecided }) => isDecided);
    assert.deepEqual(
      decided.map(({ members, offer }) => [members[0].site, offer]),
      [["view_1.0", { label: "Take back", choice: null }]],
    );
    assert.deepEqual(unmetDecisions(kept, { "view_1.0": "literal", "gone.0": "4" }), ["gone.0"]);
  });

  it("of graphs inside of nodes can be decided by nobody, whatever bears the same name", () => {
    const inside: Assumption = { site: "view.0", from: "2", to: "8", reason: "is dimension 0 of x" };
    const [group] = groupAssumptions([inside], { "view.0": "literal" });
    assert.deepEqual([group.isDecided, group.offer], [false, null]);
    assert.deepEqual(unmetDecisions([inside], { "view.0": "literal" }), ["view.0"]);
  });

  it("are counted with their guesses", () => {
    assert.equal(assumedSentence({ assumptions: 0, guesses: 0 }), "");
    assert.equal(assumedSentence({ assumptions: 1, guesses: 0 }), "1 assumption");
    assert.equal(assumedSentence({ assumptions: 1070, guesses: 1 }), "1,070 assumptions, 1 guess");
    assert.equal(assumedSentence({ assumptions: 3, guesses: 2 }), "3 assumptions, 2 guesses");
  });
});
