/**
 * The pane of assumptions: what a what-if took for part of the example that the program was exported with, a line of code
 * at a time, with the reason, whether it is a guess, and a button that decides it otherwise. The list is asked for only
 * while it is open; how many there are is known without it.
 */
import type { Answer } from "./answers.js";
import {
  assumedSentence,
  canBeDecided,
  groupAssumptions,
  staysAsWritten,
  unmetDecisions,
  writtenText,
  type AssumptionGroup,
  type Offer,
} from "./assumptions.js";
import { button, byId, element } from "./dom.js";
import type { Assumption } from "./engine.js";
import { countText, plural } from "./format.js";
import type { Model } from "./model.js";
import type { Decisions, WhatIf } from "./state.js";

export interface AssumptionsPaneEvents {
  /** Null: as it would be assumed. */
  decide(sites: readonly string[], choice: string | null): void;
  jump(row: number): void;
}

/** So many lines, and nodes of a line, are shown at once. */
const kListed = 100;

/** Which of the controls of a site has the keyboard. */
interface Place {
  readonly site: string;
  readonly part: string;
}

export class AssumptionsPane {
  private readonly pane = byId("assumptions", HTMLElement);
  private readonly title = byId("assumptions-title", HTMLButtonElement);
  private readonly list = element("ul", {
    class: "assumptions-list",
    "aria-label": "Assumed of the example",
  });
  private readonly onlyGuesses = element("input", { type: "checkbox", id: "only-guesses" });
  private readonly filter = element("label", { class: "only-guesses" }, this.onlyGuesses, "Only guesses");
  /** Lines whose nodes are listed, by their first site. */
  private readonly opened = new Set<string>();
  private listed = kListed;
  private answer: Answer | null = null;
  private decisions: Decisions = {};
  private groups: readonly AssumptionGroup[] = [];
  private unmet: readonly string[] = [];
  /** The answer whose list is shown. */
  private shown: Answer | null = null;
  private wantsFocus = false;

  constructor(private readonly events: AssumptionsPaneEvents) {
    this.title.addEventListener("click", () => {
      this.open(!this.isOpen);
    });
    this.onlyGuesses.addEventListener("change", () => {
      this.listed = kListed;
      this.render();
    });
    const explanation = element(
      "p",
      { class: "assumptions-what" },
      "Answered as if the model were exported anew. What the nodes hold of the example was taken to follow, or to stay:",
    );
    this.pane.append(element("div", { class: "assumptions-head" }, explanation, this.filter), this.list);
  }

  private get isOpen(): boolean {
    return this.title.getAttribute("aria-expanded") === "true";
  }

  open(open: boolean): void {
    this.title.setAttribute("aria-expanded", String(open));
    this.pane.hidden = !open;
    if (open) void this.fetch();
  }

  /** Opens the list, with the keyboard at its first line. False where there is nothing to list. */
  focusFirst(): boolean {
    if (byId("assumptions-pane", HTMLElement).hidden) return false;
    this.wantsFocus = true;
    this.open(true);
    return true;
  }

  show(model: Model, answer: Answer, { assume, literal }: WhatIf): void {
    this.answer = answer;
    this.decisions = assume;
    const { assumptions, guesses } = model.assumed;
    const decided = Object.keys(assume).length;
    const isAny = assumptions > 0 || decided > 0;
    byId("assumptions-pane", HTMLElement).hidden = !isAny;
    byId("assumptions-tab", HTMLElement).hidden = !isAny;
    byId("panes", HTMLElement).classList.toggle("has-assumptions", isAny);
    if (!isAny) this.open(false);
    const parts = [assumedSentence(model.assumed)];
    if (decided > 0)
      parts.push(
        literal ? `${countText(decided)} decided, not while literal` : `${countText(decided)} decided`,
      );
    const sentence = parts.filter((part) => part !== "").join(", ");
    byId("assumptions-count", HTMLElement).textContent = sentence;
    this.title.classList.toggle("has-unknown", guesses > 0);
    this.filter.hidden = guesses === 0;
    if (guesses === 0) this.onlyGuesses.checked = false;
    if (this.isOpen) void this.fetch();
  }

  /** A program in the place of another. */
  forget(): void {
    this.opened.clear();
    this.listed = kListed;
    this.onlyGuesses.checked = false;
  }

  private async fetch(): Promise<void> {
    const { answer } = this;
    if (answer === null || answer === this.shown) {
      this.focusIfWanted();
      return;
    }
    let assumptions: readonly Assumption[];
    try {
      assumptions = await answer.assumptions();
    } catch {
      return; // the run was given up meanwhile
    }
    if (answer !== this.answer || !this.isOpen) return;
    this.shown = answer;
    this.groups = groupAssumptions(assumptions, this.decisions);
    this.unmet = unmetDecisions(assumptions, this.decisions);
    this.render();
    this.focusIfWanted();
  }

  private focusIfWanted(): void {
    if (!this.wantsFocus) return;
    this.wantsFocus = false;
    this.list.querySelector("button")?.focus();
  }

  /** Made anew for each answer; the keyboard goes on at the site where it was. */
  private render(): void {
    const place = this.placeOfKeyboard();
    const groups = this.onlyGuesses.checked
      ? this.groups.filter(({ members }) => members[0].guess === true)
      : this.groups;
    const items = groups.slice(0, this.listed).map((group) => this.groupItem(group));
    this.list.replaceChildren(...this.unmet.map((site) => this.unmetItem(site)), ...items);
    if (groups.length > this.listed) this.list.append(this.moreItem(groups.length));
    if (place !== null) this.focusAt(place);
  }

  private moreItem(count: number): HTMLElement {
    const more = button(`Show ${plural(count - this.listed, "more line")}`, { class: "link" }, () => {
      const first = this.listed;
      this.listed = count;
      this.render();
      this.list.children[this.unmet.length + first].querySelector("button")?.focus();
    });
    return element("li", {}, more);
  }

  private groupItem(group: AssumptionGroup): HTMLElement {
    const { members, isDecided, offer } = group;
    const [first] = members;
    const isOpen = members.length > 1 && this.opened.has(first.site);
    const where = element("span", { class: "assumed-where" }, this.siteLink(first));
    if (members.length > 1) {
      const more = button(`and ${countText(members.length - 1)} more`, { class: "link assumed-more" }, () => {
        if (!this.opened.delete(first.site)) this.opened.add(first.site);
        this.render();
      });
      more.setAttribute("aria-expanded", String(isOpen));
      mark(more, first.site, "more");
      where.append(" ", more);
    }
    const item = element(
      "li",
      { class: "assumption" },
      stateOf(isDecided ? "decided" : first.guess === true ? "guess" : "assumed"),
      where,
      changeOf(first),
      element("span", { class: "assumed-reason" }, isDecided ? "as you decided" : first.reason),
      sourceOf(first),
    );
    const sites = members.filter(canBeDecided).map(({ site }) => site);
    if (offer !== null) item.append(this.offerButton(first.site, sites, offer));
    if (isOpen) item.append(this.memberList(group));
    return item;
  }

  private memberList({ members, offer }: AssumptionGroup): HTMLElement {
    const list = element("ul", { class: "assumed-members", "aria-label": "Each of them" });
    for (const member of members.slice(0, kListed)) {
      const item = element("li", {}, this.siteLink(member, "member"));
      if (offer !== null && canBeDecided(member))
        item.append(this.offerButton(member.site, [member.site], offer, "one"));
      list.append(item);
    }
    if (members.length > kListed)
      list.append(
        element("li", { class: "quiet" }, `and ${plural(members.length - kListed, "more", "more")}`),
      );
    return list;
  }

  private unmetItem(site: string): HTMLElement {
    const where = element("span", { class: "assumed-where mono" }, site);
    const choice = element("span", { class: "assumed-change mono" }, this.decisions[site] ?? "");
    const reason = element("span", { class: "assumed-reason" }, "as you decided, but nothing came to it");
    const source = element("span", { class: "assumed-source" });
    const offer = this.offerButton(site, [site], { label: "Take back", choice: null });
    return element("li", { class: "assumption" }, stateOf("decided"), where, choice, reason, source, offer);
  }

  private siteLink({ site, node, row }: Assumption, part = "site"): HTMLElement {
    if (row === undefined || node === undefined) return element("span", { class: "mono" }, site);
    const link = button("", { class: "link", title: `Go to ${node}` }, () => {
      this.events.jump(row);
    });
    link.append(element("span", { class: "link-name mono" }, site));
    mark(link, site, part);
    return link;
  }

  private offerButton(site: string, sites: readonly string[], offer: Offer, part = "offer"): HTMLElement {
    const others = sites.length > 1 ? ` and ${countText(sites.length - 1)} more` : "";
    const made = button(
      offer.label,
      { class: "quiet assumed-offer", "aria-label": `${offer.label}, ${site}${others}` },
      () => {
        this.events.decide(sites, offer.choice);
      },
    );
    mark(made, site, part);
    return made;
  }

  private placeOfKeyboard(): Place | null {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || !this.list.contains(focused)) return null;
    const { site, part } = focused.dataset;
    return site === undefined || part === undefined ? null : { site, part };
  }

  /** At the same control, else at one of the line that the site stands in now. */
  private focusAt({ site, part }: Place): void {
    const group = this.groups.find(({ members }) => members.some((member) => member.site === site));
    const first = group?.members[0].site ?? site;
    const marked = [...this.list.querySelectorAll<HTMLElement>("[data-site]")];
    const find = (of: string, wanted: string): HTMLElement | undefined =>
      marked.find(({ dataset }) => dataset["site"] === of && dataset["part"] === wanted);
    (find(site, part) ?? find(first, "offer") ?? find(first, "site") ?? this.title).focus();
  }
}

function mark(control: HTMLElement, site: string, part: string): void {
  control.dataset["site"] = site;
  control.dataset["part"] = part;
}

function stateOf(state: "decided" | "guess" | "assumed"): HTMLElement {
  const kind = { decided: "state-decided", guess: "state-unknown", assumed: "" }[state];
  return element("span", { class: `state ${kind}` }, state);
}

function changeOf(assumption: Assumption): HTMLElement {
  const from = writtenText(assumption.from);
  if (staysAsWritten(assumption))
    return element("span", { class: "assumed-change" }, element("span", { class: "mono" }, from), " stays");
  return element(
    "span",
    { class: "assumed-change" },
    element("span", { class: "mono" }, from),
    element("span", { "aria-hidden": "true" }, " → "),
    element("span", { class: "sr-only" }, " becomes "),
    element("span", { class: "mono" }, writtenText(assumption.to)),
  );
}

/** The file without its folders, which the title tells. */
function sourceOf({ source }: Assumption): HTMLElement {
  if (source === undefined) return element("span", { class: "assumed-source" });
  const short = source.replace(/^.*\/(?=[^/]*$)/, "");
  return element("span", { class: "assumed-source", title: source }, short);
}
