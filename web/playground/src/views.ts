/**
 * The picture, the panes and the bars: what each shows of a program, and what the user does in it, which {@link Actions}
 * takes. Nothing here asks the engine for a run or a layout.
 */
import { assumedSentence } from "./assumptions.js";
import { Announcer } from "./announcer.js";
import type { Answer } from "./answers.js";
import { CanvasView } from "./canvas_view.js";
import type { Cards } from "./cards.js";
import type { Compare } from "./compare.js";
import type { Comparison } from "./comparison.js";
import { kColorModes, tintsOf, type ColorMode } from "./coloring.js";
import type { Command } from "./commands.js";
import { DepthBar } from "./depth_bar.js";
import type { FullEngine } from "./engine.js";
import { byId } from "./dom.js";
import { countText, plural } from "./format.js";
import { brokenSentence } from "./guard_texts.js";
import { Inspector } from "./inspector.js";
import { Later } from "./later.js";
import type { LaterPanes } from "./later_panes.js";
import { Lists } from "./lists.js";
import type { MemoryProfile } from "./memory_profile.js";
import { Minimap } from "./minimap.js";
import { changedRows, sameSelection, type Model, type Selection } from "./model.js";
import { Notice } from "./notice.js";
import { Outline } from "./outline.js";
import { makeMeasure } from "./painter.js";
import { PaneTabs } from "./pane_tabs.js";
import { countProblems, ProblemsPane, problemSentence } from "./problems_pane.js";
import type { ProfilerPane } from "./profiler_pane.js";
import { Progress } from "./progress.js";
import type { Scene } from "./scene.js";
import { SearchField } from "./search_field.js";
import type { Setting } from "./settings.js";
import type { Shown, Source } from "./shown.js";
import type { Camera, History, PageState, WhatIf } from "./state.js";
import type { SourcePane } from "./source_pane.js";
import { Theme } from "./theme.js";
import type { TimeProfile } from "./time_profile.js";
import { WhatIfBar } from "./what_if_bar.js";

/** What the user does in the panes. */
export interface Actions {
  /** `reveal`: bring it into view if it is not. */
  select(selection: Selection | null, reveal?: boolean): void;
  /** Selects, opening the modules around it, and brings it into view. */
  jump(selection: Selection): void;
  toggle(module: number): void;
  fade(row: number | null): void;
  setColor(color: ColorMode): void;
  setPlumbing(plumbing: boolean): void;
  /** Pins what is shown as A, or ends the comparison. */
  comparePin(): void;
  expandToDepth(depth: number): void;
  move(camera: Camera): void;
  /** Steps of one `group` are one in the history. */
  setWhatIf(whatIf: WhatIf, group?: string): void;
  setSymbol(symbol: string, setting: Setting | null, group: string): void;
  useProfiles(file: File): Promise<void>;
  cancel(): void;
  /** Every action of the page, by name. */
  commands(): readonly Command[];
  /** What is shown, to ask for details of it. */
  readonly answer: Answer | null;
  readonly engine: FullEngine;
  replaceBy(source: Source): Promise<unknown>;
}

export class Views {
  readonly measure = makeMeasure();
  readonly notice = new Notice();
  readonly announcer = new Announcer(byId("live", HTMLElement));
  readonly theme: Theme;
  readonly canvas: CanvasView;
  readonly progress: Progress;
  readonly search: SearchField;
  readonly lists: Lists;
  private readonly tabs = new PaneTabs((name) => {
    this.lists.openTab(name);
  });
  private readonly minimap: Minimap;
  private readonly outline: Outline;
  private readonly inspector: Inspector;
  private readonly problems: ProblemsPane;
  private readonly whatIfBar: WhatIfBar;
  private readonly depths: DepthBar;
  /** After the first picture. */
  private readonly later: Later<LaterPanes>;
  // When there is something to show in them, or they are asked for.
  private readonly source: Later<SourcePane>;
  private readonly compare: Later<Compare>;
  private readonly cards: Later<Cards>;
  private readonly profiler: Later<ProfilerPane>;
  private readonly pinButton = byId("pin", HTMLButtonElement);
  private readonly plumbing = byId("plumbing", HTMLButtonElement);
  private readonly trace = byId("trace", HTMLButtonElement);
  private readonly colors = byId("color", HTMLSelectElement);
  private scene: Scene | null = null;
  private shown: Shown | null = null;
  /** What the search found: `>= 0` rows, `< 0` modules `~target`. */
  private matches: readonly number[] = [];
  /** Undefined: the selection is to be brought into view even if it is the one that was. */
  private shownSelection: Selection | null | undefined = null;
  private reveals = true;
  /** What the picture is coloured by and faded to. */
  private overlaid: {
    readonly scene: Scene | null;
    readonly profile: MemoryProfile | null;
    readonly time: TimeProfile | null;
    readonly alive: number | null;
    readonly color: ColorMode;
    readonly comparison: Comparison | null;
  } = { scene: null, profile: null, time: null, alive: null, color: "plain", comparison: null };

  constructor(private readonly actions: Actions) {
    this.theme = new Theme(() => {
      this.themeChanged();
    });
    const select = (selection: Selection | null, reveal?: boolean): void => {
      actions.select(selection, reveal);
    };
    const toggle = (module: number): void => {
      actions.toggle(module);
    };
    const jumpInGraph = (selection: Selection): void => {
      this.tabs.show("graph");
      actions.jump(selection);
    };
    this.minimap = new Minimap(byId("minimap", HTMLCanvasElement), this.theme, (x, y) => {
      this.canvas.moveTo({ ...this.canvas.camera, x, y });
    });
    this.canvas = new CanvasView(
      byId("stage", HTMLElement),
      byId("canvas", HTMLCanvasElement),
      this.theme,
      this.measure,
      {
        select,
        toggle,
        moved: (camera) => {
          actions.move(camera);
        },
        hovered: (box, x, y) => {
          const { scene } = this;
          if (scene === null) return;
          this.cards.use(({ hover }) => {
            hover.move(scene, this.overlaid.profile, box, x, y);
          });
        },
        painted: (camera, size) => {
          this.minimap.paint(camera, size);
        },
      },
    );
    this.outline = new Outline(byId("tree", HTMLElement), { select, toggle });
    this.inspector = new Inspector(byId("inspector", HTMLElement), {
      select: (selection) => {
        actions.jump(selection);
      },
      toggle,
      details: () => actions.answer,
    });
    const jumpToRow = (row: number): void => {
      jumpInGraph({ kind: "node", row });
    };
    const failed = (error: unknown): void => {
      this.notice.show(error);
    };
    const fade = (row: number | null): void => {
      actions.fade(row);
    };
    this.later = new Later(async () => {
      const { LaterPanes } = await import("./later_panes.js");
      return new LaterPanes(this.theme, {
        jump: jumpToRow,
        fade,
        devicesAnswered: (shown) => {
          this.showDevices(shown);
        },
        say: (sentence) => {
          this.announcer.say(sentence);
        },
      });
    }, failed);
    const details = this.tabs.show.bind(this.tabs, "inspector");
    this.cards = new Later(async () => new (await import("./cards.js")).Cards({ toggle, details }), failed);
    this.lists = new Lists(this.tabs, this.announcer, {
      jumpToRow,
      setSymbol: (symbol, setting, group) => {
        actions.setSymbol(symbol, setting, group);
      },
      setWhatIf: (whatIf) => {
        actions.setWhatIf(whatIf);
      },
      failed,
    });
    this.compare = new Later(async () => {
      const { Compare } = await import("./compare.js");
      const { devices } = await new Promise<LaterPanes>((resolve) => {
        this.later.use(resolve);
      });
      const completed = (): void => {
        if (this.shown !== null) this.showCompared(this.shown);
      };
      const events = { jump: jumpToRow, unpin: this.unpin.bind(this), completed };
      return new Compare(events, this.theme, devices.devices);
    }, failed);
    this.profiler = new Later(async () => {
      const { ProfilerPane } = await import("./profiler_pane.js");
      return new ProfilerPane({ jump: jumpInGraph });
    }, failed);
    this.problems = new ProblemsPane(byId("problems", HTMLElement), (row) => {
      jumpInGraph({ kind: "node", row });
    });
    this.search = new SearchField(
      {
        jump: jumpInGraph,
        matched: (matches) => {
          this.matches = matches.map(({ target }) => target);
          this.markMatches();
        },
        commands: () => actions.commands(),
        left: () => {
          byId("stage", HTMLElement).focus({ preventScroll: true });
        },
        say: (sentence) => {
          this.announcer.say(sentence);
        },
      },
      failed,
    );
    this.source = new Later(
      async () => {
        const { SourcePane } = await import("./source_pane.js");
        return new SourcePane({
          engine: actions.engine,
          select,
          replaceBy: (source) => actions.replaceBy(source),
          shows: (open) => {
            byId("source-tab", HTMLElement).hidden = !open;
            this.tabs.show(open ? "source" : "graph");
          },
          say: (sentence) => {
            this.announcer.say(sentence);
          },
        });
      },
      failed,
      (pane) => {
        if (this.shown !== null) pane.show(this.shown);
      },
    );
    this.whatIfBar = new WhatIfBar(
      byId("chips", HTMLElement),
      (whatIf, group) => {
        actions.setWhatIf(whatIf, group);
      },
      (file) => void actions.useProfiles(file),
    );
    this.depths = new DepthBar(byId("depths", HTMLElement), (depth) => {
      actions.expandToDepth(depth);
    });
    this.pinButton.addEventListener("click", () => {
      actions.comparePin();
    });
    this.plumbing.addEventListener("click", () => {
      actions.setPlumbing(this.plumbing.ariaPressed !== "true");
    });
    this.trace.addEventListener("click", () => {
      this.toggleTrace();
    });
    this.colors.addEventListener("change", () => {
      actions.setColor(kColorModes.find((mode) => mode === this.colors.value) ?? "plain");
    });
    this.progress = new Progress(
      byId("progress", HTMLElement),
      byId("progress-bar", HTMLProgressElement),
      byId("progress-text", HTMLElement),
      byId("progress-aside", HTMLElement),
      byId("cancel", HTMLButtonElement),
      () => {
        actions.cancel();
      },
    );
    this.themeChanged();
  }

  // ---- Showing

  /** A program that was opened, in the place of another. */
  showProgram(shown: Shown): void {
    const { source, program, model, state } = shown;
    const { camera, selection } = state;
    byId("file-name", HTMLElement).textContent =
      source.kind === "example" ? `${source.name} (example)` : source.name;
    document.title = `${source.name} · faketensor`;
    this.whatIfBar.show(program.info, state.whatIf);
    this.lists.forget();
    this.search.forget();
    this.depths.show(model, state.expanded);
    this.canvas.show(shown.scene, camera === null);
    if (camera !== null) this.canvas.setCamera(camera);
    this.showRun(shown, state, null);
    // What is said of another program is no longer true, however long this one's bytes take to count.
    this.later.do(({ strip, devices }) => {
      strip.show(null, model, false);
      devices.forget();
    });
    this.compare.now?.comparing.forget();
    this.outline.compare(null);
    this.showOverlays(shown, state.alive, state.color);
    this.shownSelection = camera === null && selection !== null ? undefined : selection;
    this.showSelection(shown, selection);
    this.announcer.say(summarySentence(model));
    this.later.start();
  }

  /** What follows from the run and the picture: panes, counts, and the flash of what changed since `before`. */
  showRun(shown: Shown, want: PageState, before: Model | null): void {
    const { model, scene, state } = shown;
    this.scene = scene;
    this.shown = shown;
    this.minimap.show(scene);
    this.outline.show(model, state.expanded, want.selection, (row) => {
      return state.plumbing || scene.boxOf({ kind: "node", row }) >= 0;
    });
    this.inspector.show(model, want.selection, state.expanded);
    this.canvas.select(want.selection);
    this.showSheet(shown, want.selection);
    this.search.show(model);
    this.source.now?.show(shown);
    this.markMatches();
    this.problems.show(model);
    this.profiler.now?.show(shown);
    this.lists.show(shown, want, before);
    byId("summary", HTMLElement).textContent = summarySentence(model);
    byId("graph-title", HTMLElement).textContent =
      `Graph of ${shown.source.name}: ${plural(scene.layout.box.count - 1, "box", "boxes")}`;
    if (before === null) return;
    const changed = changedRows(before.table, model.table);
    this.canvas.flash([...scene.boxesOf(changed)]);
    const said = [`${countText(changed.size)} of ${plural(model.table.length, "value")} changed`];
    if (model.symbolic.broken.length > 0) said.push(brokenSentence(model.symbolic.broken));
    if (model.problems.length > 0) said.push(problemSentence(this.problems.counts));
    if (model.assumed.assumptions > 0) said.push(assumedSentence(model.assumed));
    this.announcer.say(said.join(", "));
  }

  /** What the shown run costs, as soon as it is known. */
  showCosts(shown: Shown): void {
    const { profile, model } = shown;
    const isExample = model.info.symbols.some(({ name }) => !(name in model.symbolic.settings));
    this.pinButton.disabled = false;
    this.later.do(({ strip, devices }) => {
      strip.show(profile, model, isExample && model.symbolic.symbols.length > 0);
      this.compare.now?.comparing.update(shown);
      devices.ask(shown);
      this.showCompared(shown);
    });
  }

  /** Which devices it fits and how long it takes there, as soon as that is known. */
  private showDevices(shown: Shown): void {
    this.compare.now?.comparing.update(shown);
    this.showCompared(shown);
  }

  private showCompared(shown: Shown): void {
    this.inspector.showCosts(shown.profile, this.comparison);
    this.showComparison();
    this.showOverlays(shown, this.overlaid.alive, this.overlaid.color);
  }

  /** The table of devices. */
  showAllDevices(): void {
    this.later.do(({ devices }) => {
      devices.open();
    });
  }

  /** Opens the profiler, or closes it. */
  toggleProfiler(): void {
    this.profiler.use((pane) => {
      if (this.shown !== null) pane.toggle(this.shown, this.shownSelection ?? null);
    });
  }

  /** A device file that was dropped on the page. */
  addDevice(name: string, yaml: string): void {
    this.later.do(({ devices }) => {
      devices.add(name, yaml).catch((error: unknown) => {
        this.notice.show(error);
      });
    });
  }

  /** Colours, and what is faded. */
  showOverlays({ scene, profile, devices }: Shown, alive: number | null, color: ColorMode): void {
    const before = this.overlaid;
    const time = devices?.time ?? null;
    const isSame =
      before.scene === scene &&
      before.profile === profile &&
      before.time === time &&
      before.alive === alive &&
      before.color === color &&
      before.comparison === this.comparison;
    if (isSame) return;
    const { comparison } = this;
    this.overlaid = { scene, profile, time, alive, color, comparison };
    const vivid = alive === null || profile === null ? null : scene.boxesOf(profile.rowsAlive(alive));
    this.canvas.overlay(tintsOf(color, scene, profile, comparison, time), vivid);
    this.colors.value = color;
    this.markStrip();
  }

  /** What is shown becomes A; whatever is shown from now on is B. */
  pin(shown: Shown): void {
    // Another run may be shown by the time that the comparison is loaded.
    const pinned = { ...shown };
    this.compare.use(({ comparing }) => {
      comparing.pin(pinned);
      comparing.update(shown);
      this.actions.setColor("change");
      this.showCosts(shown);
      this.announcer.say("Pinned as A. Change sizes, or open another file: that is B");
    });
  }

  unpin(): void {
    this.compare.now?.comparing.unpin();
    if (this.overlaid.color === "change") this.actions.setColor("plain");
    this.inspector.showCosts(this.overlaid.profile, null);
    this.showComparison();
    this.pinButton.focus();
  }

  get isPinned(): boolean {
    return this.compare.now?.comparing.isPinned ?? false;
  }

  private get comparison(): Comparison | null {
    return this.compare.now?.comparing.comparison ?? null;
  }

  private showComparison(): void {
    const { comparison, isPinned } = this;
    this.compare.now?.bar.show(comparison);
    this.outline.compare(comparison);
    this.later.now?.strip.compare(this.compare.now?.behind ?? null);
    this.pinButton.hidden = isPinned;
    const option = this.colors.querySelector<HTMLOptionElement>('option[value="change"]');
    if (option !== null) option.hidden = !isPinned;
  }

  private markStrip(): void {
    const selection = this.shownSelection ?? null;
    const { alive } = this.overlaid;
    this.later.do(({ strip }) => {
      strip.mark(selection?.kind === "node" ? selection.row : null, alive);
    });
  }

  /** All that the selection depends on and all that depends on it, in two colours. */
  toggleTrace(): void {
    const traced = this.trace.ariaPressed !== "true";
    this.trace.setAttribute("aria-pressed", String(traced));
    this.canvas.trace(traced);
    this.announcer.say(traced ? "The whole way of the selection is shown" : "Only neighbours are shown");
  }

  fadeToPeak(): void {
    this.later.do(({ strip }) => {
      strip.fadeToPeak();
    });
  }

  /** What follows from the wish alone: fields and buttons. */
  showWish(model: Model | null, history: History): void {
    // Not `disabled`, which would take the keyboard away from a button that has just been pressed for the last time.
    byId("undo", HTMLElement).ariaDisabled = String(!history.canUndo);
    byId("redo", HTMLElement).ariaDisabled = String(!history.canRedo);
    if (model === null) return;
    const { whatIf, expanded, plumbing } = history.current;
    this.plumbing.setAttribute("aria-pressed", String(plumbing));
    this.whatIfBar.update(whatIf);
    this.lists.update(whatIf);
    this.depths.mark(model, expanded);
  }

  /** Whether the next selection is brought into view; with `again` also where it is the one that was. */
  follow(reveals: boolean | "again"): void {
    if (reveals === "again") this.shownSelection = undefined;
    this.reveals = reveals !== false;
  }

  showSelection(shown: Shown, selection: Selection | null): void {
    if (this.shownSelection !== undefined && sameSelection(this.shownSelection, selection)) return;
    this.shownSelection = selection;
    this.markStrip();
    this.profiler.now?.mark(selection);
    this.canvas.select(selection);
    this.outline.select(selection);
    this.source.now?.select(selection);
    this.inspector.show(shown.model, selection, shown.state.expanded);
    this.showSheet(shown, selection);
    if (selection === null) return;
    if (this.reveals) this.canvas.reveal(shown.scene.placeOf(selection));
    this.announcer.say(shown.model.describe(selection));
  }

  /** A module that was opened or closed stays selected: its card is of the new picture. */
  private showSheet({ scene, profile }: Shown, selection: Selection | null): void {
    if (matchMedia("(max-width: 960px)").matches)
      this.cards.use(({ sheet }) => {
        sheet.show(scene, profile, selection);
      });
  }

  /** In the boxes of the present layout. */
  private markMatches(): void {
    this.canvas.highlight(this.scene?.boxesOf(this.matches) ?? new Set());
  }

  private themeChanged(): void {
    const dark = this.theme.name === "dark";
    byId("theme", HTMLElement).setAttribute("aria-pressed", String(dark));
    this.minimap.forget();
    this.canvas.redraw();
    this.later.now?.strip.redraw();
  }

  // ---- Where the keyboard goes

  /** Returns whether it was open. */
  closeSearch(): boolean {
    const wasOpen = this.search.close();
    if (wasOpen) byId("stage", HTMLElement).focus({ preventScroll: true });
    return wasOpen;
  }

  /** Opens or closes the program as text. */
  showSource(): void {
    this.source.use((pane) => {
      pane.toggle();
    });
  }

  focusSizes(): void {
    this.whatIfBar.focusFirst();
  }

  /** The guards on sizes: a section of the inspector where nothing is selected. */
  showGuards(): void {
    this.tabs.show("inspector");
    this.actions.select(null);
    this.inspector.focusGuards();
  }

  /** Returns whether a list was open. */
  closeChanges(): boolean {
    return this.lists.closeChanges() || this.compare.now?.bar.close() === true;
  }

  firstProblem(): void {
    const { first } = this.problems;
    if (first === null) this.announcer.say("No problems");
    else this.actions.jump({ kind: "node", row: first.node });
  }

  openProblems(open: boolean): void {
    this.problems.open(open);
  }
}

/** How many values there are, and what it took to have them. */
function summarySentence(model: Model): string {
  const { table, milliseconds, symbolic, problems, notReached } = model;
  const time = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
  const isPropagated = symbolic.how === "free" || symbolic.how === "propagated";
  const values = plural(table.length, "value");
  // Of stored answers nobody knows what they took.
  const took = Number.isNaN(milliseconds)
    ? values
    : `${values} in ${time} ms${isPropagated ? "" : ", not propagated again"}`;
  return problems.length === 0 ? took : `${problemSentence(countProblems(problems, notReached))}; ${took}`;
}
