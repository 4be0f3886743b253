/** What is said of a box: beside the pointer, and at the bottom of narrow windows. Loaded when the first is to be shown. */
import { BottomSheet, type SheetEvents } from "./bottom_sheet.js";
import { HoverCard } from "./hover_card.js";

export class Cards {
  readonly hover = new HoverCard();
  readonly sheet: BottomSheet;

  constructor(events: SheetEvents) {
    this.sheet = new BottomSheet(events);
  }
}
