/**
 * Asks which devices the shown program fits, up to which batch, and how long a step takes. Each size that is said is
 * propagated, so it comes after everything else, and a newer program or what-if overtakes it.
 */
import type { Answer, Answers } from "./answers.js";
import type { Devices } from "./devices.js";
import type { FitOptions, FitReport, TrainOptions } from "./engine.js";
import { MemoryProfile } from "./memory_profile.js";
import type { Shown } from "./shown.js";
import { TimeProfile } from "./time_profile.js";

/** What fits, and whose time it takes. */
export interface DeviceAnswer {
  readonly fits: FitReport;
  readonly basis: Basis;
  /** On the first device that is chosen; null: it was not worked out. */
  readonly time: TimeProfile | null;
}

/**
 * What is run, and what is counted: bytes of storages, or what the caching allocator makes of them under these settings. A
 * step of training is counted by its storages.
 */
export interface Basis {
  readonly allocator: string | null;
  readonly optimizer: TrainOptions["optimizer"] | null;
}

export const kOwnRun: Basis = { allocator: null, optimizer: null };

/** Programs of more nodes are asked for the sizes that are shown alone, and for no time. */
const kLargeProgram = 20_000;
const kPause = 120;

export class DeviceQuestion {
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly devices: Devices,
    private readonly answered: (shown: Shown) => void,
  ) {}

  ask(shown: Shown, basis: Basis): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => void this.work(shown, basis), kPause);
  }

  private async work(shown: Shown, basis: Basis): Promise<void> {
    const { answer, model, answers } = shown;
    const [first] = this.devices.chosen;
    const isLarge = model.table.length > kLargeProgram;
    try {
      const targets = this.devices.chosen.map((name) => this.devices.targetOf(name));
      const fits = await fitsOf(answers, answer, targets, basis, isLarge);
      const time = isLarge
        ? null
        : new TimeProfile(model, await timeOf(answers, answer, this.devices.targetOf(first)));
      if (shown.answer !== answer) return;
      shown.devices = { fits, basis, time };
    } catch {
      // The run was given up meanwhile, or the program has errors: then there is nothing to tell.
      if (shown.answer !== answer) return;
      shown.devices = null;
    }
    this.answered(shown);
  }
}

export async function fitsOf(
  answers: Answers,
  answer: Answer,
  targets: readonly string[],
  { allocator, optimizer }: Basis,
  isLarge = false,
): Promise<FitReport> {
  const options: FitOptions = {
    ...(targets.length > 0 && { targets }),
    ...(allocator !== null && optimizer === null && { allocator }),
    ...(optimizer !== null && { train: { optimizer } }),
    ...(isLarge && { over: "" }),
  };
  return answers.onNumbers(answer, (run) => run.fits(options));
}

export async function timeOf(answers: Answers, answer: Answer, target: string) {
  return answers.onNumbers(answer, (run) => run.time(target));
}

/** What a run costs that is shown no longer; `target` is null where no time is wanted. */
export async function costsAnew(
  { answers, state, model }: Readonly<Shown>,
  target: string | null,
): Promise<{ profile: MemoryProfile; time: TimeProfile | null }> {
  const run = await answers.runOf(state.whatIf, {});
  try {
    const profile = new MemoryProfile(model, await run.costs());
    return { profile, time: target === null ? null : new TimeProfile(model, await run.time(target)) };
  } finally {
    void run.dispose();
  }
}
