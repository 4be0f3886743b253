/** On narrow windows one pane is shown at a time; on wide ones this changes nothing that can be seen. */
import { byId } from "./dom.js";

export type PaneName = "outline" | "graph" | "inspector" | "problems";

export class PaneTabs {
  private readonly tabs = [...document.querySelectorAll<HTMLButtonElement>("[data-show]")];

  constructor() {
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => {
        this.show(tab.dataset["show"] as PaneName);
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
