/**
 * The overview in the corner: the large boxes of the picture, painted once per picture, and the canvas's viewport on top
 * of them. A press or a drag moves the canvas there. It disappears while the canvas shows everything, and it is hidden from
 * screen readers, since it repeats what the canvas shows.
 */
import { Status } from "./engine.js";
import { contains, visibleRect, type Size } from "./geometry.js";
import type { Scene } from "./scene.js";
import type { Camera } from "./state.js";
import type { Theme } from "./theme.js";

const kPadding = 6;

export class Minimap {
  private scene: Scene | null = null;
  private picture: HTMLCanvasElement | null = null;
  private shown = "";
  private readonly context: CanvasRenderingContext2D | null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly theme: Theme,
    private readonly moveTo: (x: number, y: number) => void,
  ) {
    this.context = canvas.getContext("2d");
    const follow = (event: PointerEvent): void => {
      if (this.scene === null || event.buttons !== 1) return;
      const box = canvas.getBoundingClientRect();
      const { scale, left, top } = this.placement();
      this.moveTo((event.clientX - box.left - left) / scale, (event.clientY - box.top - top) / scale);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      follow(event);
    });
    canvas.addEventListener("pointermove", follow);
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.forget();
  }

  /** The colours changed. */
  forget(): void {
    this.picture = null;
    this.shown = "";
  }

  private placement(): { scale: number; left: number; top: number } {
    const { w, h } = this.scene?.bounds ?? { w: 1, h: 1 };
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const scale = Math.min((width - 2 * kPadding) / w, (height - 2 * kPadding) / h);
    return { scale, left: (width - w * scale) / 2, top: (height - h * scale) / 2 };
  }

  paint(camera: Camera, size: Size): void {
    const { context, scene } = this;
    if (scene !== null) this.canvas.hidden = contains(visibleRect(camera, size), scene.bounds);
    const key = `${camera.x} ${camera.y} ${camera.scale} ${size.w} ${size.h}`;
    if (context === null || scene === null || key === this.shown || this.canvas.clientWidth === 0) return;
    this.shown = key;
    this.picture ??= this.paintPicture(scene);
    const density = window.devicePixelRatio;
    const { scale, left, top } = this.placement();
    const view = visibleRect(camera, size);
    this.canvas.width = this.picture.width;
    this.canvas.height = this.picture.height;
    context.drawImage(this.picture, 0, 0);
    context.setTransform(density, 0, 0, density, 0, 0);
    context.strokeStyle = this.theme.color("selection");
    context.lineWidth = 1.5;
    const x = Math.max(1, view.x * scale + left);
    const y = Math.max(1, view.y * scale + top);
    const right = Math.min(this.canvas.clientWidth - 1, (view.x + view.w) * scale + left);
    const bottom = Math.min(this.canvas.clientHeight - 1, (view.y + view.h) * scale + top);
    context.strokeRect(x, y, Math.max(2, right - x), Math.max(2, bottom - y));
  }

  private paintPicture(scene: Scene): HTMLCanvasElement {
    const density = window.devicePixelRatio;
    const picture = document.createElement("canvas");
    picture.width = Math.max(1, Math.round(this.canvas.clientWidth * density));
    picture.height = Math.max(1, Math.round(this.canvas.clientHeight * density));
    const context = picture.getContext("2d");
    if (context === null) return picture;
    context.fillStyle = this.theme.color("canvas");
    context.fillRect(0, 0, picture.width, picture.height);
    const { scale, left, top } = this.placement();
    context.setTransform(density, 0, 0, density, left * density, top * density);
    const { box } = scene.layout;
    for (let i = 1; i < box.count;) {
      const tiny = box.h[i] * scale < 0.5 && box.w[i] * scale < 0.5;
      if (!tiny) {
        const status =
          box.id[i] >= 0
            ? scene.model.table.status[box.id[i]]
            : scene.open[i]
              ? 0
              : scene.model.worstIn(~box.id[i]);
        const fill =
          status === Status.error
            ? "error"
            : status === Status.unknown
              ? "unknown"
              : scene.open[i]
                ? "moduleOpen"
                : "moduleBorder";
        context.fillStyle = this.theme.color(fill);
        context.fillRect(
          box.x[i] * scale,
          box.y[i] * scale,
          Math.max(1, box.w[i] * scale),
          Math.max(1, box.h[i] * scale - 0.3),
        );
      }
      i = tiny ? scene.subtreeEnd[i] : i + 1;
    }
    return picture;
  }
}
