/**
 * The source pane: the program as text beside its graph, to read, to change and to run passes on. Loaded when it is first
 * opened. What is typed is propagated {@link kPause} ms after the last key; of the texts that come while the engine works
 * the last one counts.
 */
import css from "../styles/source.css";
import { adoptStyle } from "./adopted_style.js";
import { button, element } from "./dom.js";
import { download } from "./export_picture.js";
import type { FullEngine, Program } from "./engine.js";
import { bytesText, contiguity, dimAt, dimsText, plural, sizesOf, stridesOf, valueText } from "./format.js";
import type { Model, Selection } from "./model.js";
import type { Shown, Source } from "./shown.js";
import { SourceEditor } from "./source_editor.js";
import { encodeText } from "./source_link.js";
import { Status, ValueKind } from "./engine.js";

/** After the last key. */
const kPause = 50;

export interface SourceActions {
  readonly engine: FullEngine;
  select(selection: Selection): void;
  /** Opens what was typed or what passes made, in the place of what is shown; what was wrong with it, or null. */
  replaceBy(source: Source): Promise<unknown>;
  /** The pane is open: narrow windows show it, or the graph again. */
  shows(open: boolean): void;
  say(sentence: string): void;
}

export class SourcePane {
  private readonly section = element("section", {
    class: "pane source",
    "aria-labelledby": "source-title",
    hidden: true,
  });
  private readonly status = element("span", { class: "source-status", id: "source-status", role: "status" });
  private readonly passes = element("div", { class: "source-passes", id: "source-passes", hidden: true });
  private readonly passList = element("input", {
    type: "text",
    "aria-label": "Passes, separated by commas",
    placeholder: "run_decompositions, cse, dce",
    spellcheck: "false",
    autocomplete: "off",
  });
  private readonly passNames = element(
    "select",
    { "aria-label": "Add a pass" },
    element("option", { value: "" }, "Add a pass…"),
  );
  private readonly passTold = element("p", { role: "status" });
  private readonly back = button("Take back", { class: "quiet", hidden: true }, () => void this.takeBack());
  private readonly passesButton = button(
    "Passes",
    { class: "quiet", "aria-expanded": "false", "aria-controls": "source-passes" },
    () => {
      this.togglePasses();
    },
  );
  private readonly editor: SourceEditor;
  private shown: Shown | null = null;
  /** Whose text stands in the editor. */
  private program: Program | null = null;
  private model: Model | null = null;
  private lines: readonly number[] = [];
  private rows = new Map<number, number>();
  /** What is to be propagated next, and what the editor's text was when it was last opened. */
  private wanted: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;
  /** The last source that the pane has opened itself, and what stood there before passes. */
  private own: Source | null = null;
  private before: { readonly source: Source; readonly text: string } | null = null;
  private marking: string | null = null;
  private operators: Promise<readonly { readonly name: string; readonly schema: string }[]> | null = null;

  constructor(private readonly actions: SourceActions) {
    adoptStyle(css);
    const host = element("div", { class: "source-host" });
    this.section.append(
      element(
        "div",
        { class: "source-head" },
        element("h2", { class: "pane-title", id: "source-title" }, "Source"),
        this.status,
        this.passesButton,
        button("Save", { class: "quiet", title: "The program as FX text" }, () => void this.save("text")),
        button(
          "JSON",
          { class: "quiet", title: "The program as exported-program JSON" },
          () => void this.save("json"),
        ),
        button(
          ".pt2",
          { class: "quiet", title: "The program as .pt2, with the weights of its file" },
          () => void this.save("pt2"),
        ),
        button("Close", { class: "quiet", title: "Close the source (U)" }, () => {
          this.toggle();
        }),
      ),
      this.passes,
      host,
    );
    const graph = document.querySelector("#panes > .graph");
    graph?.before(this.section);
    this.passes.append(
      this.passList,
      this.passNames,
      button("Run", { class: "primary" }, () => void this.runPasses()),
      this.back,
      this.passTold,
    );
    this.passList.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.runPasses();
    });
    this.passNames.addEventListener("change", () => {
      const given = this.passList.value.trim().replace(/,$/, "");
      this.passList.value = given === "" ? this.passNames.value : `${given}, ${this.passNames.value}`;
      this.passNames.value = "";
      this.passList.focus();
    });
    this.editor = new SourceEditor(host, {
      edited: (text) => {
        this.edited(text);
      },
      line: (line) => {
        const row = this.rows.get(line);
        if (row !== undefined) this.actions.select({ kind: "node", row });
      },
      shape: (line) => this.shapeAt(line),
      about: (name) => this.about(name),
      operators: () => (this.operators ??= this.actions.engine.operators()),
      left: () => {
        document.getElementById("stage")?.focus({ preventScroll: true });
      },
    });
  }

  get isOpen(): boolean {
    return !this.section.hidden;
  }

  toggle(): void {
    this.section.hidden = this.isOpen;
    this.actions.shows(this.isOpen);
    document.getElementById("source")?.setAttribute("aria-pressed", String(this.isOpen));
    if (!this.isOpen) {
      document.getElementById("source")?.focus({ preventScroll: true });
      return;
    }
    if (this.shown !== null) this.show(this.shown);
    this.editor.focus();
  }

  /** A program, or another run of the one that is shown. */
  show(shown: Shown): void {
    this.shown = shown;
    if (!this.isOpen) return;
    if (this.program === shown.program) this.answered(shown);
    else void this.take(shown);
  }

  select(selection: Selection | null): void {
    if (this.isOpen && this.program === this.shown?.program)
      this.editor.select(selection?.kind === "node" ? (this.lines[selection.row] ?? 0) : 0);
  }

  private async take(shown: Shown): Promise<void> {
    const { program, source } = shown;
    this.program = program;
    // Asked now: while the program tells its text, more may be typed, which makes a source of its own.
    const isOwn = source === this.own;
    if (!isOwn) this.tell("Reading…", false);
    try {
      const { text, lines } = await program.source();
      if (this.program !== program) return;
      const isTyped = isOwn && source.text !== undefined;
      this.lines = lines;
      this.rows = new Map();
      lines.forEach((line, row) => {
        if (line > 0 && !this.rows.has(line)) this.rows.set(line, row);
      });
      if (!isTyped) {
        if (!isOwn) this.forgetPasses();
        this.editor.setText(text, this.marking);
        this.marking = null;
      }
      this.answered(shown);
      this.select(shown.state.selection);
      if (performance.getEntriesByName("source-edited").length > 0)
        performance.measure("source-typed", "source-edited");
    } catch (error) {
      if (this.program === program) this.tell(errorText(error), true);
    }
  }

  /** Shapes, squiggles and the line about them. */
  private answered({ model, program, source }: Shown): void {
    this.model = model;
    const inText = program.textProblems.map(({ severity, ...problem }) => ({
      ...problem,
      isError: severity === "error",
    }));
    const inNodes = model.problems
      .filter(({ kind, node }) => kind !== "mismatch" && (this.lines[node] ?? 0) > 0)
      .map(({ node, message, kind }) => ({
        line: this.lines[node],
        column: this.columnOf(this.lines[node], model.table.names[node]),
        length: model.table.names[node].length,
        isError: kind === "error",
        message: message === "" ? `No rule for ${model.op(node)}` : message,
      }));
    // A text that has been changed since is answered again at once.
    if (this.wanted === null) this.editor.answered([...inText, ...inNodes]);
    const errors = [...inText, ...inNodes].filter(({ isError }) => isError);
    const first = errors.at(0);
    this.tell(
      first === undefined
        ? source.text === undefined
          ? plural(model.table.length, "node")
          : `${plural(model.table.length, "node")}, edited`
        : `${plural(errors.length, "error")}: line ${first.line}, column ${first.column}: ${first.message}`,
      first !== undefined,
    );
  }

  private columnOf(line: number, name: string): number {
    const { doc } = this.editor.view.state;
    if (line > doc.lines) return 1;
    const at = doc.line(line).text.indexOf(name);
    return at < 0 ? 1 : at + 1;
  }

  private tell(text: string, isError: boolean): void {
    this.status.textContent = text;
    this.status.title = text;
    this.status.classList.toggle("has-errors", isError);
  }

  private shapeAt(line: number): { text: string; isError: boolean } | null {
    const row = this.rows.get(line);
    const { model } = this;
    if (row === undefined || model === null || row >= model.table.length) return null;
    const { table } = model;
    if (table.status[row] === Status.ok) {
      return table.kind[row] === ValueKind.tensor ? { text: valueText(table, row), isError: false } : null;
    }
    const problem = model.problemAt(row);
    return problem === null
      ? { text: "not reached", isError: false }
      : { text: problem.message.split("\n")[0].slice(0, 120), isError: problem.kind === "error" };
  }

  /** Everything about a value, for the card at the pointer. */
  private async about(name: string): Promise<HTMLElement | null> {
    const { model, shown } = this;
    const row = model?.findRow(name) ?? null;
    if (model === null || shown === null || row === null) return null;
    const { table } = model;
    const detail = await shown.answer.run.node(row);
    const lines: (readonly [string, string])[] = [["", model.op(row)]];
    if (table.kind[row] === ValueKind.tensor) {
      const [size, stride] = [sizesOf(table, row), stridesOf(table, row)];
      lines.push(
        ["size", dimsText(size)],
        ["stride", `${dimsText(stride)}, ${contiguity(size, stride)}`],
        ["dtype", table.dtypes[table.dtype[row]]],
        ["device", table.devices[table.device[row]]],
        [
          "bytes",
          `${bytesText(dimAt(table.nbytes, row, table.expressions))}, storage #${table.storage[row]}`,
        ],
      );
    } else {
      lines.push(["value", valueText(table, row)]);
    }
    const module = table.module[row];
    if (module > 0) lines.push(["module", model.module(module).path]);
    lines.push(["read by", plural(model.readersOf(row).length, "node")]);
    if (detail.schema !== "") lines.push(["schema", detail.schema]);
    const where = detail.source.trim().split("\n").slice(-2).join(" ").trim();
    if (where !== "") lines.push(["source", where]);
    const problem = model.problemAt(row);
    if (problem !== null) lines.push(["problem", problem.message]);
    return element(
      "div",
      { class: "cm-value" },
      element("strong", {}, name),
      ...lines.map(([what, text]) =>
        element(
          "div",
          {},
          ...(what === "" ? [] : [element("span", {}, `${what} `)]),
          element("code", {}, text),
        ),
      ),
    );
  }

  // ---- What is typed

  private edited(text: string): void {
    this.wanted = text;
    performance.mark("source-edited");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.propagate(), kPause);
  }

  private async propagate(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.wanted !== null) {
        const text = this.wanted;
        this.wanted = null;
        const name = this.shown?.source.kind === "file" ? this.shown.source.name : "edited.py";
        const source: Source = {
          kind: "file",
          name: name.replace(/\.(pt2|json|gz|zip)+$/g, ".py"),
          blob: new Blob([text]),
          text,
          code: await encodeText(text),
        };
        this.own = source;
        const refused = await this.actions.replaceBy(source);
        if (refused !== null) this.refuse(refused);
      }
    } finally {
      this.busy = false;
    }
  }

  /** A text in which there is no program: what was shown stays. */
  private refuse(error: unknown): void {
    const text = errorText(error);
    const place = /:(\d+):(\d+): (.*)/.exec(text);
    const [line, column, message] =
      place === null ? [1, 1, text] : [Number(place[1]), Number(place[2]), place[3]];
    this.editor.answered([{ line, column, length: 1000, isError: true, message }]);
    this.tell(text, true);
  }

  // ---- Passes

  private togglePasses(): void {
    this.passes.hidden = !this.passes.hidden;
    this.passesButton.setAttribute("aria-expanded", String(!this.passes.hidden));
    if (this.passes.hidden) return;
    this.passList.focus();
    if (this.passNames.options.length > 1) return;
    this.actions.engine.passes().then(
      (passes) => {
        for (const { name, argument, about } of passes) {
          const value = argument === "" || argument.startsWith("[") ? name : `${name}${argument}`;
          this.passNames.append(element("option", { value, title: about }, `${name}: ${about}`));
        }
      },
      (error: unknown) => {
        this.passTell(errorText(error), true);
      },
    );
  }

  private passTell(text: string, isError: boolean): void {
    this.passTold.textContent = text;
    this.passTold.classList.toggle("has-errors", isError);
  }

  /** The program becomes what the passes make of it; changed lines are marked. */
  private async runPasses(): Promise<void> {
    const { shown } = this;
    const names = this.passList.value
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    if (shown === null || names.length === 0) return;
    this.passTell(`Running ${names.join(", ")}…`, false);
    try {
      // Passes may be asked for before the text is there.
      const text = this.editor.text || (await shown.program.source()).text;
      const before = this.before ?? { source: shown.source, text };
      const result = await shown.program.runPass(names);
      if (this.shown !== shown) return;
      const signs = [...result.diff.matchAll(/^[-+]/gm)].map(([sign]) => sign);
      const count = (sign: string): number => signs.filter((found) => found === sign).length;
      const changed = `${plural(count("+"), "new line")}, ${count("-")} gone`;
      const told = result.passes
        .filter(({ info }) => info !== null && !("changed" in (info as object)))
        .map(({ name, info }) => `${name}: ${JSON.stringify(info)}`.slice(0, 400));
      if (result.program === undefined) {
        this.editor.setText(result.text ?? "", this.editor.text);
        this.passTell(`${changed}. No exported program comes of it: ${errorText(result.refusal)}`, true);
        return;
      }
      const json = await result.program.toJson();
      this.made = {
        program: result.program,
        source: { kind: "file", name: shown.source.name, blob: new Blob([json]) },
      };
      this.before = before;
      this.marking = before.text;
      this.own = this.made.source;
      this.back.hidden = false;
      const refused = await this.actions.replaceBy(this.made.source);
      if (refused !== null) {
        this.passTell(errorText(refused), true);
        return;
      }
      const sentence = `${names.join(", ")}: ${signs.length === 0 ? "nothing changed" : changed}`;
      this.passTell([sentence, ...told].join(". "), false);
      this.actions.say(sentence);
    } catch (error) {
      this.passTell(errorText(error), true);
    }
  }

  /** With the weights of the file that it came from. */
  private made: { readonly program: Program; readonly source: Source } | null = null;

  private async takeBack(): Promise<void> {
    const { before } = this;
    if (before === null) return;
    this.forgetPasses();
    this.own = null;
    const refused = await this.actions.replaceBy(before.source);
    if (refused === null) this.passTell("Taken back", false);
    else this.passTell(errorText(refused), true);
  }

  private forgetPasses(): void {
    this.before = null;
    this.marking = null;
    this.back.hidden = true;
    void this.made?.program.dispose();
    this.made = null;
  }

  // ---- Saving

  private async save(form: "text" | "json" | "pt2"): Promise<void> {
    const { shown } = this;
    if (shown === null) return;
    const name = shown.source.name.replace(/(\.(pt2|json|gz|zip|py|txt))+$/, "");
    // What passes made knows its weights; the page has its graph alone.
    const program = this.made?.source === shown.source ? this.made.program : shown.program;
    try {
      if (form === "text") download(new Blob([this.editor.text], { type: "text/x-python" }), `${name}.py`);
      else if (form === "json")
        download(new Blob([await program.toJson()], { type: "application/json" }), `${name}.json`);
      else download(new Blob([await program.toPt2()]), `${name}.pt2`);
    } catch (error) {
      this.tell(errorText(error), true);
    }
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
