/**
 * The page as a whole. One immutable {@link PageState} says what is wanted; {@link App.refresh} compares it with what is
 * shown and asks the engine for the difference: a new propagation where a what-if changed, a new layout where modules
 * were opened or closed. A newer wish overtakes an older one that is still computing.
 */
import { AddressBar } from "./address_bar.js";
import { Announcer } from "./announcer.js";
import type { Answers } from "./answers.js";
import { type Answer } from "./answers.js";
import { CanvasView } from "./canvas_view.js";
import { byId } from "./dom.js";
import type { Engine, Program, Progressing } from "./engine.js";
import { countText, plural } from "./format.js";
import { DepthBar } from "./depth_bar.js";
import { Inspector } from "./inspector.js";
import { Minimap } from "./minimap.js";
import type { Model } from "./model.js";
import { changedRows, sameSelection, type Selection } from "./model.js";
import { Notice } from "./notice.js";
import { Outline } from "./outline.js";
import { makeMeasure } from "./painter.js";
import { ProblemsPane, problemSentence } from "./problems_pane.js";
import { PaneTabs } from "./pane_tabs.js";
import { isAbort, misfitSentence, modelOf, openProgram, type Opened } from "./opening.js";
import { addressOf } from "./permalink.js";
import { Progress } from "./progress.js";
import { Scene } from "./scene.js";
import { SearchBox } from "./search_box.js";
import { copyAddress, savePicture } from "./sharing.js";
import {
  History,
  kAsInFile,
  sameNumbers,
  sameWhatIf,
  toggled,
  withDims,
  type PageState,
  type StepKind,
} from "./state.js";
import { SymbolsPane, brokenSentence } from "./symbols_pane.js";
import { Theme } from "./theme.js";
import type { Address } from "./url_state.js";
import { WhatIfBar } from "./what_if_bar.js";

/** Where a program came from: a built-in example, which an address can name, or a file of the user. */
export interface Source {
  readonly kind: "example" | "file";
  /** The example's id, or the file's name. */
  readonly name: string;
  readonly blob: Blob;
}

/** How a program comes to be shown. */
export interface OpeningOptions {
  /** It is shown in the place of a link's file: the link stays in the address, and what was said of it. */
  readonly standsIn?: boolean;
}

interface Shown {
  readonly source: Source;
  readonly program: Program;
  readonly answers: Answers;
  answer: Answer;
  model: Model;
  scene: Scene;
  state: PageState;
}

const kEmptyState: PageState = { whatIf: kAsInFile, expanded: [], selection: null, camera: null };

export class App {
  private shown: Shown | null = null;
  private history = new History(kEmptyState);
  private automaticExpanded: readonly number[] = [];
  /** Undefined: the selection is to be brought into view even if it is the one that was. */
  private shownSelection: Selection | null | undefined = null;
  private reveals = true;
  private refreshing = false;
  private stale = false;
  private restoreCamera = false;
  private readonly addressBar = new AddressBar();
  private work: AbortController | null = null;
  /** The part of `work` that opens a program: what is wanted of the shown one waits for its end. */
  private opening: AbortController | null = null;
  /** What the search found: `>= 0` rows, `< 0` modules `~target`. */
  private matches: readonly number[] = [];
  /** Module whose corner stays where it is on screen while its content unfolds. */
  private anchor: number | null = null;
  readonly measure = makeMeasure();
  readonly notice = new Notice();
  private readonly tabs = new PaneTabs((name) => {
    if (name === "symbols") this.symbols.open(true);
  });
  private readonly announcer = new Announcer(byId("live", HTMLElement));
  readonly theme: Theme;
  private readonly view: CanvasView;
  private readonly minimap: Minimap;
  private readonly outline: Outline;
  private readonly inspector: Inspector;
  private readonly problems: ProblemsPane;
  private readonly search: SearchBox;
  private readonly symbols: SymbolsPane;
  private readonly whatIfBar: WhatIfBar;
  private readonly progress: Progress;
  private readonly depths: DepthBar;

  constructor(private readonly engine: Engine) {
    this.theme = new Theme(() => {
      this.themeChanged();
    });
    const select = (selection: Selection | null, reveal = true): void => {
      this.select(selection, reveal);
    };
    const toggle = (id: number): void => {
      this.toggle(id);
    };
    this.minimap = new Minimap(byId("minimap", HTMLCanvasElement), this.theme, (x, y) => {
      this.view.moveTo({ ...this.view.camera, x, y });
    });
    this.view = new CanvasView(
      byId("stage", HTMLElement),
      byId("canvas", HTMLCanvasElement),
      this.theme,
      this.measure,
      {
        select,
        toggle,
        moved: (camera) => {
          this.change({ camera }, "camera");
        },
        painted: (camera, size) => {
          this.minimap.paint(camera, size);
        },
      },
    );
    this.outline = new Outline(byId("tree", HTMLElement), { select, toggle });
    this.inspector = new Inspector(byId("inspector", HTMLElement), {
      select: (selection) => {
        this.jump(selection);
      },
      toggle,
      details: () => this.shown?.answer ?? null,
    });
    this.symbols = new SymbolsPane({
      set: (symbol, setting, group) => {
        this.change({ whatIf: withDims(this.history.current.whatIf, [symbol], setting) }, "edit", group);
      },
      jump: (row) => {
        this.tabs.show("graph");
        this.jump({ kind: "node", row });
      },
    });
    this.problems = new ProblemsPane(byId("problems", HTMLElement), (row) => {
      this.tabs.show("graph");
      this.jump({ kind: "node", row });
    });
    this.search = new SearchBox(byId("search", HTMLInputElement), byId("search-results", HTMLElement), {
      jump: (selection) => {
        this.tabs.show("graph");
        this.jump(selection);
      },
      matched: (matches) => {
        this.matches = matches.map(({ target }) => target);
        this.markMatches();
      },
      say: (sentence) => {
        this.announcer.say(sentence);
      },
    });
    this.whatIfBar = new WhatIfBar(
      byId("chips", HTMLElement),
      (whatIf, group) => {
        this.change({ whatIf }, "edit", group);
      },
      (file) => void this.useProfiles(file),
    );
    this.depths = new DepthBar(byId("depths", HTMLElement), (depth) => {
      this.expandToDepth(depth);
    });
    this.progress = new Progress(
      byId("progress", HTMLElement),
      byId("progress-bar", HTMLProgressElement),
      byId("progress-text", HTMLElement),
      byId("progress-aside", HTMLElement),
      byId("cancel", HTMLButtonElement),
      () => {
        this.cancel();
      },
    );
    this.themeChanged();
  }

  /** In the boxes of the present layout. */
  private markMatches(): void {
    this.view.highlight(this.shown?.scene.boxesOf(this.matches) ?? new Set());
  }

  // ---- Opening

  /** Opens a program in the place of the shown one, which stays if the new one cannot be read. Returns whether it could. */
  async open(source: Source, address: Address, { standsIn = false }: OpeningOptions = {}): Promise<boolean> {
    if (!standsIn) this.notice.dismiss();
    const work = this.begin(`Reading ${source.name}`);
    this.opening = work;
    this.sayWhatWaits();
    performance.mark("open-begin");
    try {
      const opened = await openProgram(this.engine, source, address, {
        signal: work.signal,
        reading: (done, total) => {
          this.progress.update(done, total);
        },
        read: () => {
          this.progress.next(`Propagating ${source.name}`);
        },
        propagating: (done, total) => {
          this.progress.update(done, total, "node");
        },
      });
      if (!standsIn) this.addressBar.hold(false);
      this.replace(source, opened);
      performance.mark("graph-shown");
      performance.measure("open", "open-begin", "graph-shown");
      return true;
    } catch (error) {
      this.failed(source, error);
      return false;
    } finally {
      if (this.opening === work) this.opening = null;
      this.finish(work);
      // What was wanted of the shown program while the other was read.
      void this.refresh();
    }
  }

  /** A link belongs to a file that is not open: it stays in the address until something is opened. */
  waitFor(sentence: string): void {
    this.addressBar.hold(true);
    this.notice.show(sentence);
  }

  /** Whether anything was opened, or is about to be. */
  get isUsed(): boolean {
    return this.shown !== null || this.opening !== null;
  }

  /** The shown program, which a link may belong to. */
  get source(): Source | null {
    return this.shown?.source ?? null;
  }

  private replace(source: Source, opened: Opened): void {
    const { program, answers, answer, model, layout, automatic } = opened;
    const misfits = [...opened.misfits];
    let { state } = opened;
    const scene = new Scene(model, layout, state.expanded);
    const { camera } = state;
    if (camera !== null && !this.view.shows(scene, camera)) {
      misfits.push("at (nothing is there)");
      state = { ...state, camera: null };
    }
    const before = this.shown;
    this.shown = { source, program, answers, answer, model, scene, state };
    this.automaticExpanded = automatic;
    before?.answers.dispose();
    void before?.program.dispose();
    this.history = new History(state);
    this.showProgram();
    const sentence = misfitSentence(misfits, source.name);
    if (sentence !== null) this.notice.show(sentence);
  }

  private showProgram(): void {
    if (this.shown === null) return;
    const { source, program, state, scene } = this.shown;
    byId("file-name", HTMLElement).textContent =
      source.kind === "example" ? `${source.name} (example)` : source.name;
    document.title = `${source.name} · faketensor`;
    this.whatIfBar.show(program.info, state.whatIf);
    this.search.close();
    this.depths.show(this.shown.model, state.expanded);
    this.view.show(scene, state.camera === null);
    if (state.camera !== null) this.view.setCamera(state.camera);
    this.showRun(null);
    this.showState();
    this.shownSelection = state.camera === null && state.selection !== null ? undefined : state.selection;
    this.showSelection(this.shown);
    this.announcer.say(this.summarySentence());
  }

  private failed(source: Source, error: unknown): void {
    if (isAbort(error)) {
      this.announcer.say(`Stopped reading ${source.name}`);
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.notice.show(reason.includes(source.name) ? reason : `${source.name}: ${reason}`);
  }

  // ---- Work that can be cancelled

  private begin(sentence: string): AbortController {
    this.work?.abort();
    this.work = new AbortController();
    this.progress.begin(sentence);
    return this.work;
  }

  private finish(work: AbortController): void {
    if (this.work !== work) return;
    this.work = null;
    this.progress.end();
  }

  /** Ends what the engine does; its worker is replaced, and the shown program lives on in the new one. */
  cancel(): void {
    const { work, opening } = this;
    if (work === null) return;
    this.opening = null;
    work.abort();
    this.finish(work);
    if (this.shown !== null && opening === null) this.takeBack(this.shown);
    this.announcer.say("Cancelled");
  }

  private progressing(work: AbortController): Progressing {
    return {
      signal: work.signal,
      onProgress: (done, total) => {
        this.progress.update(done, total, "node");
      },
    };
  }

  // ---- Changes

  /** A step of the user's: kept in the history, then shown. */
  change(part: Partial<PageState>, kind: StepKind, group?: string): void {
    if (this.shown === null) return;
    this.history.push({ ...this.history.current, ...part }, kind, group);
    void this.refresh();
  }

  /** Answers the operators without a rule by the profiles of a file. */
  async useProfiles(file: File): Promise<void> {
    this.notice.dismiss();
    const profiles = { name: file.name, yaml: await file.text() };
    this.change({ whatIf: { ...this.history.current.whatIf, profiles } }, "edit");
  }

  undo(): void {
    if (!this.history.canUndo) return;
    this.history.undo();
    void this.refresh(true);
  }

  redo(): void {
    if (!this.history.canRedo) return;
    this.history.redo();
    void this.refresh(true);
  }

  /** `reveal`: bring it into view if it is not. */
  select(selection: Selection | null, reveal = true): void {
    if (sameSelection(selection, this.history.current.selection)) return;
    this.reveals = reveal;
    this.change({ selection }, "select");
  }

  /** Selects, opening the modules around it so that it can be seen, and brings it into view. */
  jump(selection: Selection): void {
    if (this.shown === null) return;
    const { model } = this.shown;
    const inside = model.enclosing(selection);
    const around = inside?.kind === "module" ? model.modulePath(inside.id) : [];
    const expanded = [...new Set([...this.history.current.expanded, ...around])].sort((a, b) => a - b);
    const opens = !sameNumbers(expanded, this.history.current.expanded);
    this.shownSelection = undefined;
    this.reveals = true;
    this.history.push({ ...this.history.current, expanded, selection }, opens ? "expand" : "select");
    void this.refresh();
  }

  toggle(id: number): void {
    if (this.shown === null) return;
    this.anchor = id;
    const { expanded } = this.history.current;
    const { model } = this.shown;
    const next = toggled(expanded, id);
    // What was selected inside a module that closes would vanish: the module takes over.
    const { selection } = this.history.current;
    const closes = expanded.includes(id) && selection !== null && this.isInside(model, selection, id);
    this.change({ expanded: next, selection: closes ? { kind: "module", id } : selection }, "expand");
  }

  private isInside(model: Model, selection: Selection, id: number): boolean {
    for (let at = model.enclosing(selection); at !== null; at = model.enclosing(at)) {
      if (at.kind === "module" && at.id === id) return true;
    }
    return false;
  }

  expandToDepth(depth: number): void {
    if (this.shown === null) return;
    const expanded = this.shown.model.modulesToDepth(depth);
    this.history.push({ ...this.history.current, expanded, camera: null }, "expand");
    void this.refresh(true);
  }

  /** Esc: closes what is open on top, else stops reading a file, else the selection goes one module up, else away. */
  stepBack(): void {
    if (this.notice.dismiss()) return;
    if (this.search.close()) {
      byId("stage", HTMLElement).focus({ preventScroll: true });
      return;
    }
    if (this.opening !== null && this.shown !== null) {
      this.cancel();
      return;
    }
    const { selection } = this.history.current;
    if (selection !== null && this.shown !== null) this.select(this.shown.model.enclosing(selection));
  }

  fit(): void {
    this.view.fitWhole();
  }

  zoom(factor: number): void {
    this.view.zoom(factor);
  }

  revealSelection(): void {
    const { selection } = this.history.current;
    if (this.shown !== null && selection !== null) this.view.reveal(this.shown.scene.boxOf(selection));
  }

  firstProblem(): void {
    const { first } = this.problems;
    if (first === null) this.announcer.say("No problems");
    else this.jump({ kind: "node", row: first.node });
  }

  /** What was assumed about sizes: a section of the inspector where nothing is selected. */
  showGuards(): void {
    this.tabs.show("inspector");
    this.select(null);
    this.inspector.focusGuards();
  }

  /** The pane of symbols, with the keyboard in its first field. */
  showSymbols(): void {
    this.tabs.show("symbols");
    if (this.symbols.focusFirst()) return;
    this.tabs.show("graph");
    this.announcer.say("All sizes of this program are numbers");
  }

  focusSearch(): void {
    this.search.open();
  }

  focusSizes(): void {
    this.whatIfBar.focusFirst();
  }

  toggleTheme(): void {
    this.theme.toggle();
  }

  // ---- Showing

  /** Brings what is shown to what is wanted; a wish that comes while the engine computes is met right after. */
  private async refresh(restoreCamera = false): Promise<void> {
    this.restoreCamera ||= restoreCamera;
    this.showState();
    this.stale = true;
    if (this.opening !== null) this.sayWhatWaits();
    if (this.refreshing) return;
    this.refreshing = true;
    try {
      while (this.stale && this.opening === null) {
        this.stale = false;
        await this.catchUp();
      }
    } finally {
      this.refreshing = false;
    }
  }

  /** While another program is read, the engine has no time for the shown one; a change of it is neither lost nor in the way. */
  private sayWhatWaits(): void {
    const { shown } = this;
    if (shown === null) return;
    const { newRun, newLayout } = this.differences(shown);
    if (!newRun && !newLayout) return;
    const sentence = `Your change to ${shown.source.name} waits. Cancel to see it now`;
    this.progress.tell(sentence);
    this.announcer.say(sentence);
  }

  /** What the engine is to do for what is wanted. */
  private differences(shown: Shown): { newRun: boolean; newLayout: boolean } {
    const want = this.history.current;
    return {
      newRun: !sameWhatIf(want.whatIf, shown.state.whatIf),
      newLayout: !sameNumbers(want.expanded, shown.state.expanded),
    };
  }

  private async catchUp(): Promise<void> {
    const { shown } = this;
    const want = this.history.current;
    if (shown === null) return;
    const { newRun, newLayout } = this.differences(shown);
    if (newRun || newLayout) {
      const work = this.begin(newRun ? "Answering" : "Laying out");
      let { answer } = shown;
      try {
        if (newRun) answer = await shown.answers.answer(want.whatIf, this.progressing(work));
        const layout = newLayout
          ? await shown.program.layout({ expanded: want.expanded })
          : shown.scene.layout;
        if (this.shown !== shown) return;
        work.signal.throwIfAborted();
        const before = shown.model;
        const drawnBefore = shown.scene;
        shown.answers.keep(answer);
        shown.answer = answer;
        shown.model = newRun ? modelOf(shown.program, answer) : before;
        shown.scene = new Scene(shown.model, layout, want.expanded);
        shown.state = want;
        this.keepAnchor(drawnBefore, shown.scene);
        this.view.show(shown.scene, false);
        this.showRun(newRun ? before : null);
      } catch (error) {
        if (isAbort(error)) return;
        this.takeBack(shown);
        this.notice.show(error);
      } finally {
        if (answer !== shown.answer || this.shown !== shown) shown.answers.release(answer);
        this.finish(work);
      }
    }
    this.showSelection(shown);
  }

  /** After a failed or cancelled step: what is wanted is what is shown, as a step of its own that can be undone. */
  private takeBack(shown: Shown): void {
    const { whatIf, expanded } = shown.state;
    this.history.push({ ...this.history.current, whatIf, expanded }, "edit");
    this.showState();
  }

  /** Moves the camera so that the module which was opened or closed keeps its corner on screen. */
  private keepAnchor(before: Scene, after: Scene): void {
    const id = this.anchor;
    this.anchor = null;
    if (id === null) return;
    this.view.keepCorner(before, after, { kind: "module", id });
  }

  /** What follows from the run and the picture: panes, counts, and the flash of what changed since `before`. */
  private showRun(before: Model | null): void {
    const { shown } = this;
    if (shown === null) return;
    const { model, scene, state } = shown;
    this.minimap.show(scene);
    this.outline.show(model, state.expanded, this.history.current.selection);
    this.inspector.show(model, this.history.current.selection, state.expanded);
    this.view.select(this.history.current.selection);
    this.search.show(model);
    this.markMatches();
    this.problems.show(model);
    this.showSymbolic(before, model);
    byId("summary", HTMLElement).textContent = this.summarySentence();
    byId("graph-title", HTMLElement).textContent =
      `Graph of ${shown.source.name}: ${plural(scene.layout.box.count - 1, "box", "boxes")}`;
    if (before === null) return;
    const changed = changedRows(before.table, model.table);
    this.view.flash([...scene.boxesOf(changed)]);
    const said = [`${countText(changed.size)} of ${plural(model.table.length, "value")} changed`];
    if (model.symbolic.broken.length > 0) said.push(brokenSentence(model.symbolic.broken));
    if (model.problems.length > 0) said.push(problemSentence(this.problems.counts));
    this.announcer.say(said.join(", "));
  }

  /** The first guard that breaks opens the list, which says why. */
  private showSymbolic(before: Model | null, model: Model): void {
    this.symbols.show(model, this.history.current.whatIf.dims);
    const breaks = model.symbolic.broken.length > 0 && (before?.symbolic.broken.length ?? 0) === 0;
    if (breaks) this.symbols.open(true);
  }

  openProblems(open: boolean): void {
    this.problems.open(open);
  }

  /** What follows from the wish alone: fields, buttons, the address. */
  private showState(): void {
    const { shown } = this;
    const want = this.history.current;
    // Not `disabled`, which would take the keyboard away from a button that has just been pressed for the last time.
    byId("undo", HTMLElement).ariaDisabled = String(!this.history.canUndo);
    byId("redo", HTMLElement).ariaDisabled = String(!this.history.canRedo);
    if (shown === null) return;
    this.whatIfBar.update(want.whatIf);
    this.symbols.update(want.whatIf.dims);
    this.depths.mark(shown.model, want.expanded);
    this.addressBar.follow(() => (this.shown === null ? null : this.address(this.shown)));
  }

  private showSelection(shown: Shown): void {
    const { selection, camera } = this.history.current;
    if (this.restoreCamera) {
      this.restoreCamera = false;
      if (camera === null) this.view.fit();
      else this.view.setCamera(camera);
    }
    if (this.shownSelection !== undefined && sameSelection(this.shownSelection, selection)) return;
    this.shownSelection = selection;
    this.view.select(selection);
    this.outline.select(selection);
    this.inspector.show(shown.model, selection, shown.state.expanded);
    if (selection === null) return;
    if (this.reveals) this.view.reveal(shown.scene.boxOf(selection));
    this.announcer.say(shown.model.describe(selection));
  }

  /** The address of what is wanted now. */
  private address(shown: Shown): Address {
    const { kind, name } = shown.source;
    const source = { example: kind === "example" ? name : null, file: kind === "file" ? name : null };
    return addressOf(shown.model, this.history.current, this.automaticExpanded, source);
  }

  private summarySentence(): string {
    if (this.shown === null) return "";
    const { table, milliseconds, symbolic } = this.shown.model;
    const time = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
    const isPropagated = symbolic.how === "free" || symbolic.how === "propagated";
    return `${plural(table.length, "value")} in ${time} ms${isPropagated ? "" : ", not propagated again"}`;
  }

  private themeChanged(): void {
    const dark = this.theme.name === "dark";
    byId("theme", HTMLElement).setAttribute("aria-pressed", String(dark));
    this.minimap.forget();
    this.view.redraw();
  }

  /** Saves the whole picture, with everything that is open, as a file. */
  async exportPicture(format: "svg" | "png"): Promise<void> {
    if (this.shown === null) return;
    const { scene, source } = this.shown;
    try {
      await savePicture(scene, this.history.current.selection, source.name, format, this);
    } catch (error) {
      this.notice.show(error);
    }
  }

  async copyLink(): Promise<void> {
    const { shown } = this;
    if (shown === null) return;
    this.addressBar.write({ ...this.address(shown), camera: this.view.camera });
    await copyAddress(this.announcer, this.notice);
  }
}
