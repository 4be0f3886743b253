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

/**
 * The camera that shows a rectangle whole. A graph much larger than the canvas would become unreadable: below `readable`
 * the camera shows the rectangle's beginning instead, as wide as it can without going far below that scale.
 */
export function fitted(rect: Rect, canvas: Size, largest: number, readable = 0, margin = 24): Camera {
  const w = Math.max(1, canvas.w - 2 * margin);
  const h = Math.max(1, canvas.h - 2 * margin);
  const middle = rect.x + rect.w / 2;
  const whole = Math.min(w / Math.max(1, rect.w), h / Math.max(1, rect.h), largest);
  if (whole >= readable) return { x: middle, y: rect.y + rect.h / 2, scale: clampScale(whole) };
  const scale = clampScale(Math.min(readable, Math.max(w / rect.w, readable * 0.75)));
  return { x: middle, y: rect.y - margin / scale + canvas.h / scale / 2, scale };
}
