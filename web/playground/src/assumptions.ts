/**
 * What a what-if took for part of the example, as the pane lists it: that of one line of code together, as the command
 * prints it, each with what a click would decide instead.
 */
import type { Assumed, Assumption } from "./engine.js";
import { plural } from "./format.js";
import type { Decisions } from "./state.js";

/** What a click decides; null takes the user's own decision back. */
export interface Offer {
  readonly label: string;
  readonly choice: string | null;
}

export interface AssumptionGroup {
  /** At least one; what is said of the first holds for all but the node. */
  readonly members: readonly Assumption[];
  readonly isDecided: boolean;
  /** Null where nothing else can be offered. */
  readonly offer: Offer | null;
}

export function groupAssumptions(
  assumptions: readonly Assumption[],
  decisions: Decisions,
): AssumptionGroup[] {
  const groups = new Map<string, Assumption[]>();
  for (const assumption of assumptions) {
    const key = keyOf(assumption, decisions);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [assumption]);
    else members.push(assumption);
  }
  const sizes = sizesThatFollow(assumptions);
  return [...groups.values()].map((members) => {
    const [first] = members;
    const isDecided = isDecidedBy(decisions, first);
    const offer = members.some(canBeDecided) ? offerFor(first, isDecided, sizes) : null;
    return { members, isDecided, offer };
  });
}

/** Decisions about what the run did not come to: behind an error, or where nothing is changed any more. */
export function unmetDecisions(assumptions: readonly Assumption[], decisions: Decisions): string[] {
  const met = new Set(assumptions.filter(canBeDecided).map(({ site }) => site));
  return Object.keys(decisions).filter((site) => !met.has(site));
}

/** `107 assumptions, 30 guesses`; empty where there is none. */
export function assumedSentence({ assumptions, guesses }: Assumed): string {
  if (assumptions === 0) return "";
  const parts = [plural(assumptions, "assumption")];
  if (guesses > 0) parts.push(plural(guesses, "guess", "guesses"));
  return parts.join(", ");
}

export function staysAsWritten({ from, to }: Assumption): boolean {
  return from === to;
}

/** `float32`, as the rest of the page writes a dtype. */
export function writtenText(text: string): string {
  return text.replace(/^torch\./, "");
}

function keyOf(assumption: Assumption, decisions: Decisions): string {
  const { site, from, to, reason, source } = assumption;
  const argument = site.slice(site.lastIndexOf(".") + 1);
  const parts = [
    source ?? reason,
    argument,
    from,
    to,
    assumption.guess ?? false,
    isDecidedBy(decisions, assumption),
  ];
  return parts.join("\n");
}

/** Names reach the nodes of the program, not those of a graph that a node holds. */
export function canBeDecided({ row }: Assumption): boolean {
  return row !== undefined;
}

function isDecidedBy(decisions: Decisions, assumption: Assumption): boolean {
  return canBeDecided(assumption) && assumption.site in decisions;
}

function isSize({ from }: Assumption): boolean {
  return /^-?\d+$/.test(from);
}

/** What a number of the example has become elsewhere: what one that stays would be if it followed. */
function sizesThatFollow(assumptions: readonly Assumption[]): ReadonlyMap<string, string> {
  const sizes = new Map<string, string>();
  for (const assumption of assumptions) {
    if (isSize(assumption) && !staysAsWritten(assumption) && !sizes.has(assumption.from))
      sizes.set(assumption.from, assumption.to);
  }
  return sizes;
}

function offerFor(
  assumption: Assumption,
  isDecided: boolean,
  sizes: ReadonlyMap<string, string>,
): Offer | null {
  const { from } = assumption;
  if (isDecided) return { label: "Take back", choice: null };
  if (!staysAsWritten(assumption)) return { label: `Keep ${writtenText(from)}`, choice: "literal" };
  if (!isSize(assumption)) return { label: "Follow", choice: "follows" };
  const size = sizes.get(from);
  return size === undefined ? null : { label: `Follow: ${size}`, choice: size };
}
