/** What fits, in words. */
import { shortTitle } from "./devices.js";
import type { FitReport, FitRow } from "./engine.js";
import { countText } from "./format.js";

/** `"fits RTX 4090: no, A100 80: yes, largest batch 23"`. */
export function fitsSentence({ targets, over }: FitReport): string {
  return `fits ${targets.map((row) => `${shortTitle(row.title)}: ${verdict(row, over)}`).join(", ")}`;
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
