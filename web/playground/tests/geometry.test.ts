import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  beginning,
  clamped,
  clampScale,
  fitted,
  kLeastReadableScale,
  kReadableScale,
  overlaps,
  toWorld,
  visibleRect,
  zoomedAt,
  type Rect,
  type Size,
} from "../src/geometry.js";
import { Scene, kNameIndent } from "../src/scene.js";
import { sampleLayout, sampleModel } from "./sample.js";

/** Numbers below one, the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Case {
  readonly picture: Rect;
  readonly first: Rect;
  readonly canvas: Size;
}

/** Pictures from a few boxes to those of 100,000 nodes, with their first box anywhere in them, on canvases of any size. */
function cases(): Case[] {
  const random = randomNumbers(1);
  const between = (low: number, high: number): number => low + (high - low) * random();
  return Array.from({ length: 5000 }, () => {
    const w = 10 ** between(1.5, 5);
    const h = 10 ** between(1.5, 6);
    const picture = { x: between(-500, 500), y: between(-500, 500), w, h };
    const inner = { w: Math.min(w, 10 ** between(1, 3)), h: Math.min(h, between(24, 40)) };
    const first = {
      ...inner,
      x: picture.x + random() * (w - inner.w),
      y: picture.y + random() * (h - inner.h),
    };
    return { picture, first, canvas: { w: between(240, 2500), h: between(120, 1500) } };
  });
}

/** Where the name of a box begins. */
function nameOf({ x, y, h }: Rect): Rect {
  return { x: x + kNameIndent, y: y + h / 2, w: 0, h: 0 };
}

describe("the camera on the beginning of a picture", () => {
  it("shows the name of its first box, and can be read", () => {
    for (const { picture, first, canvas } of cases()) {
      const camera = beginning(picture, first, canvas);
      const what = JSON.stringify({ picture, first, canvas, camera });
      assert.ok(overlaps(nameOf(first), visibleRect(camera, canvas)), what);
      assert.ok(camera.scale >= kLeastReadableScale && camera.scale <= kReadableScale, what);
    }
  });

  it("stands at the top of the picture where the first box does", () => {
    for (const { picture, first, canvas } of cases()) {
      const camera = beginning(picture, { ...first, y: picture.y }, canvas);
      const top = visibleRect(camera, canvas).y;
      assert.ok(Math.abs(top - (picture.y - 24 / camera.scale)) < 1e-6);
    }
  });

  it("shows no more empty ground beside the picture than a margin, unless all of its width is in view", () => {
    for (const { picture, first, canvas } of cases()) {
      const camera = beginning(picture, first, canvas);
      const { x, w } = visibleRect(camera, canvas);
      const margin = 24 / camera.scale + 1e-6;
      const isWhole = x <= picture.x && x + w >= picture.x + picture.w;
      const fills = x >= picture.x - margin && x + w <= picture.x + picture.w + margin;
      assert.ok(isWhole || fills, JSON.stringify({ picture, first, canvas, camera }));
    }
  });
});

describe("a camera", () => {
  it("keeps the point under the pointer while zooming", () => {
    const canvas = { w: 800, h: 600 };
    const before = { x: 10, y: 20, scale: 0.5 };
    const after = zoomedAt(before, canvas, 100, 50, 1.7);
    const [then, now] = [before, after].map((camera) => toWorld(camera, canvas, 100, 50));
    assert.ok(Math.abs(then.x - now.x) + Math.abs(then.y - now.y) < 1e-9);
  });

  it("stays within the scales it knows", () => {
    assert.equal(clampScale(1e9), 4);
  });

  it("that fits a picture shows all of it", () => {
    for (const { picture, canvas } of cases()) {
      const shown = visibleRect(fitted(picture, canvas, 1.25), canvas);
      assert.ok(Math.abs(shown.x + shown.w / 2 - picture.x - picture.w / 2) < 1e-6);
      // Below the smallest scale there is nothing to fit any more.
      if (Math.max(picture.w / canvas.w, picture.h / canvas.h) > 300) continue;
      assert.ok(overlaps({ ...picture, w: 0, h: 0 }, shown));
    }
  });

  it("cannot leave the picture, whatever it is asked", () => {
    const bounds = { x: 0, y: 0, w: 300, h: 200 };
    assert.deepEqual(clamped({ x: 1e308, y: -1e308, scale: 1e9 }, bounds), { x: 300, y: 0, scale: 4 });
    assert.deepEqual(clamped({ x: 10, y: 20, scale: 1e-9 }, bounds), { x: 10, y: 20, scale: 0.002 });
    assert.deepEqual(clamped({ x: 10, y: 20, scale: 1 }, bounds), { x: 10, y: 20, scale: 1 });
  });
});

describe("a scene", () => {
  const scene = new Scene(sampleModel(), sampleLayout(), [1]);

  it("begins with the input, a module with its first node, and a node with itself", () => {
    assert.equal(scene.firstIn(0), 1);
    assert.equal(scene.firstIn(2), 3);
    assert.equal(scene.firstIn(5), 5);
  });

  it("knows what a view shows", () => {
    const view = (x: number, y: number): Rect => ({ x, y, w: 30, h: 30 });
    assert.ok(scene.showsName(view(20, 20)));
    assert.ok(scene.showsBox(view(100, 20)) && !scene.showsName(view(100, 20)));
    assert.ok(!scene.showsBox(view(150, 45)));
  });
});
