/** What the page has from the first moment after the first picture on ({@link Later}), made together: one file. */
import { BottomSheet } from "./bottom_sheet.js";
import { DevicePane } from "./device_pane.js";
import { HoverCard } from "./hover_card.js";
import { MemoryStrip } from "./memory_strip.js";
import type { Shown } from "./shown.js";
import type { Theme } from "./theme.js";

export { compareSections, costSections } from "./cost_sections.js";
export { MemoryProfile } from "./memory_profile.js";

export interface PaneEvents {
  /** Selects a row and brings it into view, in the pane of the graph. */
  readonly jump: (row: number) => void;
  readonly fade: (row: number | null) => void;
  readonly devicesAnswered: (shown: Shown) => void;
  readonly say: (sentence: string) => void;
  readonly toggle: (module: number) => void;
  /** Shows the inspector. */
  readonly details: () => void;
}

export class LaterPanes {
  readonly strip: MemoryStrip;
  readonly hover = new HoverCard();
  readonly sheet: BottomSheet;
  readonly devices: DevicePane;

  constructor(theme: Theme, { jump, fade, devicesAnswered, say, toggle, details }: PaneEvents) {
    this.sheet = new BottomSheet({ toggle, details });
    this.strip = new MemoryStrip(theme, { select: jump, fade });
    this.devices = new DevicePane({ answered: devicesAnswered, say });
  }
}
