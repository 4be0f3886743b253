/**
 * Answers to what is wanted of one program, with as little propagation as that takes. A program is propagated with all
 * its symbols free; where the guards of that run hold for what symbols are set to, every size follows from it at once.
 * Only where they do not is the program propagated again, with the numbers that were set.
 */
import type {
  Assumption,
  GuardInfo,
  NodeDetail,
  Problem,
  Program,
  Progressing,
  Run,
  RunCosts,
  RunSymbol,
  Table,
  WhatIfResult,
  WhyStep,
} from "./engine.js";
import { dimsOfSymbol, isSymbol, isUnbackedSymbol, splitSettings, type Settings } from "./settings.js";
import { sameWhatIf, withDims, withDynamic, type WhatIf } from "./state.js";

export type BrokenGuard = WhatIfResult["broken"][number];

/** What the shown sizes have to do with the symbols that were set. */
export interface Symbolic {
  /** The symbols of the run in which all are free; empty where the program has none. */
  readonly symbols: readonly RunSymbol[];
  readonly settings: Settings;
  /** What does not hold, or not for all of a range. */
  readonly broken: readonly BrokenGuard[];
  /**
   * `free`: nothing is set; `followed`: every guard holds, and nothing was propagated; `propagated`: again, with the
   * numbers that broke a guard; `partly`: a guard does not hold for all that is asked for, and there is no number to
   * propagate with.
   */
  readonly how: "free" | "followed" | "propagated" | "partly";
}

export const kNoSymbols: Symbolic = { symbols: [], settings: {}, broken: [], how: "free" };

/** What is shown, and what the engine knows about it beyond that. */
export class Answer {
  private asked: Promise<Assumption[]> | undefined;

  constructor(
    /** Knows the details of what is shown. */
    readonly run: Run,
    /** The one with free symbols, which may be the same. */
    readonly free: FreeRun,
    readonly table: Table,
    /** What it took: a propagation, or following the symbols. */
    readonly milliseconds: number,
    readonly symbolic: Symbolic,
  ) {}

  get problems(): readonly Problem[] {
    return this.run.problems;
  }

  detail(row: number): Promise<NodeDetail> {
    return this.run.node(row);
  }

  /** What the program assumes: with numbers for its symbols a run assumes nothing, and would say so beside a broken guard. */
  guards(): Promise<GuardInfo[]> {
    return this.free.run.guards();
  }

  /** What was taken for part of the example. Asked for once, and not before somebody wants to see it. */
  assumptions(): Promise<Assumption[]> {
    return (this.asked ??= this.run.assumptions());
  }

  why(row: number, dim: number): Promise<WhyStep[]> {
    return this.run.why(this.table.names[row], dim);
  }

  /** Bytes and FLOPs; what is set to a range, or to nothing, is of the example's size. */
  costs(): Promise<RunCosts> {
    return this.run.costs(this.run === this.free.run ? this.symbolic.settings : {});
  }

  /** Between which numbers of bytes the storage of a row lies, where symbols are set to ranges. */
  async bytes(row: number): Promise<ByteRange | null> {
    const { settings } = this.symbolic;
    const hasRange = Object.values(settings).some((setting) => typeof setting !== "number");
    if (!hasRange || this.run !== this.free.run || this.table.nbytes[row] >= 0) return null;
    const name = this.table.names[row];
    const { bytes } = await this.run.whatIf(settings, [name]);
    return bytes[name].at(0) ?? null;
  }
}

export type ByteRange = readonly [least: number | null, most: number | null];

interface FreeRun {
  /** What it was propagated for: nothing in it is a symbol. */
  readonly whatIf: WhatIf;
  readonly run: Run;
  readonly symbols: readonly RunSymbol[];
}

export class Answers {
  private kept: Answer | null = null;

  constructor(private readonly program: Program) {}

  /** The caller owns the runs that it took: to {@link keep}, or to {@link release}. */
  async answer(whatIf: WhatIf, progressing: Progressing): Promise<Answer> {
    const { symbols, dims } = splitSettings(this.program.info, whatIf.dims, whatIf.dynamic);
    const made: Run[] = [];
    try {
      const free = await this.freeRun({ ...whatIf, dims }, progressing, made);
      return await this.follow(free, symbols, progressing, made);
    } catch (error) {
      for (const run of made) void run.dispose();
      throw error;
    }
  }

  /** Runs that are new are added to `made`. */
  private async follow(
    free: FreeRun,
    settings: Settings,
    progressing: Progressing,
    made: Run[],
  ): Promise<Answer> {
    if (Object.keys(settings).length === 0) {
      const table = await free.run.table({});
      const symbolic = { ...kNoSymbols, symbols: free.symbols };
      return new Answer(free.run, free, table, free.run.milliseconds, symbolic);
    }
    const started = performance.now();
    const { holds, broken } = await free.run.whatIf(settings);
    const symbolic = { symbols: free.symbols, settings, broken };
    const numbers = this.numbersOf(settings, free.whatIf);
    if (holds || (await free.run.whatIf(numbers)).holds) {
      const table = await free.run.table(settings);
      const how = holds ? "followed" : "partly";
      return new Answer(free.run, free, table, performance.now() - started, { ...symbolic, how });
    }
    const run = await this.propagate(this.withNumbers(free.whatIf, numbers), progressing);
    made.push(run);
    const names = new Set((await run.symbols()).map(({ name }) => name));
    const rest = Object.entries(settings).filter(([name]) => !(name in numbers) && names.has(name));
    const table = await run.table(Object.fromEntries(rest));
    return new Answer(run, free, table, run.milliseconds, { ...symbolic, how: "propagated" });
  }

  /**
   * Asks a run whose sizes are the numbers that are shown: one with free symbols would answer for those of the example.
   */
  async onNumbers<Told>(answer: Answer, ask: (run: Run) => Promise<Told>): Promise<Told> {
    const { settings } = answer.symbolic;
    const numbers = answer.run === answer.free.run ? this.numbersOf(settings, answer.free.whatIf) : {};
    if (Object.keys(numbers).length === 0) return ask(answer.run);
    const run = await this.propagate(this.withNumbers(answer.free.whatIf, numbers), {});
    try {
      return await ask(run);
    } finally {
      void run.dispose();
    }
  }

  /** A run of its own with numbers for what `whatIf` sets, symbols too. The caller disposes it. */
  runOf(whatIf: WhatIf, progressing: Progressing): Promise<Run> {
    const { symbols, dims } = splitSettings(this.program.info, whatIf.dims, whatIf.dynamic);
    const rest = { ...whatIf, dims };
    return this.propagate(this.withNumbers(rest, this.numbersOf(symbols, rest)), progressing);
  }

  /** This one is shown now: the runs of the one before that it does not use are given back. */
  keep(answer: Answer): void {
    const { kept } = this;
    this.kept = answer;
    if (kept !== null) this.release(kept);
  }

  /** This one is not shown, or no longer: its runs are given back, but for those of the one that is. */
  release(answer: Answer): void {
    for (const run of new Set([answer.run, answer.free.run]))
      if (run !== this.kept?.run && run !== this.kept?.free.run) void run.dispose();
  }

  dispose(): void {
    const { kept } = this;
    this.kept = null;
    if (kept !== null) this.release(kept);
  }

  private async freeRun(whatIf: WhatIf, progressing: Progressing, made: Run[]): Promise<FreeRun> {
    const free = this.kept?.free;
    if (free !== undefined && sameWhatIf(free.whatIf, whatIf)) return free;
    const run = await this.propagate(whatIf, progressing);
    made.push(run);
    return { whatIf, run, symbols: await run.symbols() };
  }

  /** What can be propagated: symbols of the inputs, set to one number. */
  private numbersOf(settings: Settings, { dynamic }: WhatIf): Record<string, number> {
    const { info } = this.program;
    return Object.fromEntries(
      Object.entries(numbersIn(settings)).filter(
        ([name]) => isSymbol(info, name, dynamic) && !isUnbackedSymbol(name),
      ),
    );
  }

  /** Symbols as these numbers; a dimension that was made dynamic is a number again. */
  private withNumbers(whatIf: WhatIf, numbers: Readonly<Record<string, number>>): WhatIf {
    let result = whatIf;
    for (const [symbol, number] of Object.entries(numbers)) {
      const dims = dimsOfSymbol(this.program.info, whatIf.dynamic, symbol);
      result = withDims(withDynamic(result, dims, null), dims.length > 0 ? dims : [symbol], number);
    }
    return result;
  }

  private propagate(whatIf: WhatIf, progressing: Progressing): Promise<Run> {
    const isDynamic = Object.keys(whatIf.dynamic).length > 0;
    return this.program.propagate({
      dims: numbersIn(whatIf.dims),
      ...(isDynamic && { dynamic: whatIf.dynamic }),
      // With symbols as torch.export and `faketensor guards` do, which specialise less.
      ...((isDynamic || this.program.info.symbols.length > 0) && { pythonDispatcher: true }),
      ...(whatIf.dtype !== null && { dtype: whatIf.dtype }),
      ...(whatIf.device !== null && { device: whatIf.device }),
      ...(whatIf.literal && { literal: true }),
      ...(Object.keys(whatIf.assume).length > 0 && { assume: whatIf.assume }),
      ...(whatIf.profiles !== null && { profiles: whatIf.profiles.yaml }),
      ...progressing,
    });
  }
}

function numbersIn(settings: Settings): Record<string, number> {
  const entries = Object.entries(settings);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
