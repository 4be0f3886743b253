/** What fits, in words. */
import { shortTitle } from "./devices.js";
import type { FitReport, FitRow, TrainOptions } from "./engine.js";
import { countText } from "./format.js";

type Optimizer = TrainOptions["optimizer"];

export const kOptimizers: Readonly<Record<Optimizer, string>> = {
  sgd: "SGD",
  momentum: "SGD and momentum",
  adam: "Adam",
  adamw: "AdamW",
};

export function optimizerNamed(name: string): Optimizer | null {
  return name in kOptimizers ? (name as Optimizer) : null;
}

/** `"fits RTX 4090: no, A100 80: yes, largest batch 23"`; `"a step with Adam fits T4: no"`. */
export function fitsSentence({ targets, over }: FitReport, optimizer: Optimizer | null = null): string {
  const what = optimizer === null ? "" : `a step with ${kOptimizers[optimizer]} `;
  return `${what}fits ${targets.map((row) => `${shortTitle(row.title)}: ${verdict(row, over)}`).join(", ")}`;
}

/** `"yes, largest batch 23"`, `"no, batch 4 would"`, `"no"`. */
function verdict({ fits, peak, largest }: FitRow, over: string | undefined): string {
  if (peak === undefined) return "errors";
  const what = over ?? "";
  if (!fits)
    return largest !== undefined && largest.size > 0 ? `no, ${what} ${countText(largest.size)} would` : "no";
  if (largest === undefined || largest.stop === "range" || largest.size === 0) return "yes";
  return `yes, largest ${what} ${countText(largest.size)}`;
}

/** The largest size and why it is that. */
export function largestText({ largest }: FitRow): string {
  if (largest === undefined) return "";
  if (largest.size === 0) return "none";
  const size = countText(largest.size);
  if (largest.stop === "range") return `${size} or more`;
  return largest.stop === "program" ? `${size}, more are refused` : size;
}
