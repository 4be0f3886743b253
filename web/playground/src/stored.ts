/**
 * A program as it was answered when the page was built: the first example is shown before the engine is there. The same
 * code shows it as shows any other; what was asked then is answered from the file, and everything else waits for the
 * engine, which opens and propagates the program then.
 *
 * {@link record} wraps an engine while the build opens the example with the page's own code, and keeps every question with
 * its answer; {@link replay} is an engine that gives them back.
 */
import type { Engine, Program, PropagateOptions, Run } from "./engine.js";

/** Answers by what was asked: `"run.table [{}]"`. Typed arrays are written as `{"f64": [...]}`. */
export interface Recorded {
  readonly info: Program["info"];
  /** What was propagated, as {@link optionsKey} has it. */
  readonly propagated: string;
  readonly run: Pick<Run, "ok" | "problems" | "assumed">;
  readonly answers: Record<string, unknown>;
}

type Asked = (...args: unknown[]) => Promise<unknown>;

function keyOf(name: string, args: readonly unknown[]): string {
  return `${name} ${JSON.stringify(args)}`;
}

interface Once<Result> {
  (): Promise<Result>;
  /** Whether it is made, or is being made. */
  began(): boolean;
}

/** Made once; what failed is made again. */
function once<Result>(make: () => Promise<Result>): Once<Result> {
  let made: Promise<Result> | null = null;
  const get = (): Promise<Result> =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
  return Object.assign(get, { began: () => made !== null });
}

/** Without what is no data: how progress is told, and what stops it. */
function optionsKey(options: PropagateOptions): string {
  return JSON.stringify({ ...options, signal: undefined, onProgress: undefined });
}

/** An engine that keeps what is asked of it in `answers`. One program with one run of it can be kept. */
export function record(engine: Engine): { readonly engine: Engine; readonly recorded: () => Recorded } {
  const answers: Record<string, unknown> = {};
  let info: Program["info"] | null = null;
  let facts: Recorded["run"] | null = null;
  let propagated = "";
  const keep = async (name: string, args: readonly unknown[], answer: Promise<unknown>): Promise<unknown> =>
    (answers[keyOf(name, args)] = await answer);
  const keptRun = (run: Run): Run =>
    new Proxy(run, {
      get: (target, name: keyof Run) => {
        const asked: unknown = target[name];
        if (typeof asked !== "function" || name === "dispose") return asked;
        return (...args: unknown[]) => keep(`run.${name}`, args, (asked as Asked).apply(target, args));
      },
    });
  return {
    engine: {
      open: async (file, options) => {
        const program = await engine.open(file, options);
        info = program.info;
        const kept: Partial<Program> = {
          propagate: async (wanted = {}) => {
            propagated = optionsKey(wanted);
            const run = await program.propagate(wanted);
            facts = { ok: run.ok, problems: run.problems, assumed: run.assumed };
            return keptRun(run);
          },
          layout: async (wanted) => {
            const layout = await program.layout(wanted);
            answers[keyOf("layout", [wanted])] = layout;
            return layout;
          },
        };
        return new Proxy(program, {
          get: (target, name: keyof Program) => {
            if (name in kept) return kept[name as "layout"];
            const value: unknown = target[name as "info"];
            return typeof value === "function" ? (value.bind(target) as unknown) : value;
          },
        });
      },
    },
    recorded: () => {
      if (info === null || facts === null) throw new Error("nothing was opened and propagated");
      return { info, propagated, run: facts, answers };
    },
  };
}

/** Opens the recorded program whatever the file is; `engine` is asked for at the first question that was not recorded. */
export function replay({ info, propagated, run, answers }: Recorded, engine: () => Promise<Engine>): Engine {
  return {
    open: (file, options) => {
      // As a whole, whatever became of the question that it was first opened for.
      const how = { ...options };
      delete how.signal;
      delete how.onProgress;
      const opened = once(async () => (await engine()).open(file, how));
      const made: Run[] = [];
      const replayed: Partial<Program> = {
        info,
        textProblems: [],
        propagate: async (wanted = {}) => {
          if (optionsKey(wanted) !== propagated) return (await opened()).propagate(wanted);
          const again = once(async () => {
            const real = await (await opened()).propagate(JSON.parse(propagated) as PropagateOptions);
            made.push(real);
            return real;
          });
          return replayedRun(run, answers, again);
        },
        layout: async (wanted) =>
          (answers[keyOf("layout", [wanted])] as Awaited<ReturnType<Program["layout"]>> | undefined) ??
          (await opened()).layout(wanted),
        dispose: async () => {
          for (const each of made) await each.dispose();
          if (opened.began()) await (await opened()).dispose();
        },
      };
      const program = new Proxy(replayed as Program, {
        get: (target, name: keyof Program) => {
          if (name in target || (name as string) === "then") return target[name as "info"];
          return async (...args: unknown[]) => {
            const asked = await opened();
            return (asked[name] as Asked).apply(asked, args);
          };
        },
      });
      return Promise.resolve(program);
    },
  };
}

function replayedRun(facts: Recorded["run"], answers: Recorded["answers"], again: () => Promise<Run>): Run {
  const run = { ...facts, milliseconds: NaN, dispose: () => Promise.resolve() };
  return new Proxy(run as unknown as Run, {
    get: (target, name: keyof Run) => {
      // Who awaits a run asks it for `then`.
      if (name in run || (name as string) === "then") return target[name];
      return async (...args: unknown[]) => {
        const key = keyOf(`run.${name}`, args);
        if (key in answers) return answers[key];
        const asked = await again();
        return (asked[name] as Asked).apply(asked, args);
      };
    },
  });
}

const kArrays = {
  u8: Uint8Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

export function toText(recorded: Recorded): string {
  return JSON.stringify(recorded, (_, value: unknown) => {
    const kind = Object.entries(kArrays).find(([, type]) => value instanceof type)?.[0];
    return kind === undefined ? value : { [kind]: [...(value as Float64Array)] };
  });
}

export function fromText(text: string): Recorded {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const [[kind, numbers] = [], ...others] = Object.entries(value);
    if (others.length > 0 || !Array.isArray(numbers) || !(String(kind) in kArrays)) return value;
    return kArrays[kind as keyof typeof kArrays].from(numbers as number[]);
  }) as Recorded;
}
