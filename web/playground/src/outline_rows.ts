/**
 * The outline as a flat list of rows: two groups for what goes into the program, then modules and nodes in order of
 * execution. An open module is followed by its children; the same modules are open here and in the picture, and the same
 * rows are left out.
 */
import { moduleShort, nodeShort, opShort, typeShort } from "./format.js";
import type { Child, Model, Selection } from "./model.js";

export type GroupName = "inputs" | "weights";

export interface OutlineRow {
  readonly kind: "group" | "module" | "node";
  /** Of a module its id, of a node its row in the table, of a group its place in kGroups. */
  readonly id: number;
  /** From 1, as `aria-level` counts. */
  readonly level: number;
  /** From 1, among the children of its parent. */
  readonly position: number;
  readonly siblings: number;
  /** Null: it cannot be opened. */
  readonly open: boolean | null;
}

export const kGroups: readonly { readonly name: GroupName; readonly label: string }[] = [
  { name: "inputs", label: "Inputs" },
  { name: "weights", label: "Parameters and buffers" },
];

export function buildOutline(
  model: Model,
  expanded: Iterable<number>,
  openGroups: ReadonlySet<GroupName>,
  isShown: (row: number) => boolean = () => true,
): OutlineRow[] {
  const open = new Set(expanded);
  const rows: OutlineRow[] = [];
  const groups = kGroups.map(({ name }, id) => ({
    name,
    id,
    rows: name === "inputs" ? model.userInputs : model.weights,
  }));
  const shownGroups = groups.filter((group) => group.rows.length > 0);
  const childrenOf = (id: number): readonly Child[] =>
    model.childrenOf(id).filter((child) => child < 0 || isShown(child));
  const siblings = shownGroups.length + childrenOf(0).length;
  shownGroups.forEach((group, i) => {
    const isOpen = openGroups.has(group.name);
    rows.push({ kind: "group", id: group.id, level: 1, position: i + 1, siblings, open: isOpen });
    if (!isOpen) return;
    group.rows.forEach((id, k) => {
      rows.push({ kind: "node", id, level: 2, position: k + 1, siblings: group.rows.length, open: null });
    });
  });
  addChildren(childrenOf, open, rows, shownGroups.length, siblings);
  return rows;
}

/** Walks the tree of modules with a stack of its own: nesting depth comes from the file. */
function addChildren(
  childrenOf: (id: number) => readonly Child[],
  open: ReadonlySet<number>,
  rows: OutlineRow[],
  before: number,
  topSiblings: number,
): void {
  const stack = [{ children: childrenOf(0), next: 0, level: 1, offset: before, siblings: topSiblings }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next >= frame.children.length) {
      stack.pop();
      continue;
    }
    const child = frame.children[frame.next++];
    const place = { level: frame.level, position: frame.offset + frame.next, siblings: frame.siblings };
    if (child >= 0) {
      rows.push({ kind: "node", id: child, ...place, open: null });
      continue;
    }
    const isOpen = open.has(~child);
    rows.push({ kind: "module", id: ~child, ...place, open: isOpen });
    if (isOpen) {
      const children = childrenOf(~child);
      stack.push({ children, next: 0, level: frame.level + 1, offset: 0, siblings: children.length });
    }
  }
}

export function selectionOfRow(row: OutlineRow): Selection | null {
  if (row.kind === "group") return null;
  return row.kind === "node" ? { kind: "node", row: row.id } : { kind: "module", id: row.id };
}

/** The row of a selection, or of the innermost closed module around it; -1 if there is none. */
export function indexOfSelection(model: Model, rows: readonly OutlineRow[], selection: Selection): number {
  const wanted = new Map<string, number>();
  let rank = 0;
  for (let at: Selection | null = selection; at !== null; at = model.enclosing(at)) {
    wanted.set(at.kind === "node" ? `node${at.row}` : `module${at.id}`, rank++);
  }
  let best = -1;
  let bestRank = Infinity;
  rows.forEach((row, index) => {
    const found = wanted.get(`${row.kind}${row.id}`);
    if (found !== undefined && found < bestRank) {
      best = index;
      bestRank = found;
    }
  });
  return best;
}

export interface OutlineLabel {
  readonly name: string;
  readonly detail: string;
}

/** The two texts of a row: what it is called, and quietly beside it what it is. */
export function labelOfRow(model: Model, row: OutlineRow): OutlineLabel {
  if (row.kind === "group") {
    const count = kGroups[row.id].name === "inputs" ? model.userInputs.length : model.weights.length;
    return { name: kGroups[row.id].label, detail: String(count) };
  }
  if (row.kind === "module") {
    const module = model.module(row.id);
    return { name: moduleShort(module.path), detail: typeShort(module.type) };
  }
  const input =
    model.kindOfInput(row.id) === null ? null : model.info.inputs.find((info) => info.node === row.id);
  if (input !== undefined && input !== null) return { name: input.target ?? input.name, detail: "" };
  const name = nodeShort(model.table.names[row.id]);
  const op = opShort(model.op(row.id));
  return { name, detail: name.replace(/_\d+$/, "") === op ? "" : op };
}
