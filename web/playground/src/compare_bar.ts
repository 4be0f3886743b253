/**
 * The bar of a comparison: A as it was pinned, B as it is shown, what B has more of, and the list of what differs, most
 * first.
 */
import type { Comparison, Change, Side } from "./comparison.js";
import { button, byId, element } from "./dom.js";
import { bytesText, countText, flopsText, secondsText, signed } from "./format.js";
import { VirtualList } from "./virtual_list.js";

const kRowHeight = 40;

export interface CompareEvents {
  /** A row of B. */
  jump(row: number): void;
  unpin(): void;
}

export class CompareBar {
  private comparison: Comparison | null = null;
  private readonly bar = byId("compare", HTMLElement);
  private readonly popup = element("div", {
    id: "compare-list",
    class: "popup",
    role: "list",
    "aria-label": "Differences between A and B",
    hidden: true,
  });
  private readonly opener = button(
    "",
    { class: "assumed", "aria-expanded": "false", "aria-controls": "compare-list" },
    () => {
      this.open(this.opener.ariaExpanded !== "true");
    },
  );
  private readonly totals = element("span", { class: "compare-totals" });
  private readonly sides = element("span", { class: "compare-sides" });
  private readonly list: VirtualList;

  constructor(private readonly events: CompareEvents) {
    const unpin = button("Unpin A", { class: "quiet" }, () => {
      events.unpin();
    });
    const differences = element("div", { class: "changed" }, this.opener, this.popup);
    this.bar.replaceChildren(this.sides, this.totals, differences, unpin);
    this.list = new VirtualList(this.popup, kRowHeight, (index) => this.renderRow(index));
    window.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Element && target.closest("#compare") === null) this.open(false);
    });
  }

  show(comparison: Comparison | null): void {
    const focused = this.focused();
    this.comparison = comparison;
    this.bar.hidden = comparison === null;
    if (comparison === null) return;
    const { a, b, changes } = comparison;
    this.sides.replaceChildren(
      element("b", {}, "A"),
      ` ${a.name}  `,
      element("b", {}, "B"),
      ` ${b.name === a.name ? "the same" : b.name}`,
    );
    this.totals.replaceChildren(
      ...totalTexts(a, b, comparison.hasTime).map((text) => element("span", {}, text)),
    );
    const kinds = (["changed", "added", "removed"] as const)
      .map((kind) => ({ kind, count: comparison.countOf(kind) }))
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => `${countText(count)} ${kind}`);
    this.opener.textContent = kinds.length === 0 ? "No difference" : kinds.join(", ");
    this.opener.ariaDisabled = String(changes.length === 0);
    this.list.reset(changes.length);
    if (changes.length === 0) this.open(false);
    else if (focused !== null) this.focus(focused);
  }

  /** The change whose row of the list has the focus. */
  private focused(): Change | null {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement) || !this.popup.contains(at)) return null;
    return this.comparison?.changes[Number(at.dataset["index"])] ?? null;
  }

  /** Rows are made anew, and in another order, when more is known: the focus stays with what differs. */
  private focus({ kind, row }: Change): void {
    const changes = this.comparison?.changes ?? [];
    const index = Math.max(
      0,
      changes.findIndex((change) => change.kind === kind && change.row === row),
    );
    this.list.scrollTo(index);
    this.list.elementAt(index)?.querySelector("button")?.focus({ preventScroll: true });
  }

  /** Returns whether the list was open. */
  close(): boolean {
    if (this.popup.hidden) return false;
    this.open(false);
    this.opener.focus();
    return true;
  }

  private open(open: boolean): void {
    const shows = open && (this.comparison?.changes.length ?? 0) > 0;
    this.popup.hidden = !shows;
    this.opener.setAttribute("aria-expanded", String(shows));
    if (!shows || this.comparison === null) return;
    this.list.reset(this.comparison.changes.length);
    this.popup.querySelector("button")?.focus();
  }

  private renderRow(index: number): HTMLElement {
    const { comparison } = this;
    const change = comparison?.changes[index];
    if (comparison === null || change === undefined) return element("div");
    const made = button("", { class: "change", "data-index": index }, () => {
      if (change.kind !== "removed") this.events.jump(change.row);
    });
    made.append(
      element("span", { class: "change-name" }, comparison.nameOf(change), " ", costOf(change)),
      element("span", { class: "change-values" }, comparison.textOf(change)),
    );
    const place = { "aria-posinset": index + 1, "aria-setsize": comparison.changes.length };
    return element("div", { role: "listitem", ...place }, made);
  }
}

function costOf({ bytes, flops, seconds }: Change): HTMLElement {
  const texts = [
    ...(bytes === 0 ? [] : [signed(bytes, bytesText)]),
    ...(flops === 0 ? [] : [signed(flops, flopsText)]),
    ...(seconds === 0 ? [] : [signed(seconds, secondsText)]),
  ];
  return element("span", { class: "count" }, texts.join(", "));
}

function totalTexts(a: Side, b: Side, hasTime: boolean): string[] {
  if (a.profile === null || b.profile === null) return [];
  const line = (what: string, from: number, to: number, text: (value: number) => string): string =>
    from === to
      ? `${what} ${text(to)}`
      : `${what} ${text(from) === text(to) ? "" : `${text(from)} → `}${text(to)} (${signed(to - from, text)})`;
  return [
    line("Peak", a.profile.peak, b.profile.peak, bytesText),
    line("held", a.profile.held, b.profile.held, bytesText),
    line("products", a.profile.totalFlops, b.profile.totalFlops, flopsText),
    ...(hasTime && a.time !== null && b.time !== null
      ? [line(`a step on ${b.time.device}`, a.time.total, b.time.total, secondsText)]
      : []),
  ];
}
