/**
 * The page as a whole. One immutable {@link PageState} says what is wanted; {@link App.refresh} compares it with what is
 * shown and asks the engine for the difference: a new propagation where a what-if changed, a new layout where modules
 * were opened or closed. A newer wish overtakes an older one that is still computing. {@link Views} show it.
 */
import { AddressBar } from "./address_bar.js";
import type { Answer } from "./answers.js";
import { sizeChips } from "./chips.js";
import type { ColorMode } from "./coloring.js";
import { commandsOf, type Command } from "./commands.js";
import { CostsQuestion } from "./costs_question.js";
import { isDeviceFile } from "./device_file.js";
import type { ExportFormat } from "./exports.js";
import { Unreachable, type FullEngine, type Progressing } from "./engine.js";
import { sameSelection, type Model, type Selection } from "./model.js";
import { isAbort, misfitSentence, modelOf, openProgram, type Opened } from "./opening.js";
import { addressOf, stateOf } from "./permalink.js";
import { Scene } from "./scene.js";
import type { Remedy } from "./notice.js";
import type { Setting } from "./settings.js";
import { copyAddress } from "./sharing.js";
import type { Shown, Source } from "./shown.js";
import {
  History,
  kAsInFile,
  sameNumbers,
  sameWhatIf,
  toggled,
  withDims,
  type Camera,
  type PageState,
  type StepKind,
  type WhatIf,
} from "./state.js";
import { kEmptyAddress, parseHash, type Address } from "./url_state.js";
import { withSetting } from "./what_if_bar.js";
import { Views, type Actions } from "./views.js";

/** How a program comes to be shown. */
export interface OpeningOptions {
  /** It is shown in the place of a link's file: the link stays in the address, and what was said of it. */
  readonly standsIn?: boolean;
  /** Told what went wrong in the place of the user, who is not told what of the address does not fit either. */
  readonly refused?: (error: unknown) => void;
}

const kEmptyState: PageState = {
  whatIf: kAsInFile,
  expanded: [],
  selection: null,
  camera: null,
  alive: null,
  color: "plain",
  plumbing: false,
};

export class App implements Actions {
  private shown: Shown | null = null;
  private history = new History(kEmptyState);
  private automaticExpanded: readonly number[] = [];
  private refreshing = false;
  private stale = false;
  private restoreCamera = false;
  private readonly addressBar = new AddressBar((hash) => {
    this.goTo(parseHash(hash));
  });
  private work: AbortController | null = null;
  /** The part of `work` that opens a program: what is wanted of the shown one waits for its end. */
  private opening: AbortController | null = null;
  /** Module whose corner stays where it is on screen while its content unfolds. */
  private anchor: number | null = null;
  readonly views = new Views(this);
  private readonly costs = new CostsQuestion((shown) => {
    if (this.shown === shown) this.views.showCosts(shown);
  });

  /** Opens a built-in program by its name. */
  examples: (name: string) => void = () => undefined;

  constructor(readonly engine: FullEngine) {}

  /** What the search box offers. */
  commands(): readonly Command[] {
    return commandsOf(this);
  }

  /** How deep modules are nested. */
  get deepest(): number {
    return this.shown?.model.maxDepth() ?? 0;
  }

  // ---- Opening

  /** Opens a program in the place of the shown one, which stays if the new one cannot be read. Returns whether it could. */
  async open(
    source: Source,
    address: Address,
    { standsIn = false, refused }: OpeningOptions = {},
  ): Promise<boolean> {
    const { notice, progress } = this.views;
    if (!standsIn) notice.dismiss();
    const work = this.begin(`Reading ${source.name}`);
    this.opening = work;
    this.sayWhatWaits();
    performance.mark("open-begin");
    try {
      const opened = await openProgram(source.engine ?? this.engine, source, address, {
        signal: work.signal,
        reading: (done, total) => {
          progress.update(done, total);
        },
        read: () => {
          progress.next(`Propagating ${source.name}`);
        },
        propagating: (done, total) => {
          progress.update(done, total, "node");
        },
      });
      if (!standsIn) this.addressBar.release();
      this.replace(source, opened, refused === undefined);
      performance.mark("graph-shown");
      performance.measure("open", "open-begin", "graph-shown");
      return true;
    } catch (error) {
      if (refused === undefined) this.failed(source, address, error);
      else refused(error);
      return false;
    } finally {
      if (this.opening === work) this.opening = null;
      this.finish(work);
      // Catches up with changes of the shown program that were wanted while the other was read.
      void this.refresh();
    }
  }

  /** A link belongs to a file that is not open: its hash stays in the address until something is opened. */
  waitFor(hash: string, sentence: string): void {
    this.addressBar.hold(hash);
    this.views.notice.show(sentence);
  }

  get answer(): Answer | null {
    return this.shown?.answer ?? null;
  }

  /** Whether somebody waits for the engine. */
  get isWorking(): boolean {
    return this.work !== null;
  }

  /** Whether anything was opened, or is about to be. */
  get isUsed(): boolean {
    return this.shown !== null || this.opening !== null;
  }

  /** The shown program, which a link may belong to. */
  get source(): Source | null {
    return this.shown?.source ?? null;
  }

  private replace(source: Source, opened: Opened, tells: boolean): void {
    const { program, answers, answer, model, layout, automatic } = opened;
    const misfits = [...opened.misfits];
    let { state } = opened;
    const scene = new Scene(model, layout, state.expanded);
    const { camera } = state;
    if (camera !== null && !this.views.canvas.shows(scene, camera)) {
      misfits.push("at (nothing is there)");
      state = { ...state, camera: null };
    }
    const before = this.shown;
    this.shown = { source, program, answers, answer, model, scene, state, profile: null, devices: null };
    this.automaticExpanded = automatic;
    before?.answers.dispose();
    void before?.program.dispose();
    this.history = new History(state);
    this.restoreCamera = false; // what was wished for another program
    this.views.showProgram(this.shown);
    this.showWish();
    this.addressBar.begin(this.address(this.shown));
    this.costs.ask(this.shown);
    const sentence = misfitSentence(misfits, source.name);
    if (tells && sentence !== null) this.views.notice.show(sentence);
  }

  /** What the source pane made, with what is set and selected as far as it has that. Why it was not opened, or null. */
  async replaceBy(source: Source): Promise<unknown> {
    let why: unknown = null;
    const refused = (error: unknown): void => {
      why = error;
    };
    await this.open(source, this.shown === null ? kEmptyAddress : this.address(this.shown), { refused });
    return why;
  }

  private failed(source: Source, address: Address, error: unknown): void {
    if (isAbort(error)) {
      this.views.announcer.say(`Stopped reading ${source.name}`);
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const remedy: Remedy =
      error instanceof Unreachable
        ? { label: "Try again", run: () => void this.open(source, address) }
        : {
            label: "How to get a .pt2",
            run: () => {
              this.showHowTo();
            },
          };
    this.views.notice.show(reason.includes(source.name) ? reason : `${source.name}: ${reason}`, remedy);
  }

  // ---- Work that can be cancelled

  private begin(sentence: string): AbortController {
    this.work?.abort();
    this.work = new AbortController();
    this.views.progress.begin(sentence);
    return this.work;
  }

  private finish(work: AbortController): void {
    if (this.work !== work) return;
    this.work = null;
    this.views.progress.end();
  }

  /** Ends what the engine does; its worker is replaced, and the shown program lives on in the new one. */
  cancel(): void {
    const { work, opening } = this;
    if (work === null) return;
    this.opening = null;
    work.abort();
    this.finish(work);
    if (this.shown !== null && opening === null) this.takeBack(this.shown);
    this.views.announcer.say("Cancelled");
  }

  private progressing(work: AbortController): Progressing {
    return {
      signal: work.signal,
      onProgress: (done, total) => {
        this.views.progress.update(done, total, "node");
      },
    };
  }

  // ---- Changes

  /** A step of the user's: kept in the history, then shown. */
  private change(part: Partial<PageState>, kind: StepKind, group?: string): void {
    if (this.shown === null) return;
    this.history.push({ ...this.history.current, ...part }, kind, group);
    void this.refresh();
  }

  move(camera: Camera): void {
    this.change({ camera }, "camera");
  }

  setWhatIf(whatIf: WhatIf, group?: string): void {
    this.change({ whatIf }, "edit", group);
  }

  /** Back or forward in the browser: what the address says of the shown program, as a step that can be undone. */
  private goTo(address: Address): void {
    const { shown } = this;
    const isShown = shown?.source.name === (address.example ?? address.file);
    if (shown === null || !isShown) return;
    const { state } = stateOf(shown.model, address, this.automaticExpanded);
    const { profiles } = this.history.current.whatIf;
    this.history.push({ ...state, whatIf: { ...state.whatIf, profiles } }, "edit");
    void this.refresh(true);
  }

  /** A part of the what-if, whatever the rest is. */
  changeWhatIf(part: Partial<WhatIf>): void {
    this.setWhatIf({ ...this.history.current.whatIf, ...part });
  }

  resetWhatIf(): void {
    this.setWhatIf(kAsInFile);
  }

  setSymbol(symbol: string, setting: Setting | null, group: string): void {
    this.setWhatIf(withDims(this.history.current.whatIf, [symbol], setting), group);
  }

  /** A YAML file: a device to ask about, or profiles that answer the operators without a rule. */
  async useYaml(file: File): Promise<void> {
    this.views.notice.dismiss();
    const yaml = await file.text();
    if (isDeviceFile(yaml)) this.views.addDevice(file.name, yaml);
    else this.changeWhatIf({ profiles: { name: file.name, yaml } });
  }

  /** Answers the operators without a rule by the profiles of a file. */
  async useProfiles(file: File): Promise<void> {
    this.views.notice.dismiss();
    const profiles = { name: file.name, yaml: await file.text() };
    this.setWhatIf({ ...this.history.current.whatIf, profiles });
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

  select(selection: Selection | null, reveal = true): void {
    if (sameSelection(selection, this.history.current.selection)) return;
    this.views.follow(reveal);
    this.change({ selection }, "select");
  }

  /** Fades the graph to what is alive while a row runs, and selects that; null: all of it is shown again. */
  fade(row: number | null): void {
    if (row === this.history.current.alive) return;
    if (row === null) this.change({ alive: null }, "fade", "end");
    else this.change({ alive: row, selection: { kind: "node", row } }, "fade");
  }

  /** Draws sizes, assertions and aliases, or leaves them out. */
  setPlumbing(plumbing: boolean): void {
    this.change({ plumbing }, "expand");
  }

  comparePin(): void {
    if (this.views.isPinned) this.views.unpin();
    else if (this.shown?.profile) this.views.pin(this.shown);
  }

  setColor(color: ColorMode): void {
    this.change({ color }, "fade", "color");
  }

  jump(selection: Selection): void {
    if (this.shown === null) return;
    const { model } = this.shown;
    const inside = model.enclosing(selection);
    const around = inside?.kind === "module" ? model.modulePath(inside.id) : [];
    const expanded = [...new Set([...this.history.current.expanded, ...around])].sort((a, b) => a - b);
    const opens = !sameNumbers(expanded, this.history.current.expanded);
    // A problem is shown where it is, even in what is left out of the picture.
    const isProblem = selection.kind === "node" && model.problemAt(selection.row) !== null;
    const isLeftOut = isProblem && this.shown.scene.placeOf(selection) < 0;
    const plumbing = this.history.current.plumbing || isLeftOut;
    this.views.follow("again");
    this.history.push(
      { ...this.history.current, expanded, selection, plumbing },
      opens || isLeftOut ? "expand" : "select",
    );
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

  /** Esc: closes what is open on top, else stops work that takes long, else the selection goes one module up, else away. */
  stepBack(): void {
    if (this.views.notice.dismiss()) return;
    if (this.views.closeSearch()) return;
    if (this.shown !== null && this.views.progress.isShown) {
      this.cancel();
      return;
    }
    const { selection, alive } = this.history.current;
    if (alive !== null) this.fade(null);
    else if (selection !== null && this.shown !== null) this.select(this.shown.model.enclosing(selection));
  }

  revealSelection(): void {
    const { selection } = this.history.current;
    if (this.shown !== null && selection !== null)
      this.views.canvas.reveal(this.shown.scene.placeOf(selection));
  }

  // ---- Showing

  /** Brings what is shown to what is wanted; a wish that comes while the engine computes is met right after. */
  private async refresh(restoreCamera = false): Promise<void> {
    this.restoreCamera ||= restoreCamera;
    this.showWish();
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

  /** While another program is read, the engine has no time for the shown one: a change of it waits, and the page says so. */
  private sayWhatWaits(): void {
    const { shown } = this;
    if (shown === null) return;
    const { newRun, newLayout } = this.differences(shown);
    if (!newRun && !newLayout) return;
    const sentence = `Your change to ${shown.source.name} waits. Cancel to see it now`;
    this.views.progress.tell(sentence);
    this.views.announcer.say(sentence);
  }

  /** What the engine is to do for what is wanted. */
  private differences(shown: Shown): { newRun: boolean; newLayout: boolean } {
    const want = this.history.current;
    return {
      newRun: !sameWhatIf(want.whatIf, shown.state.whatIf),
      newLayout: want.plumbing !== shown.state.plumbing || !sameNumbers(want.expanded, shown.state.expanded),
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
          ? await shown.program.layout({ expanded: want.expanded, plumbing: want.plumbing })
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
        this.views.canvas.show(shown.scene, false);
        this.views.showRun(shown, this.history.current, newRun ? before : null);
        if (newRun) this.costs.ask(shown);
      } catch (error) {
        if (isAbort(error)) return;
        this.takeBack(shown);
        const again = (): void => {
          this.change({ whatIf: want.whatIf, expanded: want.expanded, plumbing: want.plumbing }, "edit");
        };
        this.views.notice.show(
          error,
          error instanceof Unreachable ? { label: "Try again", run: again } : null,
        );
      } finally {
        if (answer !== shown.answer || this.shown !== shown) shown.answers.release(answer);
        this.finish(work);
      }
    }
    const { selection, camera, alive, color } = this.history.current;
    this.views.showOverlays(shown, alive, color);
    if (this.restoreCamera) {
      this.restoreCamera = false;
      if (camera === null) this.views.canvas.fit();
      else this.views.canvas.setCamera(camera);
    }
    this.views.showSelection(shown, selection);
  }

  /** After a failed or cancelled step: what is wanted is what is shown, as a step of its own that can be undone. */
  private takeBack(shown: Shown): void {
    const { whatIf, expanded, plumbing } = shown.state;
    this.history.push({ ...this.history.current, whatIf, expanded, plumbing }, "edit");
    this.showWish();
  }

  /** Moves the camera so that the module which was opened or closed keeps its corner on screen. */
  private keepAnchor(before: Scene, after: Scene): void {
    const id = this.anchor;
    this.anchor = null;
    if (id === null) return;
    this.views.canvas.keepCorner(before, after, { kind: "module", id });
  }

  /** What follows from the wish alone: fields, buttons, the address. */
  private showWish(): void {
    this.views.showWish(this.shown?.model ?? null, this.history);
    if (this.shown === null) return;
    this.addressBar.follow(() => (this.shown === null ? null : this.address(this.shown)));
  }

  /** The address of what is wanted now. */
  private address(shown: Shown): Address {
    const { kind, name } = shown.source;
    const source = {
      example: kind === "example" ? name : null,
      file: kind === "file" ? name : null,
      code: shown.source.code ?? null,
    };
    return addressOf(shown.model, this.history.current, this.automaticExpanded, source);
  }

  /** Saves the whole picture, with everything that is open, or what is known of all nodes, as a file. */
  async saveAs(format: ExportFormat): Promise<void> {
    const { shown } = this;
    if (shown === null) return;
    try {
      const { saveAs } = await import("./exports.js");
      await saveAs(format, shown, this.views.canvas.looks, this.views.theme);
    } catch (error) {
      this.views.notice.show(error);
    }
  }

  showHelp(): void {
    this.showDialog(import("./help.js").then(({ showHelp }) => showHelp));
  }

  showHowTo(): void {
    this.showDialog(import("./how_to.js").then(({ showHowTo }) => showHowTo));
  }

  showSweep(): void {
    const { shown } = this;
    if (shown === null) return;
    this.showDialog(
      import("./sweep_dialog.js").then(({ showSweep }) => () => {
        showSweep({
          name: shown.source.name,
          chips: sizeChips(shown.program.info),
          run: (chip, value, progressing) =>
            shown.answers.runOf(withSetting(this.history.current.whatIf, chip, value), progressing),
          show: (chip, value) => {
            this.setWhatIf(withSetting(this.history.current.whatIf, chip, value));
          },
        });
      }),
    );
  }

  private showDialog(dialog: Promise<() => void>): void {
    dialog.then(
      (show) => {
        show();
      },
      (error: unknown) => {
        this.views.notice.show(error);
      },
    );
  }

  async copyLink(): Promise<void> {
    const { shown } = this;
    if (shown === null) return;
    this.addressBar.write({ ...this.address(shown), camera: this.views.canvas.camera });
    await copyAddress(this.views);
  }
}
