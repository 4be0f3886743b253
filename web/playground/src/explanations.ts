/** Why sizes are what they are: the guards that a run relied on, and the chain of nodes behind a dimension. */
import { element } from "./dom.js";
import { ValueKind, type GuardInfo, type WhyStep } from "./engine.js";
import { plural, sizesOf } from "./format.js";
import type { Model } from "./model.js";
import { section } from "./sections.js";

const kGuardLabels: Record<GuardInfo["kind"], string> = {
  guard: "guard",
  specialisation: "specialised",
  replacement: "replaced",
  runtime_assert: "checked at run time",
};

export class Explanations {
  constructor(
    private readonly nameLink: (model: Model, row: number) => HTMLElement,
    private readonly why: (row: number, dim: number) => Promise<WhyStep[]>,
  ) {}

  /** What follows from the rest is counted, not listed. */
  guardSection(model: Model, title: string, guards: readonly GuardInfo[]): HTMLElement {
    const needed = guards.filter((guard) => guard.follows !== true);
    const list = element("ul", { class: "links guards", "aria-label": title });
    for (const guard of needed) list.append(this.guardItem(model, guard));
    if (needed.length === 0) {
      const holds =
        model.symbolic.symbols.length === 0
          ? "Nothing: the sizes of the inputs are numbers."
          : "Nothing: what is shown holds for all sizes that the inputs may have.";
      list.append(element("li", { class: "quiet" }, holds));
    }
    if (guards.length > needed.length) {
      const more = `and ${plural(guards.length - needed.length, "condition")} that hold in any case`;
      list.append(element("li", { class: "quiet" }, more));
    }
    return section(title, list);
  }

  private guardItem(model: Model, guard: GuardInfo): HTMLElement {
    const item = element(
      "li",
      { class: "guard" },
      element("code", {}, guard.text),
      " ",
      element("span", { class: "guard-kind" }, kGuardLabels[guard.kind]),
    );
    const { row } = guard;
    if (row !== undefined) item.append(" by ", this.nameLink(model, row));
    for (const line of [guard.call, guard.source]) {
      if (line !== undefined) item.append(element("div", { class: "guard-cause" }, line));
    }
    return item;
  }

  /** A chain per dimension, asked for when it is opened. Of an input only the sizes that something decided about. */
  whySection(model: Model, row: number): HTMLElement[] {
    const { table } = model;
    if (table.kind[row] !== ValueKind.tensor) return [];
    const inFile = model.info.inputs.find(({ node }) => node === row)?.size;
    const parts: HTMLElement[] = [];
    for (const [dim, size] of sizesOf(table, row).entries()) {
      if (inFile !== undefined && typeof inFile[dim] === "number") continue;
      parts.push(this.whyDimension(model, row, dim, String(size)));
    }
    if (parts.length === 0) return [];
    return [section("Why these sizes", element("div", { class: "whys" }, ...parts))];
  }

  private whyDimension(model: Model, row: number, dim: number, size: string): HTMLElement {
    const chain = element("ol", { class: "links" });
    const part = element(
      "details",
      {},
      element("summary", {}, `dim ${dim} is `, element("span", { class: "mono" }, size)),
      chain,
    );
    part.addEventListener("toggle", () => {
      if (!part.open || chain.childElementCount > 0) return;
      this.why(row, dim).then(
        (steps) => {
          chain.replaceChildren(...steps.map((step) => this.whyStep(model, step)));
        },
        () => undefined, // the run was given up meanwhile
      );
    });
    return part;
  }

  private whyStep(model: Model, step: WhyStep): HTMLElement {
    const said = `dim ${step.dim} is ${step.size}, ${step.reason}`;
    const item = element(
      "li",
      {},
      this.nameLink(model, step.row),
      element("div", { class: "guard-cause" }, said),
    );
    if (step.causeRow !== undefined) item.append("decided by ", this.nameLink(model, step.causeRow));
    if (step.source !== undefined) item.append(element("div", { class: "guard-cause" }, step.source));
    return item;
  }
}
