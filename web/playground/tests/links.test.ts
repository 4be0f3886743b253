import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FileLink } from "../src/links.js";
import { kEmptyAddress, parseHash } from "../src/url_state.js";

describe("the link of a file", () => {
  const asked = parseHash("#file=model.pt2&set=batch:4");

  it("is used for the first file of its name, and for no other", () => {
    const link = new FileLink();
    assert.equal(link.ask(asked), true);
    assert.equal(link.addressFor("other.pt2"), kEmptyAddress);
    link.used(kEmptyAddress);
    assert.equal(link.addressFor("model.pt2"), asked);
    link.used(asked);
    assert.equal(link.addressFor("model.pt2"), kEmptyAddress);
  });

  it("still waits after a file of its name that could not be read", () => {
    const link = new FileLink();
    link.ask(asked);
    link.addressFor("model.pt2");
    assert.equal(link.addressFor("model.pt2"), asked);
  });

  it("gives way to a later link", () => {
    const link = new FileLink();
    link.ask(asked);
    assert.equal(link.ask(parseHash("#example=decoder")), false);
    assert.equal(link.addressFor("model.pt2"), kEmptyAddress);
  });
});
