/**
 * Where labels may stand: not over each other, and not where a line runs. A coarse grid of what is there; only what a
 * screen shows is put into it.
 */
import { overlaps, type Rect } from "./geometry.js";

const kColumns = 2 ** 20;

export class LabelRoom {
  private readonly taken = new Map<number, Rect[]>();

  /** `cell`: width and height of the grid's cells, about those of a label. */
  constructor(private readonly cell: number) {}

  /** Something that labels keep away from, as far as it lies in `view`. */
  add(rect: Rect, view: Rect): void {
    const left = Math.max(rect.x, view.x);
    const top = Math.max(rect.y, view.y);
    const right = Math.min(rect.x + rect.w, view.x + view.w);
    const bottom = Math.min(rect.y + rect.h, view.y + view.h);
    if (left <= right && top <= bottom) this.put({ x: left, y: top, w: right - left, h: bottom - top });
  }

  /** False if something is there; otherwise the place is taken from now on. */
  claim(rect: Rect): boolean {
    const meets = (key: number): boolean =>
      (this.taken.get(key) ?? []).some((other) => overlaps(rect, other));
    if (this.cellsOf(rect).some(meets)) return false;
    this.put(rect);
    return true;
  }

  private put(rect: Rect): void {
    for (const key of this.cellsOf(rect)) {
      const known = this.taken.get(key);
      if (known === undefined) this.taken.set(key, [rect]);
      else known.push(rect);
    }
  }

  private cellsOf({ x, y, w, h }: Rect): number[] {
    const { cell } = this;
    const keys: number[] = [];
    for (let row = Math.floor(y / cell); row <= Math.floor((y + h) / cell); row++)
      for (let column = Math.floor(x / cell); column <= Math.floor((x + w) / cell); column++)
        keys.push(row * kColumns + column);
    return keys;
  }
}
