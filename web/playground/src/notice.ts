/** The message that something went wrong: an alert over the picture, which stays until it is dismissed or outdated. */
import { byId } from "./dom.js";

export class Notice {
  private readonly box = byId("notice", HTMLElement);

  constructor() {
    byId("notice-close", HTMLButtonElement).addEventListener("click", () => {
      this.dismiss();
    });
  }

  show(problem: unknown): void {
    byId("notice-text", HTMLElement).textContent =
      problem instanceof Error ? problem.message : String(problem);
    this.box.hidden = false;
  }

  /** Returns whether there was one. */
  dismiss(): boolean {
    const shown = !this.box.hidden;
    this.box.hidden = true;
    return shown;
  }
}
