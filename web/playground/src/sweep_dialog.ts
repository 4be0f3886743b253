/**
 * The dialog of a sweep: peak, bytes held, FLOPs and time at several values of a size, with a bar in each cell, as CSV, and
 * with each line leading to the page at that value. Loaded when it is asked for.
 */
import css from "../styles/sweep.css";
import { adoptStyle } from "./adopted_style.js";
import type { SizeChip } from "./chips.js";
import { button, element } from "./dom.js";
import { download } from "./export_picture.js";
import type { Progressing, Run } from "./engine.js";
import { bytesText, flopsText, plural, secondsText } from "./format.js";
import { parseValues, sweepCsv, type SweepRow } from "./sweep.js";

export interface SweepSource {
  readonly name: string;
  /** The sizes that can be swept. */
  readonly chips: readonly SizeChip[];
  /** A run at this value, which the caller disposes. */
  run(chip: SizeChip, value: number, progressing: Progressing): Promise<Run>;
  /** Shows the program at this value. */
  show(chip: SizeChip, value: number): void;
}

const kTargets = ["h100", "h200", "b200", "a100", "l4", "rtx4090", "mi300x", "cpu"];
const kColumns = [
  ["peak", "Peak", bytesText],
  ["held", "Held always", bytesText],
  ["flops", "FLOPs", flopsText],
  ["seconds", "Time", secondsText],
] as const;

export function showSweep(source: SweepSource): void {
  adoptStyle(css);
  new SweepDialog(source).open();
}

class SweepDialog {
  private readonly size = element("select", { id: "sweep-size" });
  private readonly values = element("input", {
    type: "text",
    id: "sweep-values",
    value: "1..64",
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": "sweep-hint",
  });
  private readonly target = element("select", { id: "sweep-target" });
  private readonly hint = element("p", { id: "sweep-hint", class: "basis" });
  private readonly status = element("p", { role: "status" });
  private readonly body = element("tbody");
  private readonly start = button("Sweep", { class: "primary" }, () => void this.sweep());
  private readonly csv = button("CSV", { class: "quiet", disabled: true }, () => {
    this.saveCsv();
  });
  private readonly dialog = element("dialog", { class: "sweep", "aria-labelledby": "sweep-title" });
  private rows: SweepRow[] = [];
  private running: AbortController | null = null;

  constructor(private readonly source: SweepSource) {
    source.chips.forEach(({ label }, index) => {
      this.size.append(element("option", { value: index }, label));
    });
    for (const target of kTargets) this.target.append(element("option", {}, target));
    this.values.addEventListener("input", () => {
      this.check();
    });
    this.values.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      void this.sweep();
    });
    const heads = ["Value", ...kColumns.map(([, title]) => title), "Problems"];
    const table = element(
      "table",
      { class: "sweep-table" },
      element("caption", { class: "sr-only" }, "What each value takes"),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      this.body,
    );
    this.dialog.append(
      element("h2", { id: "sweep-title" }, `Sweep a size of ${source.name}`),
      element(
        "div",
        { class: "sweep-form" },
        element("label", { for: "sweep-size" }, "Size"),
        this.size,
        element("label", { for: "sweep-values" }, "Values"),
        this.values,
        element("label", { for: "sweep-target" }, "Time on"),
        this.target,
        this.start,
      ),
      this.hint,
      element("div", { class: "sweep-result", tabindex: 0, role: "group", "aria-label": "Results" }, table),
      this.status,
      element("form", { method: "dialog" }, this.csv, " ", element("button", { class: "quiet" }, "Close")),
    );
    this.dialog.addEventListener("close", () => {
      this.running?.abort();
      this.dialog.remove();
    });
    this.check();
  }

  open(): void {
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.values.select();
  }

  /** The values that the text stands for, or what is wrong with it. */
  private check(): readonly number[] | null {
    const values = parseValues(this.values.value);
    const isRefused = "refused" in values;
    this.values.setAttribute("aria-invalid", String(isRefused));
    this.hint.textContent = isRefused
      ? values.refused
      : `${plural(values.length, "value")}: ${values.slice(0, 12).join(", ")}${values.length > 12 ? ", …" : ""}. Each is propagated.`;
    this.start.disabled = isRefused;
    return isRefused ? null : values;
  }

  private async sweep(): Promise<void> {
    const values = this.check();
    const chip = this.source.chips[Number(this.size.value)];
    if (values === null || (chip as SizeChip | undefined) === undefined) return;
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.rows = [];
    this.body.replaceChildren();
    for (const [index, value] of values.entries()) {
      this.status.textContent = `${index + 1} of ${values.length}: ${value}`;
      const row = await this.rowOf(chip, value, running.signal);
      if (running.signal.aborted) return;
      this.rows.push(row);
      this.render(chip);
    }
    this.status.textContent = `${plural(values.length, "value")} swept`;
    this.csv.disabled = false;
  }

  private async rowOf(chip: SizeChip, value: number, signal: AbortSignal): Promise<SweepRow> {
    const nothing = { value, peak: null, held: null, flops: null, seconds: null };
    try {
      const run = await this.source.run(chip, value, { signal });
      try {
        const problem = run.problems.at(0);
        const told = problem === undefined ? "" : `${problem.name}: ${problem.message}`;
        const counts = { problems: run.problems.length, problem: told };
        // What is not reached takes nothing: the totals would be too small.
        if (problem?.kind === "error") return { ...nothing, ...counts };
        const [memory, flops] = await Promise.all([run.memory(), run.flops()]);
        const time = await run.time(this.target.value).catch(() => null);
        const held = Object.values(memory.held);
        return {
          value,
          peak: numberIn(memory.peak?.bytes),
          held: held.every((bytes) => typeof bytes === "number")
            ? held.reduce((sum, bytes) => sum + bytes, 0)
            : null,
          flops: numberIn(flops.total),
          seconds: time?.seconds ?? null,
          ...counts,
        };
      } finally {
        void run.dispose();
      }
    } catch (error) {
      return { ...nothing, problems: 1, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  private render(chip: SizeChip): void {
    const most = kColumns.map(([key]) => Math.max(...this.rows.map((row) => row[key] ?? 0)));
    this.body.replaceChildren(
      ...this.rows.map((row) => {
        const show = button(
          String(row.value),
          { class: "link", title: "Show the program at this value" },
          () => {
            this.dialog.close();
            this.source.show(chip, row.value);
          },
        );
        const cells = kColumns.map(([key, , text], column) => barCell(row[key], most[column], text));
        const problems = element("td", { class: "sweep-problem" }, row.problem === "" ? "none" : row.problem);
        return element("tr", {}, element("th", { scope: "row" }, show), ...cells, problems);
      }),
    );
  }

  private saveCsv(): void {
    const chip = this.source.chips[Number(this.size.value)];
    const csv = sweepCsv(chip.names[0], this.target.value, this.rows);
    download(new Blob([csv], { type: "text/csv" }), `${this.source.name}.sweep.csv`);
  }
}

function numberIn(dim: number | string | undefined): number | null {
  return typeof dim === "number" ? dim : null;
}

/** The number over a bar as long as its share of the largest. */
function barCell(value: number | null, most: number, text: (value: number) => string): HTMLElement {
  const bar = element("span", { class: "sweep-bar", "aria-hidden": "true" });
  bar.style.width = value === null || most <= 0 ? "0" : `${(100 * value) / most}%`;
  return element("td", {}, bar, element("span", {}, value === null ? "–" : text(value)));
}
