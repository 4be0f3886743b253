/** A comparison as the page runs it: what is pinned as A, and B, which is whatever is shown. */
import { Comparison, type Side } from "./comparison.js";
import type { Shown } from "./shown.js";
import { editTexts } from "./state.js";

export class Comparing {
  private pinned: Side | null = null;
  private current: Comparison | null = null;

  get isPinned(): boolean {
    return this.pinned !== null;
  }

  /** Null where nothing is pinned, or what is shown is not yet compared with it. */
  get comparison(): Comparison | null {
    return this.current;
  }

  pin(shown: Shown): void {
    this.pinned = sideOf(shown);
  }

  unpin(): void {
    this.pinned = null;
    this.current = null;
  }

  /** Another program is shown: it is compared when its bytes are known. */
  forget(): void {
    this.current = null;
  }

  /** What is shown is known better now; where it is what was pinned, so is A. */
  update(shown: Shown): void {
    if (this.pinned?.model === shown.model) this.pinned = sideOf(shown);
    this.current = this.pinned === null ? null : new Comparison(this.pinned, sideOf(shown));
  }
}

function sideOf({ source, state, model, profile, devices }: Shown): Side {
  const edits = editTexts(state.whatIf);
  const name = edits.length === 0 ? source.name : `${source.name}, ${edits.join(", ")}`;
  // What was worked out for the run before is none of this one.
  const time = devices?.time ?? null;
  return { name, model, profile, time: time?.model === model ? time : null };
}
