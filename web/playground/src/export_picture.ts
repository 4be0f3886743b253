/** The whole picture as a file: SVG written from the display list, PNG painted from it. */
import { buildDisplayList } from "./display_list.js";
import type { Looks, Primitive } from "./primitives.js";
import type { Scene } from "./scene.js";
import type { Rect } from "./geometry.js";
import { kFaded, paint } from "./painter.js";
import { writePng } from "./png_writer.js";
import { kTextFonts, type Palette } from "./theme.js";

const kEntities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** Text of an XML document: its special letters escaped, and what it forbids (control characters) left out. */
export function escapeXml(text: string): string {
  const allowed = text.replace(/[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "");
  return allowed.replace(/[&<>"]/g, (letter) => kEntities.get(letter) ?? "");
}

/** `color` resolves a paint; passed rather than a Theme so that it can be tested without a page. */
export function toSvg(
  list: readonly Primitive[],
  bounds: Rect,
  color: (paint: Parameters<Palette["color"]>[0]) => string,
): string {
  const margin = 16;
  const view = [bounds.x - margin, bounds.y - margin, bounds.w + 2 * margin, bounds.h + 2 * margin];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view.join(" ")}" width="${view[2]}" height="${view[3]}">`,
    `<rect x="${view[0]}" y="${view[1]}" width="${view[2]}" height="${view[3]}" fill="${color("canvas")}"/>`,
  ];
  for (const item of list) {
    const opacity = item.faded === true ? ` opacity="${kFaded}"` : "";
    if (item.kind === "box") {
      const { rect } = item;
      const stroke = item.stroke === null ? "none" : color(item.stroke);
      const dash = item.dashed ? ' stroke-dasharray="4 3"' : "";
      parts.push(
        `<rect x="${rect.x}" y="${rect.y}" width="${rect.w}" height="${rect.h}" rx="${item.radius}" fill="${
          item.fill === null ? "none" : color(item.fill)
        }" stroke="${stroke}" stroke-width="${item.strokeWidth}"${dash}${opacity}/>`,
      );
    } else if (item.kind === "line") {
      const path = Array.from({ length: item.end - item.first }, (_, i) => {
        const at = 2 * (item.first + i);
        return `${i === 0 ? "M" : "L"}${item.points[at]} ${item.points[at + 1]}`;
      }).join("");
      const x = item.points[2 * item.end - 2];
      const y = item.points[2 * item.end - 1];
      const arrow = item.arrow ? `M${x - 3.5} ${y - 5}L${x} ${y}L${x + 3.5} ${y - 5}` : "";
      parts.push(
        `<path d="${path}${arrow}" fill="none" stroke="${color(item.paint)}" stroke-width="${item.width}"${opacity}/>`,
      );
    } else {
      const anchor = { left: "start", center: "middle", right: "end" }[item.align];
      const { weight, family } = kTextFonts[item.font];
      const halo =
        item.halo === undefined ? "" : ` stroke="${color(item.halo)}" stroke-width="3" paint-order="stroke"`;
      parts.push(
        `<text x="${item.x}" y="${item.y}" dominant-baseline="central" text-anchor="${anchor}" font-family="${escapeXml(
          family,
        )}" font-weight="${weight}" font-size="${item.size}" fill="${color(item.paint)}"${halo}${opacity}>${escapeXml(item.text)}</text>`,
      );
    }
  }
  parts.push("</svg>");
  return parts.join("\n");
}

export function toSvgBlob(list: readonly Primitive[], bounds: Rect, theme: Palette): Blob {
  return new Blob([toSvg(list, bounds, (name) => theme.color(name))], { type: "image/svg+xml" });
}

/** Everything that is open, at full detail. */
export function wholePicture(scene: Scene, looks: Looks): Primitive[] {
  const viewport = scene.bounds;
  return buildDisplayList(scene, { ...looks, scale: 1, viewport, matches: new Set(), limit: Infinity });
}

/** Pixels of an exported PNG: what image viewers still open. A larger picture is drawn at a smaller scale. */
const kMostPixels = 200e6;
const kMargin = 16;

/** How many pixels a unit of the picture takes; below 1 texts are smaller than on the page. */
export function pngScale({ w, h }: Rect): number {
  return Math.min(2, Math.sqrt(kMostPixels / ((w + 2 * kMargin) * (h + 2 * kMargin))));
}

/** Painted in tiles: no canvas is as large as an opened model. */
export async function toPng(scene: Scene, looks: Looks, theme: Palette): Promise<Blob> {
  const { bounds } = scene;
  const scale = pngScale(bounds);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error("this browser gave no 2D canvas");
  const pixels = (length: number): number => Math.ceil((length + 2 * kMargin) * scale);
  return writePng(pixels(bounds.w), pixels(bounds.h), (tile) => {
    const { w, h } = tile;
    canvas.width = w;
    canvas.height = h;
    const viewport = {
      x: bounds.x - kMargin + tile.x / scale,
      y: bounds.y - kMargin + tile.y / scale,
      w: w / scale,
      h: h / scale,
    };
    const list = buildDisplayList(scene, { ...looks, scale, viewport, matches: new Set(), limit: Infinity });
    const camera = { x: viewport.x + viewport.w / 2, y: viewport.y + viewport.h / 2, scale };
    paint({ context, size: { w, h }, density: 1 }, list, camera, theme);
    return context.getImageData(0, 0, w, h).data;
  });
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 10_000);
}
