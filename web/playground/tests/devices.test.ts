import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeviceFile } from "../src/device_file.js";
import { Devices, shortTitle } from "../src/devices.js";
import type { FitRow } from "../src/engine.js";
import { fitsSentence, largestText } from "../src/fits_text.js";

const kGiB = 2 ** 30;

function row(title: string, fits: boolean, largest?: FitRow["largest"]): FitRow {
  return {
    name: title,
    title,
    memory: 24 * kGiB,
    usable: 23 * kGiB,
    peak: 14 * kGiB,
    fits,
    headroom: 9 * kGiB,
    ...(largest !== undefined && { largest }),
  };
}

describe("the sentence about devices", () => {
  it("says where it fits, and up to which batch", () => {
    const targets = [
      row("NVIDIA GeForce RTX 4090 24GB", false, { size: 0, stop: "memory" }),
      row("NVIDIA A100 SXM 80GB", true, { size: 23, stop: "memory" }),
    ];
    assert.equal(
      fitsSentence({ over: "batch", size: 8, targets }),
      "fits RTX 4090: no, A100 80: yes, largest batch 23",
    );
  });

  it("says which batch would fit where this one does not", () => {
    const targets = [row("NVIDIA T4 16GB", false, { size: 4, stop: "memory" })];
    assert.equal(fitsSentence({ over: "batch", size: 8, targets }), "fits T4: no, batch 4 would");
  });

  it("says no size where none was looked for, or where every one fits", () => {
    const targets = [row("a", true), row("b", true, { size: 1 << 24, stop: "range" })];
    assert.equal(fitsSentence({ targets }), "fits a: yes, b: yes");
  });

  it("says that it is about a step of training", () => {
    const targets = [row("NVIDIA T4 16GB", false, { size: 4, stop: "memory" })];
    assert.equal(
      fitsSentence({ over: "batch", targets }, "adam"),
      "a step with Adam fits T4: no, batch 4 would",
    );
  });

  it("says why a size is the largest", () => {
    assert.equal(largestText(row("a", true, { size: 1, stop: "program" })), "1, more are refused");
    assert.equal(largestText(row("a", true, { size: 2048, stop: "range" })), "2,048 or more");
    assert.equal(largestText(row("a", false, { size: 0, stop: "memory" })), "none");
  });
});

describe("devices", () => {
  it("are called as people call them", () => {
    assert.equal(shortTitle("NVIDIA H100 SXM 80GB"), "H100 SXM");
    assert.equal(shortTitle("AMD Instinct MI300X 192GB"), "MI300X");
    assert.equal(shortTitle("AMD EPYC 9654, 384 GB"), "EPYC 9654");
    assert.equal(shortTitle("my card"), "my card");
  });

  it("stay chosen, one at least and four at most", () => {
    const devices = new Devices();
    const [first, second] = devices.chosen;
    assert.ok(devices.choose(second, false));
    assert.ok(!devices.choose(first, false));
    assert.deepEqual(devices.chosen, [first]);
    for (const name of ["t4", "l4", "h200"]) assert.ok(devices.choose(name, true));
    assert.ok(!devices.choose("b200", true));
  });

  it("come from files, in the place of one of the same name", () => {
    const devices = new Devices();
    devices.add({ name: "mine", yaml: "memory: {total: 1 GiB}" });
    devices.add({ name: "mine", yaml: "memory: {total: 2 GiB}" });
    assert.equal(devices.chosen[0], "mine");
    assert.equal(devices.targetOf("mine"), "memory: {total: 2 GiB}");
    assert.equal(devices.targetOf("t4"), "t4");
    devices.remove("mine");
    assert.deepEqual(devices.added, []);
    assert.ok(!devices.isChosen("mine"));
  });

  it("are told from profiles of operators by what their files say", () => {
    assert.ok(isDeviceFile("name: mine\nmemory: {total: 8 GiB}\n"));
    assert.ok(!isDeviceFile("torch_version: 2.13.0\noperators:\n  mylib::f: []\n"));
  });
});
