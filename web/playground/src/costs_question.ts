/**
 * Asks for memory and FLOPs of what is shown. It costs the engine another propagation, so it comes after the picture, and in
 * a large program only when nothing was changed for a moment.
 */
import type { Shown } from "./shown.js";

const kLargeProgram = 5000;
const kPause = 250;

export class CostsQuestion {
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly answered: (shown: Shown) => void) {}

  ask(shown: Shown): void {
    clearTimeout(this.waiting);
    const pause = shown.model.table.length > kLargeProgram ? kPause : 0;
    this.waiting = setTimeout(() => void this.work(shown), pause);
  }

  private async work(shown: Shown): Promise<void> {
    const { answer } = shown;
    try {
      const [costs, { MemoryProfile }] = await Promise.all([answer.costs(), import("./later_panes.js")]);
      if (shown.answer !== answer) return;
      shown.profile = new MemoryProfile(shown.model, costs);
    } catch {
      // The run was given up meanwhile, or the engine with it: then there is nothing to tell.
      if (shown.answer !== answer) return;
      shown.profile = null;
    }
    this.answered(shown);
  }
}
