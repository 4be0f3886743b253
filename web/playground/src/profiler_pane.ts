/**
 * The profiler: the simulated time of a device as a table of operators and as a flame chart over modules. A bar leads to its
 * node or module, and what is selected is marked here. Loaded when it is asked for.
 */
import css from "../styles/profiler.css";
import { adoptStyle } from "./adopted_style.js";
import type { Answer } from "./answers.js";
import { button, element } from "./dom.js";
import type { AverageRow, KeyAverages, RunTrace } from "./engine.js";
import { download } from "./export_picture.js";
import { flameOf, longestRows, type Bar, type Flame } from "./flame.js";
import { countText, plural, secondsText } from "./format.js";
import type { Selection } from "./model.js";
import type { Shown } from "./shown.js";

export interface ProfilerEvents {
  /** Selects it, and brings it into view. */
  readonly jump: (selection: Selection) => void;
}

const kTargets = ["h100", "h200", "b200", "a100", "l4", "rtx4090", "mi300x", "cpu"];
const kNano = 1e-9;
const kMicro = 1e-6;
/** Of the chart's width: what is narrower is not drawn, and seen by zooming in. */
const kNarrowest = 0.0015;
const kRowHeight = 20;

interface Column {
  readonly title: string;
  readonly value: (row: AverageRow) => number | string;
  readonly text: (row: AverageRow, total: number) => string;
}

const kColumns: readonly Column[] = [
  { title: "Operator", value: (row) => row.key, text: (row) => row.key },
  {
    title: "Device time",
    value: (row) => row.selfDeviceTimeTotal,
    text: (row) => secondsText(row.selfDeviceTimeTotal * kMicro),
  },
  {
    title: "Share",
    value: (row) => row.selfDeviceTimeTotal,
    text: (row, total) => `${total > 0 ? ((100 * row.selfDeviceTimeTotal) / total).toFixed(1) : 0} %`,
  },
  { title: "Calls", value: (row) => row.count, text: (row) => countText(row.count) },
  {
    title: "Mean",
    value: (row) => row.selfDeviceTimeTotal / row.count,
    text: (row) => secondsText((row.selfDeviceTimeTotal / row.count) * kMicro),
  },
];

export class ProfilerPane {
  private readonly target = element("select", { "aria-label": "Device" });
  private readonly status = element("p", { class: "quiet", role: "status" });
  private readonly head = element("tr");
  private readonly rows = element("tbody");
  private readonly chart = element("div", {
    class: "flame",
    role: "group",
    "aria-label": "Flame chart over modules",
  });
  private readonly whole = button("Whole run", { class: "quiet", disabled: true }, () => {
    this.zoom(null);
  });
  private readonly save = button(
    "Chrome trace",
    { class: "quiet", disabled: true },
    () => void this.saveTrace(),
  );
  private readonly box = this.build();
  private shown: Shown | null = null;
  /** What the chart is of, or is asked about. */
  private answer: Answer | null = null;
  private selection: Selection | null = null;
  private trace: RunTrace | null = null;
  private averages: KeyAverages | null = null;
  private longest = new Map<string, number>();
  private flame: Flame | null = null;
  private zoomed: Bar | null = null;
  private sorted = { column: 1, descending: true };
  private asked = 0;
  /** What had the keyboard when the pane was opened. */
  private opener: Element | null = null;

  constructor(private readonly events: ProfilerEvents) {
    adoptStyle(css);
    for (const name of kTargets) this.target.append(element("option", {}, name));
    this.target.addEventListener("change", () => void this.ask());
    this.chart.addEventListener("keydown", (event) => {
      this.moveInChart(event);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    });
  }

  /** Opens the pane, or closes it. */
  toggle(shown: Shown, selection: Selection | null): void {
    if (this.box.isConnected) {
      this.close();
      return;
    }
    this.opener = document.activeElement;
    document.body.append(this.box);
    this.selection = selection;
    this.show(shown);
    this.target.focus();
  }

  /** Another run is shown, or another program, or another picture of the same, of which nothing changes here. */
  show(shown: Shown): void {
    this.shown = shown;
    if (this.box.isConnected && this.answer !== shown.answer) void this.ask();
  }

  /** What is selected in graph and outline. */
  mark(selection: Selection | null): void {
    this.selection = selection;
    if (!this.box.isConnected) return;
    for (const bar of this.chart.querySelectorAll<HTMLElement>("button")) this.markBar(bar);
    this.markRows();
    this.chart.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  private close(): void {
    this.asked++;
    this.answer = null;
    this.box.remove();
    if (this.opener instanceof HTMLElement) this.opener.focus();
  }

  private build(): HTMLElement {
    for (const [index, { title }] of kColumns.entries()) {
      const sort = button(title, { class: "link" }, () => {
        const { column, descending } = this.sorted;
        this.sorted = { column: index, descending: column === index ? !descending : index > 0 };
        this.fillTable();
      });
      this.head.append(element("th", { scope: "col", class: index > 0 ? "number" : "" }, sort));
    }
    const close = button("Close", { class: "quiet" }, () => {
      this.close();
    });
    return element(
      "section",
      { id: "profiler", class: "profiler", "aria-labelledby": "profiler-title" },
      element(
        "div",
        { class: "profiler-head" },
        element("h2", { id: "profiler-title", class: "pane-title" }, "Profiler"),
        element("label", {}, "Simulated on ", this.target),
        this.status,
        this.whole,
        this.save,
        close,
      ),
      element(
        "div",
        { class: "profiler-body" },
        element(
          "div",
          { class: "profiler-table", tabindex: "0", role: "region", "aria-label": "Operators by time" },
          element("table", {}, element("thead", {}, this.head), this.rows),
        ),
        element("div", { class: "profiler-chart" }, this.chart),
      ),
    );
  }

  // ---- Asking

  private async ask(): Promise<void> {
    const { shown } = this;
    if (shown === null) return;
    const asked = ++this.asked;
    this.answer = shown.answer;
    const target = this.target.value;
    this.status.textContent = "Propagating…";
    this.save.disabled = true;
    try {
      const [trace, averages] = await shown.answers.onNumbers(shown.answer, (run) =>
        Promise.all([run.trace({ target }), run.keyAverages({ target })]),
      );
      if (asked !== this.asked) return;
      this.trace = trace;
      this.averages = averages;
      this.longest = longestRows(trace);
      this.flame = flameOf(trace);
      this.zoomed = null;
      const kernels = trace.events.filter(({ deviceDuration }) => deviceDuration !== undefined).length;
      const sum = secondsText(trace.deviceNanoseconds * kNano);
      this.status.textContent = `${trace.device ?? target}: ${plural(kernels, "kernel")} in ${sum}, by its roofline`;
      this.save.disabled = false;
    } catch (error) {
      if (asked !== this.asked) return;
      this.trace = this.averages = this.flame = null;
      this.status.textContent = error instanceof Error ? error.message : String(error);
    }
    this.fillTable();
    this.draw();
  }

  private async saveTrace(): Promise<void> {
    const { shown } = this;
    if (shown === null) return;
    const { name } = shown.source;
    try {
      const text = await shown.answers.onNumbers(shown.answer, (run) =>
        run.chromeTrace({ target: this.target.value, process: name }),
      );
      download(new Blob([text], { type: "application/json" }), `${name}.trace.json`);
    } catch (error) {
      this.status.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  // ---- The table

  private fillTable(): void {
    const { column, descending } = this.sorted;
    for (const [index, head] of [...this.head.children].entries()) {
      if (index !== column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    }
    const { value } = kColumns[column];
    const rows = (this.averages?.rows ?? []).filter(({ key }) => this.longest.has(key));
    const total = rows.reduce((sum, row) => sum + row.selfDeviceTimeTotal, 0);
    rows.sort((a, b) => compare(value(a), value(b)) * (descending ? -1 : 1));
    this.rows.replaceChildren(...rows.map((row) => this.rowOf(row, total)));
    this.markRows();
  }

  private rowOf(row: AverageRow, total: number): HTMLElement {
    const [first, ...rest] = kColumns;
    const name = button(
      first.text(row, total),
      { class: "link", title: "Select the node in which it takes longest" },
      () => {
        const at = this.longest.get(row.key);
        if (at !== undefined) this.events.jump({ kind: "node", row: at });
      },
    );
    const cells = rest.map(({ text }) => element("td", { class: "number" }, text(row, total)));
    return element("tr", { "data-key": row.key }, element("th", { scope: "row" }, name), ...cells);
  }

  /** The operators that the selected node calls. */
  private markRows(): void {
    const { selection } = this;
    const called = new Set<string>();
    let isIn = false;
    for (const { row, name } of this.trace?.events ?? []) {
      if (row !== undefined) isIn = selection?.kind === "node" && selection.row === row;
      else if (isIn) called.add(name);
    }
    for (const row of this.rows.querySelectorAll("tr")) {
      if (called.has(row.dataset["key"] ?? "")) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  // ---- The chart

  private zoom(bar: Bar | null): void {
    this.zoomed = bar;
    this.draw();
    this.chart.querySelector<HTMLElement>("button")?.focus();
  }

  private draw(): void {
    const { flame, zoomed } = this;
    const start = zoomed?.start ?? 0;
    const span = zoomed?.duration ?? flame?.total ?? 0;
    this.whole.disabled = zoomed === null;
    this.chart.style.height = `${(flame?.depth ?? 0) * kRowHeight}px`;
    const bars = (flame?.bars ?? []).filter(
      (bar) =>
        bar.start < start + span && bar.start + bar.duration > start && bar.duration >= span * kNarrowest,
    );
    this.chart.replaceChildren(...bars.map((bar) => this.barOf(bar, start, span, flame?.total ?? 0)));
    this.chart.querySelector("button")?.setAttribute("tabindex", "0");
  }

  private barOf(bar: Bar, start: number, span: number, total: number): HTMLElement {
    const { row, module, label, depth, duration } = bar;
    const share = `${((100 * duration) / total).toFixed(1)} %`;
    const what = row === null ? module : label;
    const told = `${what}: ${secondsText(duration * kNano)}, ${share}`;
    const made = button(label, { title: told, "aria-label": told, tabindex: "-1" }, () => {
      const selection = this.selectionOf(row, module);
      if (selection !== null) this.events.jump(selection);
    });
    made.dataset["module"] = module;
    if (row !== null) made.dataset["row"] = String(row);
    made.style.background = row === null ? `var(--tint-${(depth % 8) + 1})` : "var(--input)";
    const from = Math.max(bar.start, start);
    const to = Math.min(bar.start + duration, start + span);
    made.style.left = `${(100 * (from - start)) / span}%`;
    made.style.width = `${(100 * (to - from)) / span}%`;
    made.style.top = `${depth * kRowHeight}px`;
    made.addEventListener("dblclick", () => {
      this.zoom(bar);
    });
    this.markBar(made);
    return made;
  }

  private selectionOf(row: number | null, module: string): Selection | null {
    if (row !== null) return { kind: "node", row };
    const id = this.shown?.model.info.modules.find(({ path }) => path === module)?.id;
    return id === undefined ? null : { kind: "module", id };
  }

  private markBar(bar: HTMLElement): void {
    const { row, module } = bar.dataset;
    const { selection, shown } = this;
    const isSelected =
      selection?.kind === "node"
        ? row === String(selection.row)
        : selection !== null && row === undefined && shown?.model.info.modules[selection.id].path === module;
    if (isSelected) bar.setAttribute("aria-current", "true");
    else bar.removeAttribute("aria-current");
  }

  /** Left and right along the bars, up and down between modules and what is inside; Z zooms in. */
  private moveInChart(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const bars = [...this.chart.querySelectorAll<HTMLElement>("button")];
    const at = bars.findIndex((bar) => bar === document.activeElement);
    if (at < 0) return;
    const place = (bar: HTMLElement): { top: number; left: number; right: number; middle: number } => {
      const left = parseFloat(bar.style.left);
      const width = parseFloat(bar.style.width);
      return { top: parseFloat(bar.style.top), left, right: left + width, middle: left + width / 2 };
    };
    const here = place(bars[at]);
    const isAround = (outer: typeof here, inner: typeof here): boolean =>
      outer.left <= inner.middle && inner.middle <= outer.right;
    const above = (): HTMLElement | undefined =>
      bars.find((bar) => place(bar).top === here.top - kRowHeight && isAround(place(bar), here));
    const below = (): HTMLElement | undefined =>
      bars.find((bar) => place(bar).top === here.top + kRowHeight && isAround(here, place(bar)));
    const level = bars.filter((bar) => place(bar).top === here.top);
    const along = level.indexOf(bars[at]);
    const next: Readonly<Record<string, () => HTMLElement | undefined>> = {
      ArrowLeft: () => level.at(Math.max(along - 1, 0)),
      ArrowRight: () => level.at(Math.min(along + 1, level.length - 1)),
      ArrowUp: above,
      ArrowDown: below,
      Home: () => bars[0],
    };
    if (event.key.toLowerCase() === "z") bars[at].dispatchEvent(new MouseEvent("dblclick"));
    else if (event.key in next) {
      const found = next[event.key]();
      if (found !== undefined) {
        bars[at].tabIndex = -1;
        found.tabIndex = 0;
        found.focus();
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
