/** How much of the engine is there, while it is loaded; it comes after a moment only, so that a fast network shows nothing. */
import { byId } from "./dom.js";

const kPatience = 300;
const kMegabyte = 1e6;

export class EngineBar {
  private readonly box = byId("engine", HTMLElement);
  private readonly bar = byId("engine-bar", HTMLProgressElement);
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Null: it is there, or could not be loaded. */
  show(done: number | null, total: number): void {
    if (done === null) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.box.hidden = true;
      return;
    }
    this.timer ??= setTimeout(() => {
      this.box.hidden = false;
    }, kPatience);
    this.bar.value = Math.min(1, done / total);
    const megabytes = (bytes: number): string => (bytes / kMegabyte).toFixed(1);
    byId("engine-text", HTMLElement).textContent = `Engine: ${megabytes(done)} of ${megabytes(total)} MB`;
  }
}
