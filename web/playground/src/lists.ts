/**
 * The lists behind a run's counts, each loaded when there is something in it or it is asked for: symbols, what was assumed,
 * and what changed against the file.
 */
import type { Announcer } from "./announcer.js";
import { assumedSentence } from "./assumptions.js";
import type { AssumptionsPane } from "./assumptions_pane.js";
import type { ChangesList } from "./changes_list.js";
import { byId } from "./dom.js";
import { Later } from "./later.js";
import type { Model } from "./model.js";
import type { PaneTabs } from "./pane_tabs.js";
import type { Setting } from "./settings.js";
import type { Shown } from "./shown.js";
import { isAsInFile, kAsInFile, withDecisions, type PageState, type WhatIf } from "./state.js";
import type { SymbolsPane } from "./symbols_pane.js";

export interface ListActions {
  readonly jumpToRow: (row: number) => void;
  readonly setSymbol: (symbol: string, setting: Setting | null, group: string) => void;
  readonly setWhatIf: (whatIf: WhatIf) => void;
  readonly failed: (error: unknown) => void;
}

export class Lists {
  private readonly symbols: Later<SymbolsPane>;
  private readonly assumptions: Later<AssumptionsPane>;
  private readonly changes: Later<ChangesList>;
  private shown: Shown | null = null;
  /** The run in which nothing is changed; the first of a program is one too: it may be opened with changes. */
  private base: Model | null = null;
  /** What is wanted, for what is decided in the pane of assumptions. */
  private whatIf: WhatIf = kAsInFile;

  constructor(
    private readonly tabs: PaneTabs,
    private readonly announcer: Announcer,
    actions: ListActions,
  ) {
    const jump = actions.jumpToRow;
    this.symbols = new Later(
      async () => {
        const { SymbolsPane } = await import("./symbols_pane.js");
        return new SymbolsPane({ jump, set: actions.setSymbol });
      },
      actions.failed,
      (pane) => {
        if (this.shown !== null) pane.show(this.shown.model, this.whatIf.dims);
      },
    );
    this.assumptions = new Later(
      async () => {
        const { AssumptionsPane } = await import("./assumptions_pane.js");
        return new AssumptionsPane({
          jump,
          decide: (sites, choice) => {
            actions.setWhatIf(withDecisions(this.whatIf, sites, choice));
          },
        });
      },
      actions.failed,
      (pane) => {
        const { shown } = this;
        if (shown !== null) pane.show(shown.model, shown.answer, shown.state.whatIf);
      },
    );
    this.changes = new Later(
      async () => {
        const { ChangesList } = await import("./changes_list.js");
        return new ChangesList(jump);
      },
      actions.failed,
      (list) => {
        if (this.base !== null && this.shown !== null) list.show(this.base, this.shown.model);
      },
    );
    byId("assumed", HTMLElement).addEventListener("click", () => {
      this.openAssumptions();
    });
  }

  /** Another program is shown. */
  forget(): void {
    this.assumptions.now?.forget();
  }

  show(shown: Shown, want: PageState, before: Model | null): void {
    this.shown = shown;
    this.showSymbolic(want, before, shown.model);
    this.showAssumed(shown);
    this.showChanged(shown.model, isAsInFile(shown.state.whatIf));
  }

  update(whatIf: WhatIf): void {
    this.whatIf = whatIf;
    this.symbols.now?.update(whatIf.dims);
  }

  /** The first guard that breaks opens the list, which says why. */
  private showSymbolic(want: PageState, before: Model | null, model: Model): void {
    const breaks = model.symbolic.broken.length > 0 && (before?.symbolic.broken.length ?? 0) === 0;
    this.symbols.now?.show(model, want.whatIf.dims);
    if (breaks)
      this.symbols.use((symbols) => {
        symbols.open(true);
      });
    else if (model.symbolic.symbols.length > 0) this.symbols.start();
  }

  private showChanged(model: Model, isBase: boolean): void {
    if (isBase || this.base?.info !== model.info) this.base = model;
    this.changes.now?.show(this.base, model);
    if (this.base !== model) this.changes.start();
  }

  /** Beside what it took, how much of the answer is assumed: a guess is said to be one. */
  private showAssumed({ model, answer, state }: Shown): void {
    this.assumptions.now?.show(model, answer, state.whatIf);
    if (model.assumed.assumptions > 0 || Object.keys(state.whatIf.assume).length > 0)
      this.assumptions.start();
    const button = byId("assumed", HTMLElement);
    button.textContent = assumedSentence(model.assumed);
    button.hidden = model.assumed.assumptions === 0;
    button.classList.toggle("has-unknown", model.assumed.guesses > 0);
  }

  /** The list of a narrow window's tab, if it is there: it is open as long as the tab is. */
  openTab(name: string): void {
    if (name === "symbols") this.symbols.now?.open(true);
    if (name === "assumptions") this.assumptions.now?.open(true);
  }

  /** The pane of symbols, with the keyboard in its first field. */
  openSymbols(): void {
    this.openOr("symbols", this.symbols, "All sizes of this program are numbers");
  }

  /** The pane of assumptions, with the keyboard at its first line. */
  openAssumptions(): void {
    this.openOr("assumptions", this.assumptions, "Nothing was assumed of the example");
  }

  private openOr<Pane extends { focusFirst(): boolean }>(
    tab: "symbols" | "assumptions",
    pane: Later<Pane>,
    otherwise: string,
  ): void {
    this.tabs.show(tab);
    pane.use((list) => {
      if (list.focusFirst()) return;
      this.tabs.show("graph");
      this.announcer.say(otherwise);
    });
  }

  /** The values that are not as in the file, with the keyboard at the first. */
  openChanges(): void {
    this.changes.use((changes) => {
      if (!changes.open(true)) this.announcer.say("Nothing is changed");
    });
  }

  /** Returns whether the list of changes was open. */
  closeChanges(): boolean {
    return this.changes.now?.close() === true;
  }
}
