/** Points and rectangles of the picture. World units are the layout's; screen units are CSS pixels. */
import type { Camera } from "./state.js";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Size {
  readonly w: number;
  readonly h: number;
}

export const kSmallestScale = 0.002;
export const kLargestScale = 4;

export function clampScale(scale: number): number {
  return Math.min(kLargestScale, Math.max(kSmallestScale, scale));
}

/** The part of the world that a canvas of this size shows. */
export function visibleRect(camera: Camera, canvas: Size): Rect {
  const w = canvas.w / camera.scale;
  const h = canvas.h / camera.scale;
  return { x: camera.x - w / 2, y: camera.y - h / 2, w, h };
}

export function inflated(rect: Rect, share: number): Rect {
  return {
    x: rect.x - rect.w * share,
    y: rect.y - rect.h * share,
    w: rect.w * (1 + 2 * share),
    h: rect.h * (1 + 2 * share),
  };
}

export function contains(outer: Rect, inner: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.w <= outer.x + outer.w &&
    inner.y + inner.h <= outer.y + outer.h
  );
}

export function toWorld(
  camera: Camera,
  canvas: Size,
  screenX: number,
  screenY: number,
): { x: number; y: number } {
  return {
    x: camera.x + (screenX - canvas.w / 2) / camera.scale,
    y: camera.y + (screenY - canvas.h / 2) / camera.scale,
  };
}

/** The camera after zooming by `factor` with the world point under (screenX, screenY) standing still. */
export function zoomedAt(
  camera: Camera,
  canvas: Size,
  screenX: number,
  screenY: number,
  factor: number,
): Camera {
  const scale = clampScale(camera.scale * factor);
  const fixed = toWorld(camera, canvas, screenX, screenY);
  return {
    x: fixed.x - (screenX - canvas.w / 2) / scale,
    y: fixed.y - (screenY - canvas.h / 2) / scale,
    scale,
  };
}

/** A graph that would need a smaller scale than this to fit is shown from its beginning, */
export const kReadableScale = 0.85;
/** and not smaller than this, so that all letters can be told: shapes and dtypes are written smaller than names. */
export const kLeastReadableScale = 0.765;
/** Pixels around what is brought into view. */
const kMargin = 24;

/** The camera that shows a rectangle whole, however small. */
export function fitted(rect: Rect, canvas: Size, largest: number): Camera {
  const w = Math.max(1, canvas.w - 2 * kMargin);
  const h = Math.max(1, canvas.h - 2 * kMargin);
  const scale = clampScale(Math.min(w / Math.max(1, rect.w), h / Math.max(1, rect.h), largest));
  return { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2, scale };
}

/**
 * The camera on the beginning of what is too large to be read as a whole: its top, and of that the part around `first`,
 * the box that it begins with. As wide as can be while it can be read.
 */
export function beginning(rect: Rect, first: Rect, canvas: Size): Camera {
  const across = Math.max(1, canvas.w - 2 * kMargin) / Math.max(1, rect.w);
  const scale = Math.min(kReadableScale, Math.max(across, kLeastReadableScale));
  const margin = kMargin / scale;
  const w = canvas.w / scale;
  const h = canvas.h / scale;
  return { x: startOf(rect, first, w, margin) + w / 2, y: topOf(rect, first, h, margin) + h / 2, scale };
}

/** Left end of a view: `first` in the middle, but no more empty ground beside the picture than need be. */
function startOf(rect: Rect, first: Rect, w: number, margin: number): number {
  if (rect.w + 2 * margin <= w) return rect.x + rect.w / 2 - w / 2;
  // Of a box wider than the view only the beginning counts, where its name stands.
  const wanted = first.w + 2 * margin <= w ? first.x + first.w / 2 - w / 2 : first.x - margin;
  return Math.max(rect.x - margin, Math.min(wanted, rect.x + rect.w + margin - w));
}

function topOf(rect: Rect, first: Rect, h: number, margin: number): number {
  const top = rect.y - margin;
  const isInView = first.y + Math.min(first.h, h - 2 * margin) + margin <= top + h;
  return isInView ? top : first.y - Math.min(margin, Math.max(0, h - first.h) / 2);
}

/** A camera that looks at the picture, wherever the given one looks. */
export function clamped({ x, y, scale }: Camera, bounds: Rect): Camera {
  return {
    x: Math.min(Math.max(x, bounds.x), bounds.x + bounds.w),
    y: Math.min(Math.max(y, bounds.y), bounds.y + bounds.h),
    scale: clampScale(scale),
  };
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
}
