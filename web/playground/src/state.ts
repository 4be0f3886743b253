/**
 * What the user has done to an opened program, as one immutable value, and its history. Everything that undo, redo and
 * the address restore is in {@link PageState}; everything else on the page follows from it and from the program.
 */
import type { ColorMode } from "./coloring.js";
import type { Selection } from "./model.js";
import {
  sameSetting,
  settingText,
  symbolOfDim,
  type DynamicDims,
  type Range,
  type Setting,
  type Settings,
} from "./settings.js";

/** Where the picture stands: the world point in the middle of the canvas, and screen pixels per world unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Op profiles from a file of the user's: answers for operators without a rule. */
export interface ProfileFile {
  readonly name: string;
  readonly yaml: string;
}

/** What the user decided of what is assumed: by its site, `"literal"`, `"follows"` or a number. */
export type Decisions = Readonly<Record<string, string>>;

/** The what-if edits; an absent entry means "as in the file". */
export interface WhatIf {
  readonly dims: Settings;
  /** Sizes that are numbers in the file, made symbols; what these are set to is in `dims`. */
  readonly dynamic: DynamicDims;
  readonly dtype: string | null;
  readonly device: string | null;
  readonly profiles: ProfileFile | null;
  readonly assume: Decisions;
  /** Nothing in the nodes follows: what FakeTensorProp answers. */
  readonly literal: boolean;
}

export interface PageState {
  readonly whatIf: WhatIf;
  /** Ids of the modules drawn open, ascending. */
  readonly expanded: readonly number[];
  readonly selection: Selection | null;
  /** Null: the whole graph fitted to the canvas. */
  readonly camera: Camera | null;
  /** The row whose living bytes the graph is faded to; null: nothing is. */
  readonly alive: number | null;
  readonly color: ColorMode;
  /** Whether sizes, assertions and aliases have boxes. */
  readonly plumbing: boolean;
}

export const kAsInFile: WhatIf = {
  dims: {},
  dynamic: {},
  dtype: null,
  device: null,
  profiles: null,
  assume: {},
  literal: false,
};

/** What was changed, in words: `batch 16`, `bfloat16`. */
export function editTexts({ dims, dtype, device }: WhatIf): string[] {
  const edits = Object.entries(dims).map(([name, setting]) => `${name} ${settingText(setting)}`);
  return [...edits, ...[dtype, device].filter((choice) => choice !== null)];
}

export function isAsInFile(whatIf: WhatIf): boolean {
  return sameWhatIf(whatIf, kAsInFile);
}

export function sameWhatIf(a: WhatIf, b: WhatIf): boolean {
  const sites = Object.keys(a.assume);
  return (
    a.dtype === b.dtype &&
    a.device === b.device &&
    a.profiles === b.profiles &&
    a.literal === b.literal &&
    sites.length === Object.keys(b.assume).length &&
    sites.every((site) => a.assume[site] === b.assume[site]) &&
    sameSettings(a.dims, b.dims) &&
    sameSettings(a.dynamic, b.dynamic)
  );
}

function sameSettings(a: Settings, b: Settings): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameSetting(a[name], b[name]));
}

export function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** A copy of `whatIf` with the named dims set, or as in the file again where `size` is null. */
export function withDims(whatIf: WhatIf, names: readonly string[], size: Setting | null): WhatIf {
  const dims = Object.fromEntries(Object.entries(whatIf.dims).filter(([name]) => !names.includes(name)));
  if (size !== null) for (const name of names) dims[name] = size;
  return { ...whatIf, dims };
}

/** A copy of `whatIf` with sizes that are numbers in the file as symbols in a range, or as numbers again where it is null. */
export function withDynamic(whatIf: WhatIf, names: readonly string[], range: Range | null): WhatIf {
  const kept = Object.entries(whatIf.dynamic).filter(([name]) => !names.includes(name));
  const dynamic = Object.fromEntries(kept);
  if (range !== null) for (const name of names) dynamic[name] = range;
  // What they were set to, as numbers or as symbols, is over.
  const numbers = withDims(whatIf, [...names, ...names.map(symbolOfDim)], null);
  return { ...numbers, dynamic };
}

/** A copy of `whatIf` with the sites decided so, or undecided again where `choice` is null. */
export function withDecisions(whatIf: WhatIf, sites: readonly string[], choice: string | null): WhatIf {
  const given = new Set(sites);
  const assume = Object.fromEntries(Object.entries(whatIf.assume).filter(([site]) => !given.has(site)));
  if (choice !== null) for (const site of sites) assume[site] = choice;
  return { ...whatIf, assume };
}

export function toggled(expanded: readonly number[], id: number): number[] {
  const next = expanded.includes(id) ? expanded.filter((other) => other !== id) : [...expanded, id];
  return next.sort((a, b) => a - b);
}

/** How two steps of the history relate: steps of one kind that follow each other closely are one step to undo. */
export type StepKind = "edit" | "expand" | "select" | "camera" | "fade";

/**
 * Undo and redo as a list of states with a cursor. Selections and camera moves replace the step before them when that
 * was of the same kind, and edits the step before them when that was of the same group, so that undo goes back by
 * decisions, not by wheel ticks or digits.
 */
export class History {
  private states: PageState[];
  private kinds: string[] = ["edit"];
  private cursor = 0;

  constructor(initial: PageState) {
    this.states = [initial];
  }

  get current(): PageState {
    return this.states[this.cursor];
  }

  get canUndo(): boolean {
    return this.cursor > 0;
  }

  get canRedo(): boolean {
    return this.cursor < this.states.length - 1;
  }

  push(state: PageState, kind: StepKind, group?: string): void {
    const name = group === undefined ? kind : `${kind} ${group}`;
    const isGrouped = kind === "camera" || kind === "select" || kind === "fade" || group !== undefined;
    const coalesces = isGrouped && this.cursor > 0 && this.kinds[this.cursor] === name;
    const keep = coalesces ? this.cursor : this.cursor + 1;
    this.states = [...this.states.slice(Math.max(0, keep - kLongest), keep), state];
    this.kinds = [...this.kinds.slice(Math.max(0, keep - kLongest), keep), name];
    this.cursor = this.states.length - 1;
  }

  undo(): PageState {
    this.cursor = Math.max(0, this.cursor - 1);
    return this.current;
  }

  redo(): PageState {
    this.cursor = Math.min(this.states.length - 1, this.cursor + 1);
    return this.current;
  }
}

const kLongest = 200;
