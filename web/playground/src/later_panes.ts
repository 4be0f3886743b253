/** The panes that the first picture does without ({@link Later}), made together: they are loaded as one file. */
import { AssumptionsPane } from "./assumptions_pane.js";
import { ChangesList } from "./changes_list.js";
import { CompareBar } from "./compare_bar.js";
import { Comparing } from "./comparing.js";
import { DevicePane } from "./device_pane.js";
import { HoverCard } from "./hover_card.js";
import { MemoryStrip } from "./memory_strip.js";
import type { Setting } from "./settings.js";
import type { Shown } from "./shown.js";
import { SymbolsPane } from "./symbols_pane.js";
import type { Theme } from "./theme.js";

export { compareSections, costSections } from "./cost_sections.js";
export { MemoryProfile } from "./memory_profile.js";

export interface PaneEvents {
  /** Selects a row and brings it into view, in the pane of the graph. */
  readonly jump: (row: number) => void;
  readonly setSymbol: (symbol: string, setting: Setting | null, group: string) => void;
  readonly decide: (sites: readonly string[], choice: string | null) => void;
  readonly fade: (row: number | null) => void;
  readonly unpin: () => void;
  readonly devicesAnswered: (shown: Shown) => void;
  readonly say: (sentence: string) => void;
}

export class LaterPanes {
  readonly symbols: SymbolsPane;
  readonly assumptions: AssumptionsPane;
  readonly changes: ChangesList;
  readonly strip: MemoryStrip;
  readonly hover = new HoverCard();
  readonly comparing = new Comparing();
  readonly compareBar: CompareBar;
  readonly devices: DevicePane;

  constructor(theme: Theme, events: PaneEvents) {
    const { jump, setSymbol, decide, fade, unpin, devicesAnswered, say } = events;
    this.symbols = new SymbolsPane({ set: setSymbol, jump });
    this.assumptions = new AssumptionsPane({ decide, jump });
    this.changes = new ChangesList(jump);
    this.strip = new MemoryStrip(theme, { select: jump, fade });
    this.compareBar = new CompareBar({ jump, unpin });
    this.devices = new DevicePane({ answered: devicesAnswered, say });
  }
}
