/**
 * The graph on its canvas: holds the camera, turns wheel, pinch, drag and keys into camera moves and selections, and
 * repaints once per animation frame when something changed.
 *
 * Note [Panning]
 * The display list is built for more than the viewport, and kept while the camera stays inside what it was built for at
 * the same scale. A frame of a drag therefore only repaints a list that is already there.
 */
import type { Tints } from "./coloring.js";
import { buildDisplayList } from "./display_list.js";
import type { Looks, Measure, Primitive } from "./primitives.js";
import {
  clamped,
  contains,
  fitted,
  inflated,
  kLeastReadableScale,
  toWorld,
  visibleRect,
  zoomedAt,
  type Rect,
  type Size,
} from "./geometry.js";
import type { Selection } from "./model.js";
import { paint } from "./painter.js";
import { cameraOn, type Scene } from "./scene.js";
import type { Camera } from "./state.js";
import type { Palette } from "./theme.js";

export interface CanvasEvents {
  /** `reveal`: it may be out of sight (keys); what was pressed is in sight already, and must not move. */
  select(selection: Selection | null, reveal: boolean): void;
  toggle(moduleId: number): void;
  /** The camera came to rest after the user moved it. */
  moved(camera: Camera): void;
  /** The pointer is on a box, -1 for none, at a place of the window. */
  hovered(box: number, x: number, y: number): void;
  /** Every frame in which the picture moved: the minimap follows. */
  painted(camera: Camera, size: Size): void;
}

const kPrimitiveLimit = 12_000;
const kMargin = 0.35;
const kFlashMilliseconds = 1100;
const kSettleMilliseconds = 350;

export class CanvasView {
  camera: Camera = { x: 0, y: 0, scale: 1 };
  private scene: Scene | null = null;
  private selection: Selection | null = null;
  private matches: ReadonlySet<number> = new Set();
  private tints: Tints | null = null;
  private vivid: ReadonlySet<number> | null = null;
  private traced = false;
  private flashing: { boxes: readonly number[]; since: number } | null = null;
  private size: Size = { w: 1, h: 1 };
  private cached: { list: Primitive[]; covers: Rect; scale: number } | null = null;
  private frame = 0;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private readonly context: CanvasRenderingContext2D;
  private readonly stillness = matchMedia("(prefers-reduced-motion: reduce)");
  /** Shown and fitted until the user moves it: a resize then fits again. */
  private untouched = true;

  constructor(
    private readonly stage: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly theme: Palette,
    private readonly measure: Measure,
    private readonly events: CanvasEvents,
  ) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("this browser gave no 2D canvas");
    this.context = context;
    new ResizeObserver(() => {
      this.resize();
    }).observe(stage);
    this.resize();
    this.listenToPointers();
    this.listenToKeys();
  }

  /** A new picture. The camera stays unless `fit`; a caller that wants a box to stay in place moves it before. */
  show(scene: Scene, fit: boolean): void {
    this.scene = scene;
    this.flashing = null;
    if (fit) this.fit();
    this.redraw();
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.redraw();
  }

  highlight(boxes: ReadonlySet<number>): void {
    this.matches = boxes;
    this.redraw();
  }

  /** What boxes are coloured by, and which of them stay while the others fade; null: nothing, all. */
  overlay(tints: Tints | null, vivid: ReadonlySet<number> | null): void {
    this.tints = tints;
    this.vivid = vivid;
    this.redraw();
  }

  /** Marks boxes for a moment; without motion where the system asks for none. */
  flash(boxes: readonly number[]): void {
    this.flashing = { boxes, since: performance.now() };
    this.schedule();
  }

  /** How the picture is drawn, but for where it stands. */
  get looks(): Looks {
    const { selection, measure, tints, traced } = this;
    return { selection, measure, tints, traced, vivid: this.vivid ?? this.boxesOnTheWay() };
  }

  /** Shows all that the selection depends on and all that depends on it, or only its neighbours again. */
  trace(traced: boolean): void {
    this.traced = traced;
    this.redraw();
  }

  private boxesOnTheWay(): ReadonlySet<number> | null {
    const { scene, selection } = this;
    const box = scene === null || selection === null || !this.traced ? -1 : scene.boxOf(selection);
    if (scene === null || box < 0 || scene.open[box] === 1) return null;
    return new Set([...scene.wayOf(box, "into").boxes, ...scene.wayOf(box, "outOf").boxes]);
  }

  /** Builds the list anew and paints it with the next frame. */
  redraw(): void {
    this.cached = null;
    this.schedule();
  }

  /** Moves the camera so that a module which was opened or closed keeps its corner on screen. */
  keepCorner(before: Scene, after: Scene, module: Selection): void {
    const old = before.boxOf(module);
    const now = after.boxOf(module);
    if (old < 0 || now < 0) return;
    const from = before.rectOf(old);
    const to = after.rectOf(now);
    const { x, y, scale } = this.camera;
    const kept = clamped(
      { x: x + to.x + to.w / 2 - from.x - from.w / 2, y: y + to.y - from.y, scale },
      after.bounds,
    );
    const isReadable = (camera: Camera): boolean => after.showsName(visibleRect(camera, this.size));
    // The middle of a wide module may be empty ground: then it moves sideways, and if that is not enough, up.
    const first = after.rectOf(after.firstIn(now));
    const aside = { ...kept, x: first.x + first.w / 2 };
    this.setCamera(
      !before.showsName(visibleRect(this.camera, this.size)) || isReadable(kept)
        ? kept
        : isReadable(aside)
          ? aside
          : cameraOn(after, now, this.size),
    );
  }

  /** The camera never leaves the picture. */
  setCamera(camera: Camera): void {
    this.camera = this.scene === null ? camera : clamped(camera, this.scene.bounds);
    this.untouched = false;
    this.schedule();
  }

  fit(): void {
    if (this.scene === null) return;
    this.camera = cameraOn(this.scene, 0, this.size);
    this.untouched = true;
    this.schedule();
  }

  /** Whether a camera shows any box of a picture. */
  shows(scene: Scene, camera: Camera): boolean {
    return scene.showsBox(visibleRect(clamped(camera, scene.bounds), this.size));
  }

  /** The whole graph, however small. */
  fitWhole(): void {
    if (this.scene === null) return;
    this.moveTo(fitted(this.scene.bounds, this.size, 1.25));
  }

  /** Brings a box into view, and near enough to be read. */
  reveal(box: number): void {
    if (this.scene === null || box < 0) return;
    const rect = this.scene.rectOf(box);
    const scale = this.camera.scale < kLeastReadableScale ? 0.9 : this.camera.scale;
    const shown = visibleRect({ ...this.camera, scale }, this.size);
    const fits = rect.w < shown.w && rect.h < shown.h;
    const inner = inflated(shown, -0.08);
    if (scale === this.camera.scale && fits && contains(inner, rect)) return;
    this.setCamera(
      fits ? { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2, scale } : cameraOn(this.scene, box, this.size),
    );
  }

  zoom(factor: number): void {
    this.moveTo(zoomedAt(this.camera, this.size, this.size.w / 2, this.size.h / 2, factor));
  }

  /** A move by the user: it is kept in the history once it has settled. */
  moveTo(camera: Camera): void {
    this.setCamera(camera);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.events.moved(this.camera);
    }, kSettleMilliseconds);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.stage;
    const density = window.devicePixelRatio;
    this.size = { w: Math.max(1, clientWidth), h: Math.max(1, clientHeight) };
    this.canvas.width = Math.round(this.size.w * density);
    this.canvas.height = Math.round(this.size.h * density);
    if (this.untouched) this.fit();
    this.redraw();
    this.paintNow();
  }

  private schedule(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paintNow();
    });
  }

  private paintNow(): void {
    const target = { context: this.context, size: this.size, density: window.devicePixelRatio };
    paint(target, this.displayList(), this.camera, this.theme);
    this.paintFlash();
    this.events.painted(this.camera, this.size);
  }

  private displayList(): Primitive[] {
    if (this.scene === null) return [];
    const shown = visibleRect(this.camera, this.size);
    const { scale } = this.camera;
    if (this.cached?.scale !== scale || !contains(this.cached.covers, shown)) {
      const covers = inflated(shown, kMargin);
      const { matches } = this;
      const options = { ...this.looks, matches, scale, viewport: covers, limit: kPrimitiveLimit };
      this.cached = { list: buildDisplayList(this.scene, options), covers, scale };
    }
    return this.cached.list;
  }

  private paintFlash(): void {
    if (this.flashing === null || this.scene === null) return;
    const age = performance.now() - this.flashing.since;
    if (age > kFlashMilliseconds) {
      this.flashing = null;
      return;
    }
    const { context, scene } = this;
    const shown = visibleRect(this.camera, this.size);
    context.globalAlpha = this.stillness.matches ? 0.35 : 0.6 * (1 - age / kFlashMilliseconds) ** 2;
    context.fillStyle = this.theme.color("flash");
    for (const box of this.flashing.boxes) {
      const rect = scene.rectOf(box);
      const outside =
        rect.x > shown.x + shown.w ||
        rect.x + rect.w < shown.x ||
        rect.y > shown.y + shown.h ||
        rect.y + rect.h < shown.y;
      if (!outside) context.fillRect(rect.x - 3, rect.y - 3, rect.w + 6, rect.h + 6);
    }
    context.globalAlpha = 1;
    if (this.stillness.matches)
      setTimeout(
        () => {
          this.schedule();
        },
        kFlashMilliseconds - age + 20,
      );
    else this.schedule();
  }

  private positionOf(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private boxUnder(event: MouseEvent): number {
    if (this.scene === null) return -1;
    const { x, y } = this.positionOf(event);
    const world = toWorld(this.camera, this.size, x, y);
    const box = this.scene.boxAt(world.x, world.y);
    return box > 0 || (box === 0 && this.scene.open[0] === 0) ? box : -1;
  }

  private listenToPointers(): void {
    const { stage } = this;
    const pointers = new Map<number, { x: number; y: number }>();
    let travelled = 0;
    stage.addEventListener("pointerleave", () => {
      this.events.hovered(-1, 0, 0);
    });
    stage.addEventListener("pointerdown", (event) => {
      this.events.hovered(-1, 0, 0);
      if (event.button !== 0 && event.button !== 1) return;
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, this.positionOf(event));
      if (pointers.size === 1) travelled = 0;
    });
    stage.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) {
        const box = this.boxUnder(event);
        stage.classList.toggle("over-box", box >= 0);
        this.events.hovered(event.pointerType === "mouse" ? box : -1, event.clientX, event.clientY);
        return;
      }
      const now = this.positionOf(event);
      const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      pointers.set(event.pointerId, now);
      travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (travelled < 4) return;
      stage.classList.add("dragging");
      if (others.length === 0) this.panBy(before.x - now.x, before.y - now.y);
      else this.pinch(before, now, others[0]);
    });
    const release = (event: PointerEvent): void => {
      const known = pointers.delete(event.pointerId);
      if (pointers.size === 0) stage.classList.remove("dragging");
      if (!known || event.type === "pointercancel" || travelled >= 4 || event.button !== 0) return;
      const box = this.boxUnder(event);
      this.events.select(box < 0 || this.scene === null ? null : this.scene.selectionOf(box), false);
    };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("dblclick", (event) => {
      const box = this.boxUnder(event);
      if (box < 0 || this.scene === null) return;
      const selection = this.scene.selectionOf(box);
      if (selection.kind === "module") this.events.toggle(selection.id);
    });
    stage.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.wheel(event);
      },
      { passive: false },
    );
  }

  /** A wheel zooms; two fingers on a touchpad pan (they send small steps in both directions) and pinch (ctrlKey). */
  private wheel(event: WheelEvent): void {
    const unit =
      event.deltaMode === WheelEvent.DOM_DELTA_LINE
        ? 16
        : event.deltaMode === WheelEvent.DOM_DELTA_PAGE
          ? 400
          : 1;
    const { x, y } = this.positionOf(event);
    const isWheel =
      event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL || (event.deltaX === 0 && Math.abs(event.deltaY) >= 50);
    if (event.shiftKey) this.panBy((event.deltaX + event.deltaY) * unit, 0);
    else if (event.ctrlKey || event.metaKey)
      this.moveTo(zoomedAt(this.camera, this.size, x, y, Math.exp(-event.deltaY * unit * 0.01)));
    else if (isWheel)
      this.moveTo(zoomedAt(this.camera, this.size, x, y, Math.exp(-event.deltaY * unit * 0.0016)));
    else this.panBy(event.deltaX * unit, event.deltaY * unit);
  }

  private panBy(x: number, y: number): void {
    const { scale } = this.camera;
    this.moveTo({ x: this.camera.x + x / scale, y: this.camera.y + y / scale, scale });
  }

  private pinch(
    before: { x: number; y: number },
    now: { x: number; y: number },
    other: { x: number; y: number },
  ): void {
    const distance = (point: { x: number; y: number }): number =>
      Math.hypot(point.x - other.x, point.y - other.y);
    const factor = distance(now) / Math.max(1, distance(before));
    this.moveTo(zoomedAt(this.camera, this.size, (now.x + other.x) / 2, (now.y + other.y) / 2, factor));
    this.panBy((before.x - now.x) / 2, (before.y - now.y) / 2);
  }

  private listenToKeys(): void {
    this.stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.handleKey(event.key, event.shiftKey)) event.preventDefault();
    });
  }

  private handleKey(key: string, shift: boolean): boolean {
    const step = 80;
    switch (key) {
      case "ArrowLeft":
        return this.arrow(-1, 0, shift, step);
      case "ArrowRight":
        return this.arrow(1, 0, shift, step);
      case "ArrowUp":
        return this.arrow(0, -1, shift, step);
      case "ArrowDown":
        return this.arrow(0, 1, shift, step);
      case "Enter":
      case " ":
        if (this.selection?.kind === "module") this.events.toggle(this.selection.id);
        return true;
      default:
        return false;
    }
  }

  /** Arrows walk from box to box; with shift, or with nothing drawn to walk to, they move the picture. */
  private arrow(x: number, y: number, shift: boolean, step: number): boolean {
    const next = shift ? -1 : this.neighbour(x, y);
    if (next >= 0 && this.scene !== null) this.events.select(this.scene.selectionOf(next), true);
    else this.panBy(x * step, y * step);
    return true;
  }

  /** The nearest box in a direction; boxes straight ahead are preferred to those aside. */
  private neighbour(x: number, y: number): number {
    const { scene } = this;
    if (scene === null) return -1;
    const { box } = scene.layout;
    const start = this.selection === null ? -1 : scene.boxOf(this.selection);
    if (start < 0) return box.count > 1 ? 1 : -1;
    const from = scene.rectOf(start);
    const fromX = from.x + from.w / 2;
    const fromY = scene.open[start] ? from.y : from.y + from.h / 2;
    let best = -1;
    let bestCost = Infinity;
    for (let i = 1; i < box.count; i++) {
      if (i === start) continue;
      const height = scene.open[i] ? 0 : box.h[i] / 2;
      const ahead = x !== 0 ? (box.x[i] + box.w[i] / 2 - fromX) * x : (box.y[i] + height - fromY) * y;
      const aside = Math.abs(x !== 0 ? box.y[i] + height - fromY : box.x[i] + box.w[i] / 2 - fromX);
      const cost = ahead + 2.5 * aside;
      if (ahead > 1 && cost < bestCost) {
        best = i;
        bestCost = cost;
      }
    }
    return best;
  }
}
