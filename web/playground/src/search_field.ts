/** The search field, whose list of matches is loaded when it is first used. Keys that are pressed before are not lost. */
import { byId } from "./dom.js";
import { Later } from "./later.js";
import type { Model } from "./model.js";
import type { SearchBox, SearchEvents } from "./search_box.js";

export class SearchField {
  private readonly field = byId("search", HTMLInputElement);
  private readonly box: Later<SearchBox>;
  private model: Model | null = null;

  constructor(events: SearchEvents, failed: (error: unknown) => void) {
    const { field } = this;
    this.box = new Later(
      async () => {
        const { SearchBox } = await import("./search_box.js");
        return new SearchBox(field, byId("search-results", HTMLElement), events);
      },
      failed,
      (box) => {
        if (this.model !== null) box.show(this.model);
        box.resume();
      },
    );
    for (const event of ["focus", "pointerenter"])
      field.addEventListener(event, () => {
        this.box.start();
      });
    field.addEventListener("keydown", ({ key }) => {
      if (this.box.now !== null) return; // it hears of keys itself
      const { value } = field;
      this.box.use((box) => {
        box.catchUp(value, key);
      });
    });
  }

  show(model: Model): void {
    this.model = model;
    this.box.now?.show(model);
  }

  focus(): void {
    this.field.focus();
    this.field.select();
  }

  focusCommands(): void {
    this.focus();
    this.box.use((box) => {
      box.offerCommands();
    });
  }

  /** To the next match, or the one before. */
  step(step: 1 | -1): void {
    this.box.use((box) => {
      box.step(step);
    });
  }

  /** Another program is shown: what was searched for is of the one before. */
  forget(): void {
    this.box.now?.close();
  }

  /** Returns whether it was open. */
  close(): boolean {
    const wasOpen = this.field.value !== "" || this.field === document.activeElement;
    this.field.value = "";
    this.box.now?.close();
    return wasOpen;
  }
}
