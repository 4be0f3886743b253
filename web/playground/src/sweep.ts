/**
 * A sweep: one size at several values, everything else as it is shown, each propagated. Pure; sweep_dialog.ts asks and shows.
 */
import { parseSetting, type Refused } from "./settings.js";

export interface SweepRow {
  readonly value: number;
  /** Null where the engine could not say, or only as an expression. */
  readonly peak: number | null;
  readonly held: number | null;
  readonly flops: number | null;
  readonly seconds: number | null;
  readonly problems: number;
  /** What went wrong first. */
  readonly problem: string;
}

const kMost = 64;

/**
 * `"1 8 64"` and `"1, 8, 64"` are those; `"1..64"` doubles, `"1..64 step 8"` adds 8 each time. Sorted, each once.
 */
export function parseValues(text: string): readonly number[] | Refused {
  const values = new Set<number>();
  const words = text
    .replaceAll(/\s*\.\.\s*/g, "..")
    .replaceAll(/\s+step\s+/gi, "step")
    .split(/[\s,;]+/);
  for (const word of words) {
    if (word === "") continue;
    const hasStep = word.includes("step");
    const [range, step] = word.split("step");
    const setting = parseSetting(range);
    const by = hasStep ? parseSetting(step) : null;
    if (setting === null || (hasStep && typeof by !== "number"))
      return { refused: `“${word}” is no value. Write 1 8 64, 1..64 (doubling), or 1..64 step 8.` };
    const [first, last] = typeof setting === "number" ? [setting, setting] : setting;
    if (first < 1) return { refused: "Values begin at 1." };
    for (let value = first; value < last; value = typeof by === "number" ? value + by : value * 2) {
      values.add(value);
      if (values.size > kMost) return { refused: `More than ${kMost} values: take a larger step.` };
    }
    if (typeof by !== "number" || (last - first) % by === 0) values.add(last);
  }
  if (values.size === 0) return { refused: "No value. Write 1 8 64, 1..64 (doubling), or 1..64 step 8." };
  return [...values].sort((a, b) => a - b);
}

export function sweepCsv(size: string, target: string, rows: readonly SweepRow[]): string {
  const head = [
    size,
    "peak_bytes",
    "held_bytes",
    "flops",
    `seconds_on_${target}`,
    "problems",
    "first_problem",
  ];
  const cell = (value: string | number | null): string => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => [
    row.value,
    row.peak,
    row.held,
    row.flops,
    row.seconds,
    row.problems,
    row.problem,
  ]);
  return [head, ...lines].map((line) => `${line.map(cell).join(",")}\n`).join("");
}
