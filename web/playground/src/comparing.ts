/** A comparison as the page runs it: what is pinned as A, and B, which is whatever is shown. */
import { Comparison, type Side } from "./comparison.js";
import type { Shown } from "./shown.js";
import { editTexts } from "./state.js";

interface Pinned {
  readonly side: Side;
  readonly shown: Readonly<Shown>;
  /** The devices on which A was asked for its time since it was shown last; null: for its costs alone. */
  readonly asked: Set<string | null>;
}

/** What a run costs that is shown no longer, with its time on the device that B is told of. */
export type CostsAnew = Pick<Side, "profile" | "time">;

export class Comparing {
  private pinned: Pinned | null = null;
  private current: Comparison | null = null;

  constructor(
    private readonly costsAnew: (shown: Readonly<Shown>, wantsTime: boolean) => Promise<CostsAnew>,
    private readonly completed: () => void,
  ) {}

  get isPinned(): boolean {
    return this.pinned !== null;
  }

  /** Null where nothing is pinned, or what is shown is not yet compared with it. */
  get comparison(): Comparison | null {
    return this.current;
  }

  /** `shown` is what it was when the user pinned it: it is not changed any more. */
  pin(shown: Readonly<Shown>): void {
    this.pinned = { side: sideOf(shown), shown, asked: new Set() };
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
    if (this.pinned?.shown.model === shown.model) this.pin({ ...shown });
    const { pinned } = this;
    if (pinned === null) return;
    const b = sideOf(shown);
    this.current = new Comparison(pinned.side, b);
    if (pinned.shown.model !== shown.model) void this.complete(pinned, b);
  }

  /**
   * A was pinned before its costs were known, or is told of another device than B: it is asked anew. Where its program was
   * given up for another one nobody can be asked, and the comparison goes without.
   */
  private async complete({ side, shown, asked }: Pinned, b: Side): Promise<void> {
    const device = b.time?.device ?? null;
    const isComplete = side.profile !== null && (device === null || side.time?.device === device);
    if (isComplete || asked.has(device)) return;
    asked.add(device);
    let costs: CostsAnew;
    try {
      costs = await this.costsAnew(shown, device !== null);
    } catch {
      return;
    }
    if (this.pinned?.shown !== shown || this.current === null) return;
    this.pinned = { side: { ...side, ...costs }, shown, asked };
    this.current = new Comparison(this.pinned.side, this.current.b);
    this.completed();
  }
}

function sideOf({ source, state, model, profile, devices }: Readonly<Shown>): Side {
  const edits = editTexts(state.whatIf);
  const name = edits.length === 0 ? source.name : `${source.name}, ${edits.join(", ")}`;
  // What was worked out for the run before is none of this one.
  const time = devices?.time ?? null;
  return {
    name,
    model,
    profile: profile?.model === model ? profile : null,
    time: time?.model === model ? time : null,
  };
}
