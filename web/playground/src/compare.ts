/** The comparison with what is pinned as A, and its bar. Loaded when something is pinned. */
import { CompareBar, type CompareEvents } from "./compare_bar.js";
import { Comparing } from "./comparing.js";
import { stripBehind } from "./strip_behind.js";
import type { StripBehind } from "./memory_strip.js";
import type { Theme } from "./theme.js";

export class Compare {
  readonly comparing = new Comparing();
  readonly bar: CompareBar;

  constructor(
    events: CompareEvents,
    private readonly theme: Theme,
  ) {
    this.bar = new CompareBar(events);
  }

  /** The memory of A, for the strip. */
  get behind(): StripBehind | null {
    return stripBehind(this.comparing.comparison, this.theme);
  }
}
