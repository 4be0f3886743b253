/** What the page has from the first moment after the first picture on ({@link Later}), made together: one file. */
import { DevicePane } from "./device_pane.js";
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
}

export class LaterPanes {
  readonly strip: MemoryStrip;
  readonly devices: DevicePane;

  constructor(theme: Theme, { jump, fade, devicesAnswered, say }: PaneEvents) {
    this.strip = new MemoryStrip(theme, { select: jump, fade });
    this.devices = new DevicePane({ answered: devicesAnswered, say });
  }
}
