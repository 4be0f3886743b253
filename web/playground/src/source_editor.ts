/**
 * The editor of the source pane: CodeMirror with the shape of each line's value at its end, hover, squiggles and the
 * completion of operators. Only lines in view are looked at, so a text may have 100,000.
 *
 * It stands in a shadow tree, where its style sheets are constructed: the page's policy forbids style elements.
 */
import {
  autocompletion,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import type { MergeView } from "@codemirror/merge";
import {
  Annotation,
  Compartment,
  EditorState,
  RangeSetBuilder,
  StateEffect,
  type Extension,
} from "@codemirror/state";
import {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { editorTheme } from "./source_style.js";

export interface EditorEvents {
  /** The user has changed the text. */
  readonly edited: (text: string) => void;
  /** The cursor stands in another line. */
  readonly line: (line: number) => void;
  /** What stands at the end of a line of the text that was answered, and whether it is an error; null for nothing. */
  readonly shape: (line: number) => { readonly text: string; readonly isError: boolean } | null;
  /** Everything about the name, as elements; null where it names nothing. */
  readonly about: (name: string) => Promise<HTMLElement | null>;
  readonly operators: () => Promise<readonly { readonly name: string; readonly schema: string }[]>;
  /** The keyboard leaves. */
  readonly left: () => void;
}

/** Where a line of the text was when it was answered: each edit since moves what stands below it. */
interface Shift {
  readonly first: number;
  readonly oldLast: number;
  readonly newLast: number;
}

/** From this width of the window on, what passes changed stands beside what was. */
const kBesideWidth = 1600;
/** Beside another text there is no room for them: the lines have annotations. */
const withoutShapes = EditorView.theme({ ".cm-shape": { display: "none" } });
const byProgram = Annotation.define<boolean>();
const answered = StateEffect.define();

export class SourceEditor {
  /** The editor, and, where there is room, the text before passes with another editor beside it. */
  private readonly alone: EditorView;
  private beside: MergeView | null = null;
  private readonly root: ShadowRoot;
  private shifts: Shift[] = [];
  private selected = 0;
  private readonly merging = new Compartment();

  constructor(
    private readonly host: HTMLElement,
    private readonly events: EditorEvents,
  ) {
    const root = host.attachShadow({ mode: "open" });
    this.root = root;
    this.alone = new EditorView({ parent: root, root, state: this.stateOf("") });
    // The page's keys are for where nothing is typed.
    host.addEventListener("keydown", (event) => {
      const isSearch = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!isSearch) event.stopPropagation();
    });
  }

  get view(): EditorView {
    return this.beside?.b ?? this.alone;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Another program's text, with a history of its own. `before`: what changed since then is marked. */
  setText(text: string, before: string | null = null): void {
    this.shifts = [];
    this.selected = 0;
    this.showBeside(null);
    this.alone.setState(this.stateOf(text));
    if (before !== null) void this.mark(before);
  }

  private async mark(before: string): Promise<void> {
    const { changesSince, sideBySide } = await import("./source_merge.js");
    if (window.innerWidth < kBesideWidth) {
      this.view.dispatch({ effects: this.merging.reconfigure(changesSince(before)) });
      return;
    }
    const read = [lineNumbers(), pythonLanguage, editorTheme, EditorState.readOnly.of(true)];
    const label = EditorView.contentAttributes.of({
      "aria-label": "The program before the passes",
      tabindex: "0",
    });
    const now = { doc: this.text, extensions: [this.extensions(), withoutShapes] };
    this.showBeside(sideBySide(this.root, { doc: before, extensions: [...read, label] }, now));
  }

  private showBeside(beside: MergeView | null): void {
    if (beside === this.beside) return;
    this.beside?.destroy();
    this.beside = beside;
    // CodeMirror's own style outweighs `hidden`.
    if (beside === null) this.root.append(this.alone.dom);
    else this.alone.dom.remove();
    this.host.classList.toggle("beside", beside !== null);
  }

  /** The text has been answered: shapes are those of its lines. */
  answered(
    problems: readonly { line: number; column: number; length: number; isError: boolean; message: string }[],
  ): void {
    this.shifts = [];
    const { doc } = this.view.state;
    const diagnostics = problems.map(({ line, column, length, isError, message }): Diagnostic => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
      const to = Math.min(from + length, at.to);
      return { from, to: Math.max(to, from), severity: isError ? "error" : "warning", message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics), { effects: answered.of(null) });
  }

  /** Marks the line of what is selected on the page, and brings it into view unless the keyboard is here. */
  select(line: number): void {
    this.selected = line;
    const { doc, selection } = this.view.state;
    // Where somebody types, the cursor is theirs.
    const isThere =
      this.view.hasFocus || line === 0 || line > doc.lines || doc.lineAt(selection.main.head).number === line;
    if (isThere) {
      this.view.dispatch({ effects: answered.of(null) });
      return;
    }
    const { from } = doc.line(line);
    this.view.dispatch({
      selection: { anchor: from },
      effects: [EditorView.scrollIntoView(from, { y: "center" }), answered.of(null)],
      annotations: byProgram.of(true),
    });
  }

  focus(): void {
    this.view.focus();
  }

  private stateOf(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.extensions() });
  }

  private extensions(): Extension[] {
    return [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      pythonLanguage,
      search({ top: true }),
      autocompletion({
        override: [(context) => this.complete(context)],
        icons: false,
        compareCompletions: (a, b) => (a.label < b.label ? -1 : 1),
      }),
      hoverTooltip((view, pos) => this.hover(view, pos)),
      // Tab is not taken: it leaves the editor, as it leaves any field.
      keymap.of([
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
        { key: "Escape", run: () => (this.events.left(), true) },
      ]),
      EditorView.contentAttributes.of({
        "aria-label": "Program as text. Tab and Escape leave it",
        tabindex: "0",
        spellcheck: "false",
        autocorrect: "off",
        autocapitalize: "off",
      }),
      EditorView.domEventHandlers({ beforeinput: replaceSelected }),
      EditorView.updateListener.of((update) => {
        this.updated(update);
      }),
      this.shapes(),
      editorTheme,
      this.merging.of([]),
    ];
  }

  private updated(update: ViewUpdate): void {
    if (update.docChanged) {
      update.changes.iterChanges((fromA, toA, _, toB) => {
        this.shifts.push({
          first: update.startState.doc.lineAt(fromA).number,
          oldLast: update.startState.doc.lineAt(toA).number,
          newLast: update.state.doc.lineAt(toB).number,
        });
      });
      if (!isByProgram(update)) this.events.edited(update.state.doc.toString());
      return;
    }
    if (!update.selectionSet || isByProgram(update)) return;
    const line = this.lineAnswered(update.state.doc.lineAt(update.state.selection.main.head).number);
    if (line !== null) this.events.line(line);
  }

  /** The line of the answered text that a line of the present one was; null for one that is new. */
  private lineAnswered(line: number): number | null {
    let at = line;
    for (const { first, oldLast, newLast } of this.shifts.toReversed()) {
      if (at > newLast) at += oldLast - newLast;
      else if (at > first) return null;
    }
    return at;
  }

  private shapes() {
    const build = (view: EditorView): DecorationSet => {
      const builder = new RangeSetBuilder<Decoration>();
      for (const { from, to } of view.visibleRanges) {
        for (let at = from; at <= to;) {
          const line = view.state.doc.lineAt(at);
          const was = this.lineAnswered(line.number);
          if (was !== null && was === this.selected) builder.add(line.from, line.from, kNodeLine);
          const shape = was === null ? null : this.events.shape(was);
          if (shape !== null)
            builder.add(
              line.to,
              line.to,
              Decoration.widget({ widget: new Shape(shape.text, shape.isError), side: 1 }),
            );
          at = line.to + 1;
        }
      }
      return builder.finish();
    };
    return ViewPlugin.fromClass(
      class {
        decorations: DecorationSet;
        constructor(view: EditorView) {
          this.decorations = build(view);
        }
        update(update: ViewUpdate): void {
          const isAnswered = update.transactions.some(({ effects }) =>
            effects.some((effect) => effect.is(answered)),
          );
          if (update.docChanged || update.viewportChanged || isAnswered)
            this.decorations = build(update.view);
        }
      },
      { decorations: ({ decorations }) => decorations },
    );
  }

  private async hover(view: EditorView, pos: number) {
    const word = view.state.wordAt(pos);
    if (word === null) return null;
    const dom = await this.events.about(view.state.sliceDoc(word.from, word.to));
    return dom === null ? null : { pos: word.from, end: word.to, above: true, create: () => ({ dom }) };
  }

  private async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const written = context.matchBefore(/[\w.]+/);
    if (written === null || (!written.text.includes(".") && !context.explicit)) return null;
    const isLong = written.text.startsWith("t") && "torch.ops.".startsWith(written.text.slice(0, 10));
    const options = (await this.events.operators()).map(({ name, schema }): Completion => {
      const dotted = name.replace("::", ".");
      const full = dotted.split(".").length === 2 ? `${dotted}.default` : dotted;
      return {
        label: isLong ? `torch.ops.${full}` : full,
        type: "function",
        info: schema,
        apply: `${isLong ? "torch.ops." : ""}${full}`,
      };
    });
    return { from: written.from, options, validFor: /^[\w.]*$/ };
  }
}

/** A browser that replaces what is selected would carry its looks over as inline styles, which the page's policy forbids. */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  if (inputType !== "insertText" || data === null || view.composing || view.state.selection.main.empty)
    return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

const kNodeLine = Decoration.line({ class: "cm-node-line" });

function isByProgram(update: ViewUpdate): boolean {
  return update.transactions.some((transaction) => transaction.annotation(byProgram) === true);
}

class Shape extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly isError: boolean,
  ) {
    super();
  }

  override eq(other: Shape): boolean {
    return other.text === this.text && other.isError === this.isError;
  }

  override toDOM(): HTMLElement {
    const shape = document.createElement("span");
    shape.className = this.isError ? "cm-shape cm-shape-error" : "cm-shape";
    shape.textContent = this.text;
    return shape;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
