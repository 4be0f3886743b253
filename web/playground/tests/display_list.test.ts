import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildDisplayList } from "../src/display_list.js";
import { truncated, type DrawOptions, type Primitive } from "../src/primitives.js";
import { escapeXml, toSvg } from "../src/export_picture.js";
import { Scene } from "../src/scene.js";
import { sampleLayout, sampleModel } from "./sample.js";

const measure: DrawOptions["measure"] = (text, _font, size) => text.length * size * 0.6;

function whole({ width, height }: { width: number; height: number }): DrawOptions {
  return {
    scale: 1,
    viewport: { x: 0, y: 0, w: width, h: height },
    selection: null,
    matches: new Set<number>(),
    tints: null,
    vivid: null,
    traced: false,
    measure,
    limit: Infinity,
  };
}

function draw(options: Partial<DrawOptions> = {}, fails = false): { scene: Scene; list: Primitive[] } {
  const scene = new Scene(sampleModel(fails), sampleLayout(), [1]);
  return { scene, list: buildDisplayList(scene, { ...whole(sampleLayout()), ...options }) };
}

const texts = (list: Primitive[]): string[] =>
  list.flatMap((item) => (item.kind === "text" ? [item.text] : []));

describe("a display list", () => {
  it("names every node and module, with dtype letters and shapes along edges", () => {
    const shown = texts(draw().list);
    for (const text of ["x", "linear", "relu", "block.0", "block.1", "Block", "f32", "2×8"]) {
      assert.ok(shown.includes(text), `${text} in ${shown.join(" ")}`);
    }
  });

  it("skips what is outside the viewport with everything inside it", () => {
    const { list } = draw({ viewport: { x: 0, y: 250, w: 200, h: 150 } });
    assert.ok(!texts(list).includes("relu"));
    assert.ok(texts(list).includes("block.1"));
  });

  it("writes names in ten pixels and more, shapes and dtypes in nine, whatever the scale", () => {
    for (const scale of [0.3, 0.5, 0.7, 1]) {
      for (const item of draw({ scale }).list)
        if (item.kind === "text") {
          const isName = ["x", "linear", "relu", "block.0", "block.1"].includes(item.text);
          assert.ok(item.size * scale >= (isName ? 9.999 : 8.999), item.text);
        }
    }
  });

  it("leaves out the names of boxes that are lower than a line, and names the module around them", () => {
    const shown = texts(draw({ scale: 0.42 }).list);
    assert.ok(shown.includes("block.0") && !shown.includes("linear"), shown.join(" "));
  });

  it("writes no shape where a line runs", () => {
    const { scene, list } = draw();
    const labels = list.filter((item) => item.kind === "text" && item.text === "2×8");
    const lines = list.flatMap((item) => (item.kind === "line" ? [item] : []));
    assert.ok(labels.length > 0);
    for (const label of labels) {
      if (label.kind !== "text") continue;
      const right = label.x + measure(label.text, "mono", label.size);
      for (const { first, end } of lines)
        for (let i = first; i + 1 < end; i++) {
          const [x, y, toX, toY] = scene.points.subarray(2 * i, 2 * i + 4);
          const apart =
            Math.max(x, toX) < label.x ||
            Math.min(x, toX) > right ||
            Math.max(y, toY) < label.y - label.size / 2 ||
            Math.min(y, toY) > label.y + label.size / 2;
          assert.ok(apart, "a line runs through a shape");
        }
    }
  });

  it("draws an open module as one box where it is small on screen", () => {
    const boxes = draw({ scale: 0.2 }).list.filter((item) => item.kind === "box");
    assert.equal(boxes.length, 4);
  });

  it("marks the failing node, and the closed module that hides it", () => {
    const errors = draw({}, true).list.filter((item) => item.kind === "box" && item.stroke === "error");
    assert.deepEqual(
      errors.map((item) => item.kind === "box" && item.rect.y),
      [260],
    );
  });

  it("follows a selected node's values through the border of its module", () => {
    const { list } = draw({ selection: { kind: "node", row: 2 } });
    const ways = list.flatMap((item) => (item.kind === "line" ? [item.paint] : []));
    assert.equal(ways.filter((paint) => paint === "upstream").length, 2);
    assert.equal(ways.filter((paint) => paint === "downstream").length, 1);
  });

  it("frames the closed module, dashed, where the selected node is hidden in it", () => {
    const frame = draw({ selection: { kind: "node", row: 5 } }).list.at(-1);
    assert.ok(frame?.kind === "box" && frame.dashed && frame.rect.y === 260);
  });

  it("frames the readers of a selected parameter, dashed, which has no box of its own", () => {
    const frames = draw({ selection: { kind: "node", row: 0 } }).list.filter(
      (item) => item.kind === "box" && item.stroke === "selection" && item.dashed,
    );
    assert.deepEqual(
      frames.map((item) => item.kind === "box" && item.rect.y),
      [110, 260],
    );
  });

  it("draws the line of a value into an open module from its border on, below the title's letters", () => {
    const layout = sampleLayout();
    layout.edge.points[2 * layout.edge.pointStart[1] + 1] = 104;
    const list = buildDisplayList(new Scene(sampleModel(), layout, [1]), whole(layout));
    const into = list.findIndex((item) => item.kind === "line" && item.points[2 * item.first + 1] === 80);
    const title = list.findIndex((item) => item.kind === "text" && item.text === "block.0");
    assert.ok(into >= 0 && title > into);
  });

  it("keeps to its limit", () => {
    assert.ok(draw({ limit: 3 }).list.length < 10);
  });
});

describe("a scene", () => {
  const { scene } = draw();

  it("finds the innermost box at a point", () => {
    assert.equal(scene.boxAt(40, 120), 3);
    assert.equal(scene.boxAt(150, 210), 2);
    assert.equal(scene.boxAt(500, 500), -1);
  });

  it("knows where each subtree ends", () => {
    assert.deepEqual([...scene.subtreeEnd], [7, 2, 5, 4, 5, 6, 7]);
  });

  it("shows a folded weight nowhere", () => {
    assert.equal(scene.boxOf({ kind: "node", row: 0 }), -1);
  });
});

describe("truncation", () => {
  it("keeps what fits and ends with an ellipsis", () => {
    assert.equal(truncated("linear", 100, "plain", 10, measure), "linear");
    assert.equal(truncated("scaled_dot_product", 60, "plain", 10, measure), "scaled_do…");
    assert.equal(truncated("linear", 4, "plain", 10, measure), "");
    assert.equal(truncated("cumsum", 15, "plain", 10, measure), "");
  });
});

describe("the exported SVG", () => {
  it("holds every primitive, with labels as text only", () => {
    const { scene, list } = draw();
    const svg = toSvg(list, scene.bounds, (paint) => paint);
    assert.equal(svg.match(/<text /g)?.length, texts(list).length);
    assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="-16 -16 232 432"/);
  });

  it("escapes labels and drops what XML forbids", () => {
    assert.equal(escapeXml('<a href="x">&\u0000\u001f'), "&lt;a href=&quot;x&quot;&gt;&amp;");
  });
});
