/** On narrow windows one pane is shown at a time; on wide ones this changes nothing that can be seen. */
import { byId } from "./dom.js";

export type PaneName = "outline" | "graph" | "inspector" | "source" | "symbols" | "assumptions" | "problems";

export class PaneTabs {
  private readonly tabs = [...document.querySelectorAll<HTMLButtonElement>("[data-show]")];

  /** `shown`: called with a pane that its tab brought up. */
  constructor(shown: (name: PaneName) => void) {
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => {
        const name = tab.dataset["show"] as PaneName;
        this.show(name);
        shown(name);
      });
    }
  }

  show(name: PaneName): void {
    byId("panes", HTMLElement).dataset["pane"] = name;
    for (const tab of this.tabs) {
      if (tab.dataset["show"] === name) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
  }
}
