/**
 * What is selected, at the bottom of the graph, on windows that show one pane at a time: what the card under the pointer says,
 * with buttons to open the module and to go to the inspector. On wide windows the style sheet hides it.
 */
import { button, byId, element } from "./dom.js";
import { factsOf } from "./hover_card.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { Selection } from "./model.js";
import type { Scene } from "./scene.js";

export interface SheetEvents {
  readonly toggle: (module: number) => void;
  /** To the pane that tells all. */
  readonly details: () => void;
}

export class BottomSheet {
  private readonly sheet = byId("sheet", HTMLElement);

  constructor(private readonly events: SheetEvents) {}

  show(scene: Scene, profile: MemoryProfile | null, selection: Selection | null): void {
    const box = selection === null ? -1 : scene.placeOf(selection);
    this.sheet.hidden = box < 0;
    if (box < 0) return;
    const shown = scene.selectionOf(box);
    const close = button("\u00d7", { class: "icon", "aria-label": "Hide" }, () => {
      this.sheet.hidden = true;
    });
    const actions = element("div", { class: "sheet-actions" });
    if (shown.kind === "module")
      actions.append(
        button(scene.open[box] === 1 ? "Close module" : "Open module", { class: "primary" }, () => {
          this.events.toggle(shown.id);
        }),
      );
    actions.append(
      button("All details", { class: "quiet" }, () => {
        this.events.details();
      }),
    );
    const facts = element("div", { class: "sheet-facts" }, ...factsOf(scene, profile, box));
    this.sheet.replaceChildren(facts, close, actions);
  }
}
