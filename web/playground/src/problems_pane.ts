/** The problems pane: errors first, then differences from the file, then operators without a rule; each jumps to its node. */
import { byId, element } from "./dom.js";
import type { Problem } from "./engine.js";
import { countText, opShort, plural } from "./format.js";
import type { Model } from "./model.js";
import { VirtualList } from "./virtual_list.js";

const kRowHeight = 28;
const kOrder: Record<Problem["kind"], number> = { error: 0, mismatch: 1, unknown: 2 };

export interface ProblemCounts {
  readonly errors: number;
  readonly mismatches: number;
  readonly unknown: number;
  readonly notReached: number;
}

export function countProblems(problems: readonly Problem[], notReached: number): ProblemCounts {
  const count = (kind: Problem["kind"]): number => problems.filter((problem) => problem.kind === kind).length;
  return { errors: count("error"), mismatches: count("mismatch"), unknown: count("unknown"), notReached };
}

/** `1 error, 612 not reached`: errors, operators without a rule and what comes after them are never added up. */
export function problemSentence({ errors, mismatches, unknown, notReached }: ProblemCounts): string {
  const parts: string[] = [];
  if (errors > 0) parts.push(plural(errors, "error"));
  if (mismatches > 0)
    parts.push(mismatches === 1 ? "1 difference from the file" : `${mismatches} differences from the file`);
  if (unknown > 0) parts.push(plural(unknown, "unknown operator"));
  if (notReached > 0) parts.push(`${countText(notReached)} not reached`);
  return parts.length === 0 ? "No problems" : parts.join(", ");
}

export class ProblemsPane {
  counts: ProblemCounts = { errors: 0, mismatches: 0, unknown: 0, notReached: 0 };
  private problems: Problem[] = [];
  private readonly list: VirtualList;
  private readonly title = byId("problems-title", HTMLButtonElement);

  constructor(
    private readonly pane: HTMLElement,
    private readonly jump: (row: number) => void,
  ) {
    this.list = new VirtualList(pane, kRowHeight, (index) => this.renderRow(index));
    pane.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const index = Number(document.activeElement?.getAttribute("data-index") ?? -1) + step;
      if (step === 0 || index < 0 || index >= this.problems.length) return;
      event.preventDefault();
      this.list.scrollTo(index);
      this.list.elementAt(index)?.focus();
    });
  }

  /** The first error opens the list. */
  show(model: Model): void {
    this.problems = [...model.problems].sort((a, b) => kOrder[a.kind] - kOrder[b.kind] || a.node - b.node);
    this.list.reset(this.problems.length);
    const counts = countProblems(this.problems, model.notReached);
    const newErrors = this.counts.errors === 0 && counts.errors > 0;
    this.counts = counts;
    const any = this.problems.length > 0;
    byId("problems-count", HTMLElement).textContent = problemSentence(counts);
    this.title.classList.toggle("has-errors", counts.errors > 0);
    this.title.classList.toggle("has-unknown", counts.errors === 0 && any);
    this.title.disabled = !any;
    if (!any) this.open(false);
    else if (newErrors) this.open(true);
  }

  open(open: boolean): void {
    this.title.setAttribute("aria-expanded", String(open));
    this.pane.hidden = !open;
  }

  get first(): Problem | null {
    return this.problems.at(0) ?? null;
  }

  private renderRow(index: number): HTMLElement {
    const problem = this.problems[index];
    const label = problem.kind === "error" ? "error" : problem.kind === "unknown" ? "unknown" : "differs";
    const row = element(
      "button",
      { type: "button", class: "problem", "data-index": index, title: problem.message },
      element("span", { class: `state state-${problem.kind}` }, label),
      element("span", { class: "problem-node" }, problem.name),
      element("span", { class: "problem-op" }, opShort(problem.op)),
      element(
        "span",
        { class: "problem-message" },
        problem.class === "" ? problem.message : `${problem.class}: ${problem.message}`,
      ),
    );
    row.addEventListener("click", () => {
      this.jump(problem.node);
    });
    const item = element("div", { role: "listitem" }, row);
    return item;
  }
}
