/** "Open modules to depth n": one button per level that the program has. */
import { button, element } from "./dom.js";
import type { Model } from "./model.js";
import { sameNumbers } from "./state.js";

const kMostLevels = 9;

export class DepthBar {
  private buttons: HTMLButtonElement[] = [];

  constructor(
    private readonly box: HTMLElement,
    private readonly pressed: (depth: number) => void,
  ) {}

  show(model: Model, expanded: readonly number[]): void {
    const deepest = Math.min(model.maxDepth(), kMostLevels);
    this.buttons = Array.from({ length: deepest + 1 }, (_, depth) => this.makeButton(depth));
    this.box.replaceChildren(element("span", { "aria-hidden": "true" }, "Depth"), ...this.buttons);
    this.box.hidden = deepest === 0;
    this.mark(model, expanded);
  }

  /** Marks the level that what is open corresponds to, if any. */
  mark(model: Model, expanded: readonly number[]): void {
    this.buttons.forEach((made, depth) => {
      made.setAttribute("aria-pressed", String(sameNumbers(model.modulesToDepth(depth), expanded)));
    });
  }

  private makeButton(depth: number): HTMLButtonElement {
    const title = depth === 0 ? "Close all modules" : `Open modules to depth ${depth} (key ${depth})`;
    return button(
      String(depth),
      { class: "depth", title, "aria-label": `Depth ${depth}`, "aria-pressed": "false" },
      () => {
        this.pressed(depth);
      },
    );
  }
}
