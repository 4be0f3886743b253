import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tintsOf } from "../src/coloring.js";
import type { RunCosts } from "../src/engine.js";
import { MemoryProfile } from "../src/memory_profile.js";
import { Scene } from "../src/scene.js";
import { placeOfRow, rowAt, stripPicture } from "../src/strip_picture.js";
import { TimeProfile } from "../src/time_profile.js";
import { sampleLayout, sampleModel } from "./sample.js";

/**
 * weight 256 and x 64 are held; linear brings 64, on which relu stands too; linear_1 brings 640 with 100 inside of it,
 * relu_1 64, which is the output.
 */
const kCosts: RunCosts = {
  kinds: ["parameters", "buffers", "constants", "inputs", "outputs", "activations", "temporaries"],
  storages: {
    row: [0, 1, 2, 4, 5],
    until: [-1, -1, 4, 5, -1],
    kind: [0, 3, 5, 5, 4],
    bytes: [256, 64, 64, 640, 64],
  },
  temporaries: { row: [4], bytes: [100] },
  flops: { row: [2, 4], flops: [256, 1024] },
  unknown: 0,
};

const model = sampleModel();
const profile = new MemoryProfile(model, kCosts);

describe("memory over time", () => {
  it("has what is alive while each row runs, temporaries included", () => {
    assert.deepEqual([...profile.alive], [320, 320, 384, 384, 1124, 1024, 384]);
    assert.equal(profile.held, 320);
    assert.deepEqual([profile.peakRow, profile.peak], [4, 1124]);
  });

  it("names who holds it, the most first, and until when", () => {
    assert.deepEqual(
      profile.holders(4).map(({ row, bytes, until }) => [row, bytes, until]),
      [
        [4, 640, 5],
        [0, 256, null],
        [4, 100, 4],
        [1, 64, null],
        [2, 64, 4],
      ],
    );
  });

  it("knows the rows that stand on what is alive, views among them", () => {
    assert.deepEqual([...profile.rowsAlive(4)].sort(), [0, 1, 2, 3, 4]);
  });

  it("stacks by kind and by module to the same sum", () => {
    for (const stacking of ["kind", "module"] as const) {
      const layers = profile.layers(stacking);
      for (let row = profile.first; row < profile.length; row++) {
        const sum = layers.reduce((total, { bytes }) => total + bytes[row], 0);
        assert.equal(sum + profile.held, profile.alive[row], `${stacking} at ${row}`);
      }
    }
    assert.deepEqual(
      profile.layers("module").map(({ name }) => name),
      ["block.0", "block.1", "temporaries"],
    );
  });

  it("adds up what modules bring and compute", () => {
    assert.deepEqual([profile.bytesIn(1), profile.bytesIn(2), profile.bytesIn(0)], [64, 704, 768]);
    assert.deepEqual([profile.flopsIn(2), profile.totalFlops], [1024, 1280]);
  });
});

describe("the strip", () => {
  it("shows of each column the row with most alive, so that the peak is never lost", () => {
    const picture = stripPicture(profile, profile.layers("kind"), 2, 100);
    assert.deepEqual([...picture.rows], [2, 4]);
    assert.equal(picture.isCut, false);
  });

  it("cuts what is held all the time where it would leave no room", () => {
    const bytes = [...kCosts.storages.bytes];
    bytes[0] = 1e9;
    const heavy = new MemoryProfile(model, { ...kCosts, storages: { ...kCosts.storages, bytes } });
    const { base, isCut, perByte } = stripPicture(heavy, heavy.layers("kind"), 10, 100);
    assert.ok(isCut && base < 20);
    assert.equal(base + perByte * (heavy.peak - heavy.held), 100);
  });

  it("finds the row at a place, and the place of a row", () => {
    assert.equal(rowAt(profile, 0), 2);
    assert.equal(rowAt(profile, 1), 6);
    assert.equal(rowAt(profile, placeOfRow(profile, 4)), 4);
  });
});

describe("colours", () => {
  const scene = new Scene(model, sampleLayout(), [1]);

  it("say how many bytes each box brings, the most the hottest", () => {
    const tints = tintsOf("bytes", scene, profile, null, null);
    assert.deepEqual(tints?.(3), { fill: "heat-2", label: "64 B" });
    assert.deepEqual(tints(5), { fill: "heat-5", label: "704 B" });
    assert.deepEqual(tints(4), { fill: "heat-0", label: "" });
  });

  it("say FLOPs with a decimal unit", () => {
    assert.equal(tintsOf("flops", scene, profile, null, null)?.(5)?.label, "1.02 kFLOP");
  });

  it("say how long each box takes, and a module with what is below it", () => {
    const time = new TimeProfile(model, {
      target: "h100-sxm",
      seconds: 5e-5,
      calls: 2,
      samples: 2,
      tokens: 0,
      bounds: { compute: 0, memory: 5e-5, launch: 0 },
      kinds: {},
      nodes: [{ row: 2, name: "linear", seconds: 4e-5, bound: "memory", calls: 1 }],
      modules: { "block.1": 1e-5 },
    });
    const tints = tintsOf("time", scene, profile, null, time);
    assert.equal(tints?.(3)?.label, "40.0 µs");
    assert.equal(tints(5)?.label, "10.0 µs");
    assert.equal(time.secondsIn(0), 5e-5);
  });

  it("wait for what is not known yet, and are none where none are wanted", () => {
    assert.equal(tintsOf("bytes", scene, null, null, null), null);
    assert.equal(tintsOf("plain", scene, profile, null, null), null);
  });
});
