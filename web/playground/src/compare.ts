/** The comparison with what is pinned as A, and its bar. Loaded when something is pinned. */
import { CompareBar, type CompareEvents } from "./compare_bar.js";
import { Comparing } from "./comparing.js";
import { costsAnew } from "./device_question.js";
import type { Devices } from "./devices.js";
import { stripBehind } from "./strip_behind.js";
import type { StripBehind } from "./memory_strip.js";
import type { Theme } from "./theme.js";

export class Compare {
  readonly comparing: Comparing;
  readonly bar: CompareBar;

  constructor(
    { completed, ...events }: CompareEvents & { completed: () => void },
    private readonly theme: Theme,
    devices: Devices,
  ) {
    this.bar = new CompareBar(events);
    this.comparing = new Comparing((shown, wantsTime) => {
      const [first] = devices.chosen;
      return costsAnew(shown, wantsTime ? devices.targetOf(first) : null);
    }, completed);
  }

  /** The memory of A, for the strip. */
  get behind(): StripBehind | null {
    return stripBehind(this.comparing.comparison, this.theme);
  }
}
