/** The message that something went wrong: an alert over the picture, which stays until it is dismissed or outdated. */
import { byId } from "./dom.js";

/** What can be done about it. */
export interface Remedy {
  readonly label: string;
  run(): void;
}

export class Notice {
  private readonly box = byId("notice", HTMLElement);
  private readonly action = byId("notice-action", HTMLButtonElement);
  private remedy: Remedy | null = null;

  constructor() {
    byId("notice-close", HTMLButtonElement).addEventListener("click", () => {
      this.dismiss();
    });
    this.action.addEventListener("click", () => {
      const { remedy } = this;
      this.dismiss();
      remedy?.run();
    });
  }

  show(problem: unknown, remedy: Remedy | null = null): void {
    byId("notice-text", HTMLElement).textContent =
      problem instanceof Error ? problem.message : String(problem);
    this.remedy = remedy;
    this.action.hidden = remedy === null;
    this.action.textContent = remedy?.label ?? "";
    this.box.hidden = false;
  }

  /** Returns whether there was one. */
  dismiss(): boolean {
    const shown = !this.box.hidden;
    this.box.hidden = true;
    return shown;
  }
}
