/**
 * `mode.profile()`: what `torch.profiler.profile` is around a block, of the calls of a mode.
 *
 * ```ts
 * const prof = mode.profile({ recordShapes: true }, () => mode.call("aten::mm", [x, x]));
 * prof.keyAverages({ groupByInputShape: true }).table({ sortBy: "self_cpu_time_total", rowLimit: 10 });
 * ```
 */
import { checkInteger, checkText, wrongKind } from "./check.js";
import type { Engine } from "./engine.js";
import { EngineResource } from "./lifetime.js";
import type { AverageRow } from "./types.js";

/** `torch.profiler.schedule`: counts of steps. After `skipFirst`, cycles of `wait`, `warmup` and `active` ones. */
export interface ProfileSchedule {
  readonly wait?: number;
  /** Steps that are not kept. */
  readonly warmup?: number;
  /** Steps that are recorded: at least one, which is the default. */
  readonly active?: number;
  /** How many cycles there are; 0, the default: no end. */
  readonly repeat?: number;
  readonly skipFirst?: number;
  /** Not 0: the first cycle does not wait. */
  readonly skipFirstWait?: number;
}

export interface ProfileOptions {
  readonly recordShapes?: boolean;
  readonly profileMemory?: boolean;
  /** Floating-point operations by the profiler's own formulas; records shapes too. */
  readonly withFlops?: boolean;
  /** Unless given all calls are one trace. */
  readonly schedule?: ProfileSchedule;
  /** Called when a trace is finished: after the `step()` that finished it, or at the end. */
  readonly onTraceReady?: (prof: Profiler) => void;
  /** Nanoseconds since some moment as a whole number that never goes back; the engine's own clock unless given. */
  readonly clock?: () => number;
}

/** A call of an operator, also one that another operator makes, or a span. Nanoseconds since the first event. */
export interface ProfileEvent {
  readonly name: string;
  /** The event that it ran inside of, by place; -1 for none. */
  readonly parent: number;
  readonly start: number;
  readonly duration: number;
  readonly flops?: number;
  /** With `profileMemory`: bytes of storages that it brought and that outlive it. */
  readonly cpuMemory?: number;
  readonly deviceMemory?: number;
  /** Empty for what is no tensor, and where shapes are not recorded. */
  readonly inputShapes: readonly (readonly number[])[];
}

export interface TableOptions {
  /** An attribute of `FunctionEventAvg`, `"self_cpu_time_total"`; in the order of the rows unless given. */
  readonly sortBy?: string;
  /** 100 unless given, -1 for all. */
  readonly rowLimit?: number;
}

/** Sums over the events of one name. */
export interface ProfileAverages {
  /** In the order in which the names were first seen. */
  readonly rows: readonly AverageRow[];
  /** As `key_averages().table()` of PyTorch's profiler prints it. */
  table(options?: TableOptions): string;
}

const optionNames = ["recordShapes", "profileMemory", "withFlops", "schedule", "onTraceReady", "clock"];
const scheduleNames = ["wait", "warmup", "active", "repeat", "skipFirst", "skipFirstWait"];

function checkNames(what: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== "object" || given === null) throw wrongKind(what, "an object", given);
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new TypeError(`${what} have no '${name}'`);
}

/** A clock as the engine reads it: what it throws is kept, and it then stands still. */
class GuardedClock {
  #last = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #thrown: { readonly error: unknown } | undefined;

  constructor(private readonly clock: () => number) {}

  readonly read = (): number => {
    try {
      if (!this.#thrown) this.#last = this.#next();
    } catch (error) {
      this.#thrown = { error };
    }
    return Number.isFinite(this.#last) ? this.#last : 0;
  };

  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }

  #next(): number {
    if (this.#isReading) throw new TypeError("the clock of profile() must not call operators");
    this.#isReading = true;
    try {
      const now = this.clock();
      checkInteger("what the clock of profile() gives", now);
      if (now < this.#last) throw new TypeError("the clock of profile() went back");
      return now;
    } finally {
      this.#isReading = false;
    }
  }
}

interface ProfileState {
  readonly ready: boolean;
  readonly warnings: readonly string[];
}

/** A profile. What it recorded stays when its mode is disposed of. */
export class Profiler extends EngineResource {
  readonly #profile: number;
  readonly #clock: GuardedClock | undefined;
  readonly #onTraceReady: ((prof: Profiler) => void) | undefined;
  #warnings: readonly string[] = [];
  #isRunning = true;

  /** @internal It runs. */
  private constructor(
    engine: Engine,
    profile: number,
    clock?: GuardedClock,
    ready?: (prof: Profiler) => void,
  ) {
    super(engine, (exports) => {
      exports.ask("profile.close", 0, JSON.stringify({ profile }));
    });
    this.#profile = profile;
    this.#clock = clock;
    this.#onTraceReady = ready;
  }

  /** @internal Profiles what `body` calls. */
  static run(
    engine: Engine,
    mode: number,
    options: ProfileOptions,
    body: (prof: Profiler) => unknown,
  ): Profiler {
    checkNames("the options of profile()", options, optionNames);
    const { clock: given, onTraceReady, schedule, ...flags } = options;
    for (const [name, flag] of Object.entries<unknown>(flags))
      if (flag !== undefined && typeof flag !== "boolean")
        throw wrongKind(`'${name}'`, "true or false", flag);
    if (schedule !== undefined) {
      checkNames("the members of a schedule", schedule, scheduleNames);
      for (const [name, steps] of Object.entries(schedule)) checkInteger(`'${name}' of a schedule`, steps);
    }
    if (typeof body !== "function") throw wrongKind("what profile() runs", "a function", body);
    const clock = given && new GuardedClock(given);
    const text = JSON.stringify({ ...flags, schedule });
    const profile = engine.json<number>((exports) => exports.openProfile(mode, text, clock?.read ?? null));
    const prof = new Profiler(engine, profile, clock, onTraceReady);
    try {
      const result = body(prof);
      if (typeof (result as { then?: unknown } | null | undefined)?.then === "function")
        throw new TypeError("what profile() runs must not be asynchronous");
    } catch (error) {
      prof.#isRunning = false;
      prof.dispose();
      throw error;
    }
    prof.#isRunning = false;
    prof.#move("profile.stop");
    return prof;
  }

  /** Gives back what was recorded; not while it records. */
  override dispose(): void {
    if (this.#isRunning) throw new TypeError("a profile cannot be disposed of while it runs");
    super.dispose();
  }

  /** What PyTorch would warn of: a schedule without warmup, or one that gives up what was recorded. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The next step of the loop begins. */
  step(): void {
    this.#move("profile.step");
  }

  /** Runs `body` as a span of that name, and gives what it returns. */
  recordFunction<T>(name: string, body: () => T): T {
    checkText("the name of a span", name);
    const span = this.#ask<number | null>("profile.begin", { name });
    try {
      return body();
    } finally {
      if (span !== null && !this.disposed) this.#ask("profile.end", { span });
    }
  }

  /** The events of the last trace that was finished, in the order in which they began. */
  events(): ProfileEvent[] {
    return this.#ask<ProfileEvent[]>("profile.events");
  }

  /** The same summed up by name, or by name and sizes of the inputs. */
  keyAverages(options: { readonly groupByInputShape?: boolean } = {}): ProfileAverages {
    checkNames("the options of keyAverages()", options, ["groupByInputShape"]);
    const averages = (
      given: TableOptions,
    ): { readonly rows: readonly AverageRow[]; readonly table: string } => {
      checkNames("the options of table()", given, ["sortBy", "rowLimit"]);
      const { sortBy = null, rowLimit = 100 } = given;
      if (sortBy !== null) checkText("'sortBy'", sortBy);
      checkInteger("'rowLimit'", rowLimit);
      return this.#ask("profile.keyAverages", { ...options, sortBy, rowLimit });
    };
    return { rows: averages({}).rows, table: (given = {}) => averages(given).table };
  }

  /** The text of a Chrome trace, which ui.perfetto.dev and chrome://tracing open. */
  chromeTrace(): string {
    return this.#ask<string>("profile.chromeTrace");
  }

  #move(question: "profile.step" | "profile.stop"): void {
    const { ready, warnings } = this.#ask<ProfileState>(question);
    this.#warnings = warnings;
    this.#clock?.rethrow();
    if (ready) this.#onTraceReady?.(this);
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- an answer's type is agreed with wasm/mode_profile.cpp
  #ask<T>(question: string, args: object = {}): T {
    this.assertAlive();
    return this.engine.ask<T>(question, 0, { profile: this.#profile, ...args });
  }
}
