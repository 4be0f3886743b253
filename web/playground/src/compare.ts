/** The comparison with what is pinned as A, and its bar. Loaded when something is pinned. */
import { CompareBar, type CompareEvents } from "./compare_bar.js";
import { Comparing } from "./comparing.js";

export class Compare {
  readonly comparing = new Comparing();
  readonly bar: CompareBar;

  constructor(events: CompareEvents) {
    this.bar = new CompareBar(events);
  }
}
