/** What is said of guards that do not hold. */
import type { BrokenGuard } from "./answers.js";
import { plural } from "./format.js";

export function brokenSentence(broken: readonly BrokenGuard[]): string {
  const violated = broken.filter(({ verdict }) => verdict === "violated").length;
  const partly = broken.length - violated;
  const parts: string[] = [];
  if (violated > 0) parts.push(`${plural(violated, "guard")} violated`);
  if (partly > 0) parts.push(`${plural(partly, "guard")} not for all sizes`);
  return parts.join(", ");
}
